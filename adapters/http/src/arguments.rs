//! Arguments of a declared cell, held to the JSON Schema that it declares.

use jsonschema::Validator;
use serde_json::Value;

/// A schema that is checked once.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    schema: Value,
    validator: std::sync::Arc<Validator>,
}

impl Arguments {
    /// Reads a schema.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn new(schema: Value) -> Result<Self, String> {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err("arguments are an object, so the schema must say `type = \"object\"`".to_owned());
        }
        let validator =
            jsonschema::validator_for(&schema).map_err(|error| format!("it is no JSON Schema ({error})"))?;
        Ok(Self { schema, validator: validator.into() })
    }

    /// The schema.
    pub(crate) fn schema(&self) -> &Value {
        &self.schema
    }

    /// Whether there is such an argument, by its first name.
    pub(crate) fn knows(&self, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or(name);
        self.schema.get("properties").and_then(|properties| properties.get(first)).is_some()
    }

    /// Whether there always is such an argument: it and all that it stands in are required, and never null.
    pub(crate) fn requires(&self, name: &str) -> bool {
        let mut at = &self.schema;
        for part in name.split('.') {
            let required = at.get("required").and_then(Value::as_array);
            let inner = at.get("properties").and_then(|properties| properties.get(part));
            match (required.is_some_and(|names| names.iter().any(|known| known == part)), inner) {
                (true, Some(inner)) => at = inner,
                _ => return false,
            }
        }
        true
    }

    /// Whether there always is such an argument of this type.
    pub(crate) fn requires_a(&self, name: &str, kind: &str) -> bool {
        let declared = self.schema.get("properties").and_then(|properties| properties.get(name)?.get("type"));
        self.requires(name) && declared.and_then(Value::as_str) == Some(kind)
    }

    /// Names of the arguments.
    pub(crate) fn names(&self) -> Vec<&str> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
    }

    /// Checks arguments.
    ///
    /// # Errors
    /// A sentence that names the field, and never its value.
    pub(crate) fn check(&self, args: &Value) -> Result<(), String> {
        let Some(error) = self.validator.iter_errors(args).next() else { return Ok(()) };
        let path = error.instance_path().to_string();
        let place = if path.is_empty() { "the arguments".to_owned() } else { path[1..].replace('/', ".") };
        // A masked error says what was expected, and a placeholder for what was found.
        Err(format!("{place}: {}", error.masked_with("the value")))
    }
}
