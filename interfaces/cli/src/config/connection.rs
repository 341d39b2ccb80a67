use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hapax_core::cell::SharedIntegration;
use toml::{Spanned, Value};

use super::problem::Place;
use super::raw::Fields;
use crate::exit::Failure;
use crate::known::Known;
use crate::suggest::did_you_mean;

/// One connection, as configured.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionConfig {
    pub(crate) name: String,
    pub(crate) integration: String,
    pub(crate) account: Option<String>,
    pub(crate) base_url: Option<String>,
    pub(crate) stand_in: bool,
    pub(crate) meets: Vec<String>,
    /// Where each credential comes from, by its field.
    pub(crate) sources: BTreeMap<&'static str, Source>,
}

/// Where a credential comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Variable(String),
    File(PathBuf),
}

/// Fields that every connection may have.
const COMMON: [&str; 5] = ["integration", "account", "base_url", "stand_in", "meets"];

impl ConnectionConfig {
    pub(super) fn read(
        place: &Place<'_>,
        known: &Known,
        name: &Spanned<String>,
        mut fields: Fields,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let integration = integration(place, known, name, &mut fields)?;
        let mut connection =
            Self { name: name.get_ref().clone(), integration: integration.name().to_owned(), ..Self::default() };
        for (field, value) in fields {
            connection.set(place, &integration, field.get_ref(), &field.span(), value, folder)?;
        }
        Ok(connection)
    }

    fn set(
        &mut self,
        place: &Place<'_>,
        integration: &SharedIntegration,
        field: &str,
        at: &Range<usize>,
        value: Spanned<Value>,
        folder: &Path,
    ) -> Result<(), Failure> {
        let must = |what: &str| place.problem(at, &format!("{field} must be {what}"));
        match (field, value.into_inner()) {
            ("account", Value::String(text)) => self.account = Some(text),
            ("base_url", Value::String(text)) => self.base_url = Some(text),
            ("stand_in", Value::Boolean(yes)) => self.stand_in = yes,
            ("meets", Value::Array(needs)) => self.meets = met(place, integration, at, needs)?,
            ("account" | "base_url", _) => return Err(must("a text")),
            ("stand_in", _) => return Err(must("true or false")),
            ("meets", _) => return Err(must("a list of needs")),
            (_, value) => {
                let (name, source) = credential(place, integration, field, at, value, folder)?;
                if self.sources.insert(name, source).is_some() {
                    return Err(
                        place.problem(at, &format!("{name} is given twice: name a variable or a file, not both"))
                    );
                }
            }
        }
        Ok(())
    }
}

/// Takes the field `integration` out and looks the name up.
fn integration(
    place: &Place<'_>,
    known: &Known,
    name: &Spanned<String>,
    fields: &mut Fields,
) -> Result<SharedIntegration, Failure> {
    let key = fields.keys().find(|key| key.get_ref() == "integration").cloned();
    let Some((key, value)) = key.and_then(|key| fields.remove(&key).map(|value| (key, value))) else {
        let why = format!("connection {} lacks the field `integration`", name.get_ref());
        return Err(place.problem(&name.span(), &why));
    };
    let Value::String(wanted) = value.into_inner() else {
        return Err(place.problem(&key.span(), "integration must be a text"));
    };
    known.integration(&wanted).ok_or_else(|| {
        let known: Vec<&str> = known.integrations().iter().map(|one| one.name()).collect();
        let near = did_you_mean(&wanted, known.iter().copied());
        let why = format!("there is no integration {wanted:?}; there are: {}{near}", known.join(", "));
        place.problem(&key.span(), &why)
    })
}

/// A field that names where a credential is found. One that holds it is refused without showing it.
fn credential(
    place: &Place<'_>,
    integration: &SharedIntegration,
    field: &str,
    at: &Range<usize>,
    value: Value,
    folder: &Path,
) -> Result<(&'static str, Source), Failure> {
    for known in integration.credentials().iter().map(|known| known.name) {
        if field == known {
            let why = format!(
                "{known} stands in the file itself; take it out (and replace it at the provider if others saw the \
                 file), then name an environment variable with {known}_env or a file with {known}_file"
            );
            return Err(place.problem(at, &why));
        }
        let Some(kind) = field.strip_prefix(known).filter(|kind| matches!(*kind, "_env" | "_file")) else { continue };
        let Value::String(text) = value else { return Err(place.problem(at, &format!("{field} must be a text"))) };
        return match kind {
            "_file" => Ok((known, Source::File(folder.join(text)))),
            _ if is_variable(&text) => Ok((known, Source::Variable(text))),
            _ => Err(place.problem(at, &no_variable(field))),
        };
    }
    let known = known_fields(integration);
    let near = did_you_mean(field, known.iter().map(String::as_str));
    let why = format!("there is no field `{field}` here; known are: {}{near}", known.join(", "));
    Err(place.problem(at, &why))
}

fn known_fields(integration: &SharedIntegration) -> Vec<String> {
    let credentials = integration.credentials().iter();
    let sources = credentials.flat_map(|field| [format!("{}_env", field.name), format!("{}_file", field.name)]);
    COMMON.iter().map(|name| (*name).to_owned()).chain(sources).collect()
}

/// That a field holds something else than a variable's name, which is not shown: it may be what the variable was to hold.
pub(super) fn no_variable(field: &str) -> String {
    format!("{field} must be the name of an environment variable (capitals, digits, _), not a secret")
}

pub(super) fn is_variable(text: &str) -> bool {
    let letters = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    text.chars().all(letters) && text.starts_with(|letter: char| !letter.is_ascii_digit())
}

/// Needs in the words of the cells. One that no cell has is a slip that would silently weaken nothing
/// and strengthen nothing, so it is refused.
fn met(
    place: &Place<'_>,
    integration: &SharedIntegration,
    at: &Range<usize>,
    needs: Vec<Value>,
) -> Result<Vec<String>, Failure> {
    let cells = integration.cells();
    let specs = cells.iter().map(|cell| cell.spec());
    let known: Vec<&str> = specs.flat_map(|spec| spec.published().1).map(|need| need.words()).collect();
    let mut met = Vec::new();
    for need in needs {
        let Value::String(need) = need else { return Err(place.problem(at, "meets must be a list of texts")) };
        if !known.contains(&need.as_str()) {
            let near = did_you_mean(&need, known.iter().copied());
            let why =
                format!("no cell of {} needs {need:?}; `hapax explain CELL` lists needs{near}", integration.name());
            return Err(place.problem(at, &why));
        }
        met.push(need);
    }
    Ok(met)
}
