//! What the example of a cell says: arguments for intents.

use serde_json::{Value, json};

#[cfg(feature = "prove")]
use crate::Declared;
use crate::build;
#[cfg(feature = "prove")]
use crate::declaration::CellDeclaration;
use crate::declaration::ExampleDeclaration;
use crate::problem::{Page, Problem};
use crate::request::JsonTemplate;
use crate::template::scope;

/// The example of one cell.
pub(crate) struct Example {
    intent: JsonTemplate,
    other: JsonTemplate,
    refused: Option<JsonTemplate>,
}

impl Example {
    /// Reads it.
    ///
    /// # Errors
    /// A text that is no template.
    pub(crate) fn of(page: Page<'_>, written: &ExampleDeclaration) -> Result<Self, Problem> {
        let json = |value: &toml::Spanned<toml::Value>| build::json(page, value.get_ref(), &value.span());
        Ok(Self {
            intent: json(&written.intent)?,
            other: json(&written.other)?,
            refused: written.refused.as_ref().map(json).transpose()?,
        })
    }

    /// The example of a cell that is to be proved.
    ///
    /// # Errors
    /// The cell has none.
    #[cfg(feature = "prove")]
    pub(crate) fn needed(declared: &Declared, cell: &str, written: &CellDeclaration) -> Result<Self, Problem> {
        let name = cell.split('.').nth(1).unwrap_or(cell);
        let why = || format!("{name} has no example; add [cells.{name}.example]");
        let example = written.example.as_ref().ok_or_else(|| declared.problem(&written.request.path.span(), why()))?;
        Self::of(declared.page(), example)
    }

    /// The arguments of an intent.
    ///
    /// # Errors
    /// What can't be written.
    pub(crate) fn intent(&self, number: u64) -> Result<Value, String> {
        written(&self.intent, number)
    }

    /// What somebody would send who reuses a key.
    pub(crate) fn other(&self, args: &Value) -> Value {
        with(args, &self.other)
    }

    /// What the API refuses, if the example says it.
    pub(crate) fn refused(&self, args: &Value) -> Option<Value> {
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
