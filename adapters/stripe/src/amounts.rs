//! Amounts in Stripe's own units.
//!
//! Ours are ISO 4217 minor units. Stripe's differ for three currencies, each by a factor of 100,
//! and three-decimal amounts go only in tens
//! (<https://docs.stripe.com/currencies#special-cases>, read on 2026-11-27).

use hapax_core::cell::Echo;
use hapax_core::money::Money;
use hapax_core::words::Fault;

/// How Stripe's unit differs from the ISO minor unit.
enum Unit {
    /// It doesn't.
    Same,
    /// No decimals in ISO 4217, two at Stripe that are always 00.
    Hundredths,
    /// Two decimals in ISO 4217, none at Stripe.
    Whole,
    /// Three decimals, of which the last must be 0.
    Tens,
}

fn unit(currency: &str, exponent: u32) -> Option<Unit> {
    match (currency, exponent) {
        ("ISK" | "UGX", _) => Some(Unit::Hundredths),
        ("MGA", _) => Some(Unit::Whole),
        (_, 0 | 2) => Some(Unit::Same),
        (_, 3) => Some(Unit::Tens),
        _ => None,
    }
}

/// The amount as Stripe takes it.
///
/// # Errors
/// A sentence that names the field and says what to do.
pub(crate) fn to_stripe(money: &Money) -> Result<i64, String> {
    money.check().map_err(|error| format!("amount: {error}"))?;
    let exponent = money.exponent().map_err(|error| format!("amount: {error}"))?;
    let currency = &money.currency;
    match unit(currency, exponent) {
        Some(Unit::Same) => Ok(money.amount),
        Some(Unit::Hundredths) => {
            money.amount.checked_mul(100).ok_or_else(|| format!("amount: {} {currency} is too much", money.amount))
        }
        Some(Unit::Whole) if money.amount % 100 == 0 => Ok(money.amount / 100),
        Some(Unit::Whole) => Err(format!("amount: Stripe takes {currency} only in whole units; end it with 00")),
        Some(Unit::Tens) if money.amount % 10 == 0 => Ok(money.amount),
        Some(Unit::Tens) => Err(format!("amount: Stripe takes {currency} only in tens; end it with 0")),
        None => Err(format!("amount: Stripe does not take {currency}")),
    }
}

/// An amount that Stripe gave, in our units.
///
/// # Errors
/// [`Fault::Unread`] if it can't be said in them.
pub(crate) fn from_stripe(amount: i64, currency: &str) -> Result<Money, Fault> {
    let unread = || Fault::Unread(format!("{amount} {currency} is no amount in ISO 4217 units"));
    let mut money = Money { amount, currency: currency.to_ascii_uppercase() };
    let exponent = money.exponent().map_err(|_| unread())?;
    money.amount = match unit(&money.currency, exponent) {
        Some(Unit::Hundredths) if amount % 100 == 0 => amount / 100,
        Some(Unit::Whole) => amount.checked_mul(100).ok_or_else(unread)?,
        Some(Unit::Same | Unit::Tens) => amount,
        _ => return Err(unread()),
    };
    Ok(money)
}

/// The pairs by which amounts are compared.
pub(crate) fn echo(money: &Money) -> Echo {
    vec![("amount", money.amount.to_string()), ("currency", money.currency.clone())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_in_stripes_own_units() {
        let check = |amount, currency: &str, stripes: i64| {
            let money = Money { amount, currency: currency.to_owned() };
            assert_eq!(to_stripe(&money), Ok(stripes), "{money}");
            assert_eq!(from_stripe(stripes, &currency.to_lowercase()), Ok(money));
        };
        check(1050, "EUR", 1050);
        check(500, "JPY", 500);
        check(5, "ISK", 500);
        check(5, "UGX", 500);
        check(500, "MGA", 5);
        check(5120, "KWD", 5120);
        for (amount, currency) in [(5124, "KWD"), (501, "MGA"), (0, "EUR"), (5, "eur"), (5, "CLF"), (i64::MAX, "ISK")] {
            let money = Money { amount, currency: currency.to_owned() };
            assert!(to_stripe(&money).is_err_and(|why| why.contains("amount")), "{money:?}");
        }
        assert!(from_stripe(501, "isk").is_err());
        assert!(from_stripe(501, "stones").is_err());
    }
}
