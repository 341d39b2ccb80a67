//! Money as integer minor units and an ISO 4217 currency with its exponent.

use iso_currency::Currency;
use serde::{Deserialize, Serialize};

/// An amount of money. No floating point, ever.
///
/// ```
/// use hapax_core::money::Money;
///
/// let money = Money::new(1050, "EUR")?;
/// assert_eq!(money.to_string(), "10.50 EUR");
/// assert!(Money::new(1050, "EURO").is_err());
/// # Ok::<(), hapax_core::money::MoneyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "An amount of money in the currency's minor unit.")]
pub struct Money {
    /// Integer in the currency's minor unit (cents for EUR, yen for JPY, thousandths for KWD).
    pub amount: i64,
    /// ISO 4217 code, three upper-case letters.
    pub currency: String,
}

/// Why an amount is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// The currency isn't in ISO 4217.
    #[error("currency {0:?} is not an ISO 4217 code such as EUR")]
    Currency(String),
    /// The amount isn't positive.
    #[error("amount {0} is not positive")]
    NotPositive(i64),
}

impl Money {
    /// A positive amount.
    ///
    /// # Errors
    /// [`MoneyError`] says which part is wrong.
    pub fn new(amount: i64, currency: &str) -> Result<Self, MoneyError> {
        let money = Self { amount, currency: currency.to_owned() };
        money.check()?;
        Ok(money)
    }

    /// Checks an amount that was read.
    ///
    /// # Errors
    /// [`MoneyError`] says which part is wrong.
    pub fn check(&self) -> Result<(), MoneyError> {
        self.exponent()?;
        if self.amount <= 0 {
            return Err(MoneyError::NotPositive(self.amount));
        }
        Ok(())
    }

    /// Digits after the point in this currency.
    ///
    /// # Errors
    /// [`MoneyError::Currency`].
    pub fn exponent(&self) -> Result<u32, MoneyError> {
        let unknown = || MoneyError::Currency(self.currency.clone());
        if self.currency.bytes().any(|byte| !byte.is_ascii_uppercase()) {
            return Err(unknown());
        }
        let currency = Currency::from_code(&self.currency).ok_or_else(unknown)?;
        Ok(u32::from(currency.exponent().unwrap_or(0)))
    }
}

impl std::fmt::Display for Money {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let exponent = self.exponent().unwrap_or(0) as usize;
        let digits = format!("{:0width$}", self.amount.unsigned_abs(), width = exponent + 1);
        let (whole, part) = digits.split_at(digits.len() - exponent);
        let sign = if self.amount < 0 { "-" } else { "" };
        let point = if exponent > 0 { "." } else { "" };
        write!(f, "{sign}{whole}{point}{part} {}", self.currency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_the_currencys_own() {
        let shown = |amount, currency| Money::new(amount, currency).map(|money| money.to_string());
        assert_eq!(shown(1050, "JPY"), Ok("1050 JPY".into()));
        assert_eq!(shown(1050, "KWD"), Ok("1.050 KWD".into()));
        assert_eq!(shown(5, "EUR"), Ok("0.05 EUR".into()));
        assert_eq!(shown(0, "EUR"), Err(MoneyError::NotPositive(0)));
        assert_eq!(shown(1, "eur"), Err(MoneyError::Currency("eur".into())));
    }
}
