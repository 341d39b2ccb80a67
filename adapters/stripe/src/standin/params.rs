//! Reading parameters. What fails here fails before an endpoint begins to run, so nothing of it is kept under the key.

use super::fail::Fail;
use hapax_standin::Request;
use std::collections::BTreeMap;

/// Metadata as Stripe keeps it.
pub(super) type Metadata = BTreeMap<String, String>;

/// Refuses names that the endpoint does not have.
pub(super) fn known(request: &Request, names: &[&str]) -> Result<(), Fail> {
    for (field, _) in &request.form {
        let name = field.split('[').next().unwrap_or(field);
        if !names.contains(&name) && name != "expand" {
            let message = format!("Received unknown parameter: {name}");
            return Err(Fail::invalid(message).code("parameter_unknown").param(name));
        }
    }
    Ok(())
}

pub(super) fn required<'a>(request: &'a Request, name: &str) -> Result<&'a str, Fail> {
    let missing = || Fail::invalid(format!("Missing required param: {name}.")).code("parameter_missing").param(name);
    text(request, name)?.ok_or_else(missing)
}

/// A parameter that may be left out, but not be empty.
pub(super) fn text<'a>(request: &'a Request, name: &str) -> Result<Option<&'a str>, Fail> {
    match request.field(name) {
        Some("") => {
            let message = format!("You passed an empty string for '{name}'.");
            Err(Fail::invalid(message).code("parameter_invalid_empty").param(name))
        }
        value => Ok(value),
    }
}

pub(super) fn integer(request: &Request, name: &str) -> Result<Option<i64>, Fail> {
    let Some(digits) = text(request, name)? else { return Ok(None) };
    let bad = |_| Fail::invalid(format!("Invalid integer: {digits}")).code("parameter_invalid_integer").param(name);
    digits.parse().map(Some).map_err(bad)
}

pub(super) fn positive(request: &Request, name: &str) -> Result<Option<i64>, Fail> {
    match integer(request, name)? {
        Some(number) if number < 1 => {
            let message = "This value must be greater than or equal to 1.";
            Err(Fail::invalid(message).code("parameter_invalid_integer").param(name))
        }
        number => Ok(number),
    }
}

pub(super) fn boolean(request: &Request, name: &str) -> Result<bool, Fail> {
    match request.field(name) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(other) => Err(Fail::invalid(format!("Invalid boolean: {other}")).param(name)),
    }
}

pub(super) fn one_of(request: &Request, name: &str, allowed: &[&str]) -> Result<Option<String>, Fail> {
    match request.field(name) {
        Some(value) if !allowed.contains(&value) => {
            Err(Fail::invalid(format!("Invalid {name}: must be one of {}", allowed.join(", "))).param(name))
        }
        value => Ok(value.map(str::to_owned)),
    }
}

/// At most 50 pairs, names up to 40 and values up to 500 characters.
pub(super) fn metadata(request: &Request) -> Result<Metadata, Fail> {
    let pairs: Metadata =
        request.fields_under("metadata").map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    if pairs.len() > 50 {
        return Err(Fail::invalid("Metadata can have up to 50 keys.").param("metadata"));
    }
    for (name, value) in &pairs {
        if name.chars().count() > 40 || value.chars().count() > 500 {
            let message = "Metadata keys can have up to 40 characters, values up to 500.";
            return Err(Fail::invalid(message).param(&format!("metadata[{name}]")));
        }
    }
    Ok(pairs)
}
