//! Paths into answers (RFC 9535).

use serde_json::Value;
use serde_json_path::JsonPath;

/// A path that finds one value, or each of several.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    query: JsonPath,
    text: String,
}

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let query = JsonPath::parse(text).map_err(|_| format!("`{text}` is no JSONPath such as `$.data.id`"))?;
        Ok(Self { query, text: text.to_owned() })
    }

    /// As it is written.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The one value there. Several, or none, or null, are nothing.
    pub(crate) fn one<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        self.query.query(body).exactly_one().ok().filter(|value| !value.is_null())
    }

    /// The one value there as a text: texts, numbers and truth values have one.
    pub(crate) fn text(&self, body: &Value) -> Option<String> {
        self.one(body).and_then(as_text)
    }

    /// Whether just this stands there, whichever of JSON's types it is written in.
    pub(crate) fn is(&self, body: &Value, wanted: &Value) -> bool {
        self.one(body).is_some_and(|there| same(there, wanted))
    }

    /// Every value there.
    pub(crate) fn each<'a>(&self, body: &'a Value) -> Vec<&'a Value> {
        self.query.query(body).all()
    }
}

/// Whether two values say the same: `10`, `"10"` and `10.0` do, where one of them is a number; `"7"` and `"007"` don't.
fn same(one: &Value, other: &Value) -> bool {
    if one == other {
        return true;
    }
    let (Some(one_text), Some(other_text)) = (as_text(one), as_text(other)) else { return false };
    // Compared as they are written, never as floating point: identifiers may have 19 digits.
    one_text == other_text
        || (one.is_number() || other.is_number()) && without_zeros(&one_text) == without_zeros(&other_text)
}

/// A decimal without zeros at the end of its fraction.
fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A value as a text: texts, numbers and truth values have one.
pub(crate) fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}
