//! What the example of a cell says: arguments for intents.

use serde_json::{Value, json};

use crate::declaration::CellDeclaration;
use crate::request::JsonTemplate;
use crate::template::scope;
use crate::{Declared, Problem, build};

/// The example of one cell.
pub(super) struct Example {
    intent: JsonTemplate,
    other: JsonTemplate,
    refused: Option<JsonTemplate>,
}

impl Example {
    /// # Errors
    /// The cell has none.
    pub(super) fn of(declared: &Declared, cell: &str, written: &CellDeclaration) -> Result<Self, Problem> {
        let name = cell.split('.').nth(1).unwrap_or(cell);
        let example = written.example.as_ref().ok_or_else(|| {
            declared.problem(&written.residual.span(), format!("{name} has no example; add [cells.{name}.example]"))
        })?;
        let json = |value: &toml::Spanned<toml::Value>| build::json(declared.page(), value.get_ref(), &value.span());
        Ok(Self {
            intent: json(&example.intent)?,
            other: json(&example.other)?,
            refused: example.refused.as_ref().map(json).transpose()?,
        })
    }

    /// The arguments of an intent.
    ///
    /// # Errors
    /// What can't be written.
    pub(super) fn intent(&self, number: u64) -> Result<Value, String> {
        written(&self.intent, number)
    }

    /// What somebody would send who reuses a key.
    pub(super) fn other(&self, args: &Value) -> Value {
        with(args, &self.other)
    }

    /// What the API refuses, if the example says it.
    pub(super) fn refused(&self, args: &Value) -> Option<Value> {
        self.refused.as_ref().map(|refused| with(args, refused))
    }
}

/// The arguments with some of them replaced.
fn with(args: &Value, instead: &JsonTemplate) -> Value {
    let mut args = args.clone();
    if let (Some(args), Ok(Value::Object(instead))) = (args.as_object_mut(), written(instead, 0)) {
        args.extend(instead);
    }
    args
}

fn written(template: &JsonTemplate, number: u64) -> Result<Value, String> {
    template.write(&scope(&json!({ "number": number }), &[])).map(Option::unwrap_or_default)
}
