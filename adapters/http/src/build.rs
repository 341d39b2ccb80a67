//! From a declaration to cells that work.

mod cell;
mod names;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use hapax_core::cell::CredentialField;
use toml::Spanned;

use crate::declaration::Declaration;
use crate::integration::{DeclaredIntegration, Errors};
use crate::keep;
use crate::problem::{Page, Problem};
use crate::request::JsonTemplate;
use crate::select::Path;
use crate::spec::Facts;
use crate::template::{Place, Template};

type Built<T> = Result<T, Problem>;

/// The provider with its cells.
pub(crate) fn integration(page: Page<'_>, written: &Declaration) -> Built<DeclaredIntegration> {
    let name = named(page, &written.name, "the provider's name")?;
    base_url(page, &written.base_url)?;
    let credentials = credentials(page, written)?;
    let facts = Facts { page, usual: written.source.as_ref() };
    let mut cells = Vec::new();
    for (operation, cell) in &written.cells {
        cells.push(Arc::new(cell::build(&facts, cell, name, named(page, operation, "a cell's name")?)?));
    }
    if cells.is_empty() {
        return Err(page.problem(&(0..0), "it declares no cell; add [cells.NAME]"));
    }
    Ok(DeclaredIntegration {
        name,
        base_url: keep::text(written.base_url.get_ref()),
        credentials,
        authorization: authorization(page, written)?,
        errors: Errors {
            code: optional(page, written.errors.code.as_ref())?,
            kind: optional(page, written.errors.kind.as_ref())?,
            message: optional(page, written.errors.message.as_ref())?,
        },
        requests_per_second: written.requests_per_second.as_ref().map(|rate| *rate.get_ref()),
        whoami: match &written.whoami {
            Some(whoami) => Some((fixed_path(page, &whoami.path)?, path(page, &whoami.account)?)),
            None => None,
        },
        cells,
    })
}

fn named<'a>(page: Page<'_>, name: &'a Spanned<String>, what: &str) -> Built<&'static str> {
    let text: &'a str = name.get_ref();
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if text.is_empty()
        || text.len() > 60
        || !text.bytes().all(fits)
        || !text.starts_with(|c: char| c.is_ascii_lowercase())
    {
        let why = format!("{what} has lower-case letters, digits and `_`, and begins with a letter");
        return Err(page.problem(&name.span(), why));
    }
    Ok(keep::text(text))
}

fn base_url(page: Page<'_>, written: &Spanned<String>) -> Built<()> {
    let problem = |why: &str| page.problem(&written.span(), format!("base_url {why}"));
    let url = url::Url::parse(written.get_ref()).map_err(|error| problem(&format!("is no address ({error})")))?;
    match url.scheme() {
        "https" | "http" => {}
        _ => return Err(problem("must begin with https:// or http://")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(problem("holds a name or a password; declare credentials instead"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(problem("has a query or a fragment; they belong into requests"));
    }
    Ok(())
}

fn credentials(page: Page<'_>, written: &Declaration) -> Built<&'static [CredentialField]> {
    let mut fields = Vec::new();
    for (name, credential) in &written.credentials {
        let variable = credential.variable.get_ref();
        let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        if variable.is_empty() || !variable.chars().all(fits) {
            let why = "variable is the name of an environment variable (capitals, digits, _), not a secret";
            return Err(page.problem(&credential.variable.span(), why));
        }
        fields.push(CredentialField {
            name: named(page, name, "a credential's name")?,
            variable: keep::text(variable),
            optional: credential.optional,
            what: keep::text(&credential.what),
        });
    }
    Ok(keep::list(fields))
}

fn authorization(page: Page<'_>, written: &Declaration) -> Built<Option<(String, Template)>> {
    let Some(authorization) = &written.authorization else { return Ok(None) };
    let value = template(page, &authorization.value, Place::Header)?;
    let known = |name: &String| written.credentials.keys().any(|known| known.get_ref() == name);
    match value.names().iter().find(|name| !known(name)) {
        Some(unknown) => {
            let why = format!("there is no credential `{unknown}`; declare [credentials.{unknown}]");
            Err(page.problem(&authorization.value.span(), why))
        }
        None => Ok(Some((authorization.header.get_ref().clone(), value))),
    }
}

fn path(page: Page<'_>, written: &Spanned<String>) -> Built<Path> {
    Path::new(written.get_ref()).map_err(|why| page.problem(&written.span(), why))
}

fn optional(page: Page<'_>, written: Option<&Spanned<String>>) -> Built<Option<Path>> {
    written.map(|written| path(page, written)).transpose()
}

fn template(page: Page<'_>, written: &Spanned<String>, place: Place) -> Built<Template> {
    Template::new(written.get_ref(), place)
        .map_err(|why| page.problem(&written.span(), format!("it is no template ({why})")))
}

/// A path of a request: below the base URL, whatever arguments say.
fn path_template(page: Page<'_>, written: &Spanned<String>) -> Built<Template> {
    let text = written.get_ref();
    if !text.starts_with('/') || text.starts_with("//") || text.contains(['?', '#', '\\']) {
        let why = "a path begins with one `/` and has no `?` and no `#`; pairs stand in `query`";
        return Err(page.problem(&written.span(), why));
    }
    template(page, written, Place::Path)
}

fn fixed_path(page: Page<'_>, written: &Spanned<String>) -> Built<String> {
    match path_template(page, written)?.names().first() {
        None => Ok(written.get_ref().clone()),
        Some(_) => Err(page.problem(&written.span(), "nothing can be filled in here")),
    }
}

fn templates(
    page: Page<'_>,
    written: &BTreeMap<String, Spanned<String>>,
    place: Place,
) -> Built<Vec<(String, Template)>> {
    written.iter().map(|(name, value)| Ok((name.clone(), template(page, value, place)?))).collect()
}

/// JSON in which texts are templates.
pub(crate) fn json(page: Page<'_>, written: &toml::Value, span: &Range<usize>) -> Built<JsonTemplate> {
    Ok(match written {
        toml::Value::String(text) => JsonTemplate::Text(
            Template::new(text, Place::Text)
                .map_err(|why| page.problem(&page.inside(span, text), format!("`{text}` is no template ({why})")))?,
        ),
        toml::Value::Array(items) => {
            JsonTemplate::List(items.iter().map(|item| json(page, item, span)).collect::<Built<_>>()?)
        }
        toml::Value::Table(fields) => {
            let fields = fields.iter().map(|(name, field)| Ok((name.clone(), json(page, field, span)?)));
            JsonTemplate::Object(fields.collect::<Built<_>>()?)
        }
        toml::Value::Datetime(_) => return Err(page.problem(span, "JSON has no dates; write them as texts")),
        other => {
            JsonTemplate::Other(serde_json::to_value(other).map_err(|error| page.problem(span, error.to_string()))?)
        }
    })
}
