//! Templates of requests. An expression sees the arguments, the key, the mark and the id, and nothing else: no file, no
//! environment, no secret.

use std::sync::Arc;

use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, UndefinedBehavior, Value as Seen};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// Steps that one template may take.
const FUEL: u64 = 10_000;
/// What may stand in a segment of a path as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Names that templates see besides the arguments: our key, our id of what is made, our mark.
pub(crate) const OWN: [&str; 3] = ["key", "id", "mark"];

/// What templates see.
pub(crate) type Scope = Seen;

/// A text with expressions in it.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    text: Arc<str>,
    place: Place,
}

/// Where a template's text goes, which decides what values are written like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A segment of a path: everything that could end the segment is encoded.
    Path,
    /// A query pair, a form pair or a text in JSON: encoded where it is written.
    Text,
    /// A header: no control characters.
    Header,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn new(text: &str, place: Place) -> Result<Self, String> {
        environment(place).template_from_str(text).map_err(|error| said(&error))?;
        Ok(Self { text: text.into(), place })
    }

    /// The name, if the template is this one name and nothing else.
    #[cfg(feature = "standin")]
    pub(crate) fn only_name(&self) -> Option<&str> {
        self.framed_name().filter(|(before, _, after)| before.is_empty() && after.is_empty()).map(|(_, name, _)| name)
    }

    /// What stands before the name, the name, and what stands after it, if the template is one name in a fixed text.
    #[cfg(feature = "standin")]
    pub(crate) fn framed_name(&self) -> Option<(&str, &str, &str)> {
        let (before, rest) = self.text.split_once("{{")?;
        let (inner, after) = rest.split_once("}}")?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let inner = inner.trim();
        let is_fixed = |text: &str| !text.contains("{{") && !text.contains("{%") && !text.contains("{#");
        (!inner.is_empty() && inner.bytes().all(is_name) && is_fixed(before) && is_fixed(after))
            .then_some((before, inner, after))
    }

    /// Its text, as written.
    #[cfg(feature = "standin")]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Names that it reads, as `amount` or `supplier.name`.
    pub(crate) fn names(&self) -> Vec<String> {
        let environment = environment(self.place);
        let template = environment.template_from_str(&self.text);
        let mut names: Vec<String> =
            template.map(|read| read.undeclared_variables(true).into_iter().collect()).unwrap_or_default();
        names.sort();
        names
    }

    /// Its text. `None`: it is one expression, and its value is absent.
    ///
    /// # Errors
    /// What can't be written. Nothing was sent then.
    pub(crate) fn render(&self, scope: &Scope) -> Result<Option<String>, String> {
        let environment = environment(self.place);
        if whole(&environment, &self.text, scope)?.is_some_and(|value| value.is_undefined() || value.is_none()) {
            return Ok(None);
        }
        let template = environment.template_from_str(&self.text).map_err(|error| said(&error))?;
        template.render(scope).map(Some).map_err(|error| said(&error))
    }

    /// Its value in JSON: one expression keeps its type. `None`: it is absent.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub(crate) fn value(&self, scope: &Scope) -> Result<Option<Value>, String> {
        match whole(&environment(self.place), &self.text, scope)? {
            Some(value) if value.is_undefined() || value.is_none() => Ok(None),
            Some(value) => serde_json::to_value(&value).map(Some).map_err(|error| error.to_string()),
            None => self.render(scope).map(|text| text.map(Value::String)),
        }
    }
}

/// The value of a text that is one expression and nothing else.
fn whole(environment: &Environment<'_>, text: &str, scope: &Scope) -> Result<Option<Seen>, String> {
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    let Some(expression) = inner.filter(|inner| !inner.contains("{{") && !inner.contains("{%")) else {
        return Ok(None);
    };
    let compiled = environment.compile_expression(expression).map_err(|error| said(&error))?;
    compiled.eval(scope).map(Some).map_err(|error| said(&error))
}

fn environment(place: Place) -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_fuel(Some(FUEL));
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    // Values are written by `write` everywhere, so what isn't escaped elsewhere is no hole here.
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_formatter(move |out, _state, value| write(place, out, value));
    environment
}

/// Writes a value where an expression stands in a text.
fn write(place: Place, out: &mut Output<'_>, value: &Seen) -> Result<(), Error> {
    let refused = |why: &'static str| Err(Error::new(ErrorKind::InvalidOperation, why));
    let text = match value.kind() {
        ValueKind::String | ValueKind::Number | ValueKind::Bool => value.to_string(),
        ValueKind::Undefined | ValueKind::None => return refused("an argument that is absent stands inside a text"),
        _ => return refused("a list or an object stands inside a text"),
    };
    let written = match place {
        Place::Text => text,
        Place::Header if text.chars().any(char::is_control) => {
            return refused("a value with control characters stands in a header");
        }
        Place::Header => text,
        Place::Path if text.is_empty() || text == "." || text == ".." => {
            return refused("an empty value, `.` or `..` stands in the path");
        }
        Place::Path => utf8_percent_encode(&text, PLAIN).to_string(),
    };
    out.write_str(&written).map_err(|_| Error::new(ErrorKind::WriteFailure, "no memory"))
}

/// What the library says, without values.
fn said(error: &Error) -> String {
    match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    }
}

/// What templates see: the arguments by their names, and what stands beside them.
pub(crate) fn scope(arguments: &Value, own: &[(&'static str, String)]) -> Scope {
    let mut seen = arguments.as_object().cloned().unwrap_or_default();
    for (name, value) in own {
        seen.insert((*name).to_owned(), Value::String(value.clone()));
    }
    Seen::from_serialize(seen)
}

/// Names that a template reads; none if it is no template.
pub(crate) fn names(text: &str) -> Vec<String> {
    Template::new(text, Place::Text).map(|read| read.names()).unwrap_or_default()
}
