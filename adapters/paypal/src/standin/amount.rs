use serde_json::{Value, json};

use super::fail::Fail;

/// An amount in thousandths, and how many decimals are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) currency: String,
    pub(super) thousandths: i64,
    decimals: usize,
}

impl Amount {
    pub(super) fn read(value: &Value) -> Result<Self, Fail> {
        let invalid = || Fail::invalid("INVALID_PARAMETER_SYNTAX");
        let text = value["value"].as_str().ok_or_else(invalid)?;
        let currency = value["currency_code"].as_str().filter(|code| code.len() == 3).ok_or_else(invalid)?;
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        if part.len() > 3 || text.starts_with('-') {
            return Err(invalid());
        }
        let thousandths: i64 = format!("{whole}{part:0<3}").parse().map_err(|_| invalid())?;
        if thousandths <= 0 {
            return Err(Fail::unprocessable("CANNOT_BE_ZERO_OR_NEGATIVE"));
        }
        Ok(Self { currency: currency.to_owned(), thousandths, decimals: part.len() })
    }

    pub(super) fn less(&self, thousandths: i64) -> Self {
        Self { thousandths: self.thousandths - thousandths, ..self.clone() }
    }

    pub(super) fn value(&self) -> Value {
        let digits = format!("{:04}", self.thousandths);
        let (whole, part) = digits.split_at(digits.len() - 3);
        let value = match self.decimals {
            0 => whole.to_owned(),
            decimals => format!("{whole}.{}", part.get(..decimals).unwrap_or(part)),
        };
        json!({ "currency_code": self.currency, "value": value })
    }
}
