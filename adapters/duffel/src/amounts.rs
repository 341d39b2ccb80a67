//! Amounts as Duffel writes them: decimal texts beside a currency. Ours are ISO 4217 minor units.

use hapax_core::cell::Echo;
use hapax_core::money::Money;
use hapax_core::words::Fault;

/// The amount as a decimal text.
///
/// # Errors
/// A sentence that names the field and says what to do.
pub(crate) fn to_duffel(field: &str, money: &Money) -> Result<String, String> {
    money.check().map_err(|error| format!("{field}: {error}"))?;
    let shown = money.to_string();
    Ok(shown.split(' ').next().unwrap_or_default().to_owned())
}

/// An amount that Duffel gave, in our units; never rounded. Zero is an amount too: a refund may be nothing.
///
/// # Errors
/// [`Fault::Unread`] if it can't be said in them.
pub(crate) fn from_duffel(text: &str, currency: &str) -> Result<Money, Fault> {
    let unread = || Fault::Unread("an amount that is none in ISO 4217 units".to_owned());
    let mut money = Money { amount: 0, currency: currency.to_owned() };
    let exponent = money.exponent().map_err(|_| unread())? as usize;
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (kept, rest) = part.split_at_checked(exponent.min(part.len())).ok_or_else(unread)?;
    if whole.is_empty() || !is_number(whole) || !is_number(part) || rest.bytes().any(|byte| byte != b'0') {
        return Err(unread());
    }
    money.amount = format!("{whole}{kept:0<exponent$}").parse().map_err(|_| unread())?;
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
    fn amounts_are_decimal_texts_and_never_rounded() {
        let check = |amount, currency: &str, text: &str| {
            let money = Money { amount, currency: currency.to_owned() };
            assert_eq!(to_duffel("amount", &money), Ok(text.to_owned()), "{money}");
            assert_eq!(from_duffel(text, currency), Ok(money));
        };
        check(9080, "GBP", "90.80");
        check(5, "USD", "0.05");
        check(500, "JPY", "500");
        check(5120, "KWD", "5.120");
        for (text, amount) in [("90.8", Some(9080)), ("90.800", Some(9080)), ("0.00", Some(0)), ("90", Some(9000))] {
            assert_eq!(from_duffel(text, "GBP").ok().map(|money| money.amount), amount, "{text}");
        }
        for (text, currency) in [("90.805", "GBP"), ("-1.00", "GBP"), ("", "GBP"), (".5", "GBP"), ("1.00", "XXQ")] {
            assert!(from_duffel(text, currency).is_err(), "{text} {currency}");
        }
        for (amount, currency) in [(0, "GBP"), (-5, "GBP"), (5, "gbp")] {
            let wrong = Money { amount, currency: currency.to_owned() };
            assert!(to_duffel("least_refund", &wrong).is_err_and(|why| why.starts_with("least_refund:")));
        }
    }
}
