//! Amounts as PayPal writes them: decimal texts.
//!
//! Ours are ISO 4217 minor units. For two currencies PayPal takes no decimals though ISO 4217 has two
//! (<https://developer.paypal.com/api/rest/reference/currency-codes/>).

use hapax_core::cell::Echo;
use hapax_core::money::Money;
use hapax_core::words::Fault;
use serde::{Deserialize, Serialize};

/// An amount on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Amount {
    pub(crate) currency_code: String,
    pub(crate) value: String,
}

/// The amount as PayPal takes it.
///
/// # Errors
/// A sentence that names the field and says what to do.
pub(crate) fn to_paypal(money: &Money) -> Result<Amount, String> {
    money.check().map_err(|error| format!("amount: {error}"))?;
    let exponent = money.exponent().map_err(|error| format!("amount: {error}"))?;
    let shown = money.to_string();
    let value = shown.split(' ').next().unwrap_or_default().to_owned();
    let currency_code = money.currency.clone();
    if matches!(currency_code.as_str(), "HUF" | "TWD") {
        return match value.strip_suffix(".00") {
            Some(whole) => Ok(Amount { currency_code, value: whole.to_owned() }),
            None => Err(format!("amount: PayPal takes {currency_code} only in whole units; end it with 00")),
        };
    }
    if exponent > 3 || value.len() > 18 {
        return Err(format!("amount: PayPal does not take {shown}"));
    }
    Ok(Amount { currency_code, value })
}

/// An amount that PayPal gave, in our units; never rounded.
///
/// # Errors
/// [`Fault::Unread`] if it can't be said in them.
pub(crate) fn from_paypal(amount: &Amount) -> Result<Money, Fault> {
    let unread = || Fault::Unread("an amount that is none in ISO 4217 units".to_owned());
    let mut money = Money { amount: 0, currency: amount.currency_code.clone() };
    let exponent = money.exponent().map_err(|_| unread())? as usize;
    let (whole, part) = amount.value.split_once('.').unwrap_or((&amount.value, ""));
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
        let check = |amount, currency: &str, value: &str| {
            let money = Money { amount, currency: currency.to_owned() };
            let paypals = Amount { currency_code: currency.to_owned(), value: value.to_owned() };
            assert_eq!(to_paypal(&money), Ok(paypals.clone()), "{money}");
            assert_eq!(from_paypal(&paypals), Ok(money));
        };
        check(1050, "EUR", "10.50");
        check(5, "USD", "0.05");
        check(500, "JPY", "500");
        check(5000, "HUF", "50");
        check(5120, "KWD", "5.120");
        for (amount, currency) in [(5001, "TWD"), (0, "EUR"), (5, "eur"), (i64::MAX, "EUR")] {
            let money = Money { amount, currency: currency.to_owned() };
            assert!(to_paypal(&money).is_err_and(|why| why.contains("amount")), "{money:?}");
        }
        let read = |value: &str, currency: &str| {
            from_paypal(&Amount { currency_code: currency.to_owned(), value: value.to_owned() })
        };
        assert_eq!(read("10.5", "EUR").map(|money| money.amount), Ok(1050));
        assert_eq!(read("10.500", "EUR").map(|money| money.amount), Ok(1050));
        for (value, currency) in [
            ("10.505", "EUR"),
            ("-1", "EUR"),
            ("string", "EUR"),
            ("1.5", "JPY"),
            ("", "EUR"),
            ("1", "str"),
            ("1.ä", "EUR"),
        ] {
            assert!(read(value, currency).is_err(), "{value} {currency}");
        }
    }
}
