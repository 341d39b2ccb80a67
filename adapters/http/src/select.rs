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
        let query =
            JsonPath::parse(text).map_err(|error| format!("it is no JSONPath such as `$.data.id` ({error})"))?;
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

    /// Every value there.
    pub(crate) fn each<'a>(&self, body: &'a Value) -> Vec<&'a Value> {
        self.query.query(body).all()
    }
}

/// A value as a text, as it is compared.
pub(crate) fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}
