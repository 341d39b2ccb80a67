//! From a declaration to cells that work.

use hapax_core::cell::CredentialField;
use hapax_core::transport::Method;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;

use crate::arguments::Arguments;
use crate::cell::{DeclaredCell, FatePaths, ReceiptPaths};
use crate::declaration::{
    By, CellDeclaration, Declaration, LookDeclaration, NextPage, ReceiptDeclaration, RequestDeclaration,
};
use crate::integration::{DeclaredIntegration, Errors};
use crate::keep;
use crate::look::{Look, Next};
use crate::problem::{Page, Problem};
use crate::request::{BodyTemplate, JsonTemplate, RequestTemplate};
use crate::select::Path;
use crate::spec::Facts;
use crate::template::{Place, Template};

type Built<T> = Result<T, Problem>;

/// Names that templates see besides the arguments.
const OWN: [&str; 3] = ["key", "id", "mark"];

/// The provider with its cells.
pub(crate) fn integration(page: Page<'_>, written: &Declaration) -> Built<DeclaredIntegration> {
    let name = named(page, &written.name, "the provider's name")?;
    base_url(page, &written.base_url)?;
    let credentials = credentials(page, written)?;
    let facts = Facts { page, usual: written.source.as_ref() };
    let mut cells = Vec::new();
    for (operation, cell) in &written.cells {
        cells.push(Arc::new(Builder { page, cell }.build(&facts, name, named(page, operation, "a cell's name")?)?));
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
        "https" => {}
        "http" => {}
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

/// Builds one cell.
struct Builder<'a> {
    page: Page<'a>,
    cell: &'a CellDeclaration,
}

impl Builder<'_> {
    fn build(&self, facts: &Facts<'_>, provider: &str, name: &str) -> Built<DeclaredCell> {
        let cell = self.cell;
        self.one_token()?;
        let spec = keep::value(facts.spec(provider, name, cell)?);
        let arguments = self.arguments()?;
        let request = self.request(&cell.request)?;
        self.names_are_known(&arguments, &request)?;
        self.tokens_are_sent(&request)?;
        if cell.residual.get_ref().trim().is_empty() {
            return Err(self
                .page
                .problem(&cell.residual.span(), "residual says which risk is left; no risk is never true"));
        }
        let look = match &cell.look {
            Some(look) => Some(self.look(look.get_ref(), &look.span(), &request)?),
            None => None,
        };
        let receipt = self.receipt(&cell.receipt)?;
        Ok(DeclaredCell {
            spec,
            volatile: keep::list(cell.volatile.iter().map(|name| keep::text(name.get_ref())).collect()),
            money: cell.money.as_ref().map(|money| (money.amount.get_ref().clone(), money.currency.get_ref().clone())),
            request,
            empty_success: cell.empty_success,
            look,
            record: match &cell.record {
                Some(record) => Some(path_template(self.page, &record.path)?),
                None => None,
            },
            fate: self.fate(&receipt)?,
            receipt,
            arguments,
        })
    }

    /// The key, the id and the state are different guards, and one request has one token of ours.
    fn one_token(&self) -> Built<()> {
        match (&self.cell.key, &self.cell.id) {
            (Some(_), Some(id)) => Err(self
                .page
                .problem(&id.span(), "a cell has a key or an id, not both: one token makes it happen once")),
            _ => Ok(()),
        }
    }

    fn arguments(&self) -> Built<Arguments> {
        let written = &self.cell.arguments;
        let schema = serde_json::to_value(written.get_ref())
            .map_err(|error| self.page.problem(&written.span(), format!("it is no JSON ({error})")))?;
        Arguments::new(schema).map_err(|why| self.page.problem(&written.span(), why))
    }

    fn request(&self, written: &RequestDeclaration) -> Built<RequestTemplate> {
        let page = self.page;
        let body = match (&written.json, &written.form) {
            (Some(_), Some(_)) => {
                return Err(page.problem(&written.path.span(), "a request has json or form, not both"));
            }
            (Some(json), None) => BodyTemplate::Json(self.json(json.get_ref(), &json.span())?),
            (None, Some(form)) => BodyTemplate::Form(templates(page, form, Place::Text)?),
            (None, None) => BodyTemplate::Empty,
        };
        Ok(RequestTemplate {
            method: method(page, &written.method)?,
            path: path_template(page, &written.path)?,
            query: templates(page, &written.query, Place::Text)?,
            headers: templates(page, &written.headers, Place::Header)?,
            body,
        })
    }

    fn json(&self, written: &toml::Value, span: &Range<usize>) -> Built<JsonTemplate> {
        json(self.page, written, span)
    }

    /// A name that nothing gives would be left out of the request in silence.
    fn names_are_known(&self, arguments: &Arguments, request: &RequestTemplate) -> Built<()> {
        let known = |name: &String| OWN.contains(&name.as_str()) || arguments.knows(name);
        match request.names().iter().find(|name| !known(name)) {
            Some(unknown) => {
                let why = format!("the request names `{unknown}`, which is no argument; declare it in arguments");
                Err(self.page.problem(&self.cell.request.path.span(), why))
            }
            None => Ok(()),
        }
    }

    /// A guard whose token isn't in the request guards nothing.
    fn tokens_are_sent(&self, request: &RequestTemplate) -> Built<()> {
        let sent = request.names();
        for (name, guard) in [("key", &self.cell.key), ("id", &self.cell.id)] {
            if let Some(guard) = guard
                && !sent.iter().any(|known| known == name)
            {
                let why = format!(
                    "the request doesn't carry it: write {{{{ {name} }}}} where {} goes",
                    guard.get_ref().field
                );
                return Err(self.page.problem(&guard.span(), why));
            }
        }
        Ok(())
    }

    fn look(&self, written: &LookDeclaration, span: &Range<usize>, request: &RequestTemplate) -> Built<Look> {
        let page = self.page;
        if written.looks_by() == By::Mark && !request.names().iter().any(|name| name == "mark") {
            return Err(
                page.problem(span, "it looks for `mark`, which the request doesn't carry: write {{ mark }} there")
            );
        }
        if written.ours.is_empty() {
            return Err(page.problem(span, "`ours` must say what a record holds that makes it ours"));
        }
        let mut ours = Vec::new();
        for (at, value) in &written.ours {
            let read = Path::new(at).map_err(|why| page.problem(&value.span(), format!("`{at}`: {why}")))?;
            ours.push((read, template(page, value, Place::Text)?));
        }
        Ok(Look {
            path: path_template(page, &written.path)?,
            query: templates(page, &written.query, Place::Text)?,
            hits: optional(page, written.hits.as_ref())?,
            next: match &written.next {
                None => None,
                Some(NextPage::Link) => Some(Next::Link),
                Some(NextPage::Number { pair, first }) => Some(Next::Number { pair: pair.clone(), first: *first }),
                Some(NextPage::Cursor { at, pair }) => Some(Next::Cursor { at: path(page, at)?, pair: pair.clone() }),
            },
            ours,
        })
    }

    fn receipt(&self, written: &ReceiptDeclaration) -> Built<ReceiptPaths> {
        let page = self.page;
        let mut receipt = ReceiptPaths { id: optional(page, written.id.as_ref())?, ..ReceiptPaths::default() };
        for (name, at) in &written.keep {
            receipt.keep.push((name.clone(), path(page, at)?));
        }
        for (at, value) in &written.echo {
            let read = Path::new(at).map_err(|why| page.problem(&value.span(), format!("`{at}`: {why}")))?;
            receipt.echo.push((at.clone(), read, template(page, value, Place::Text)?));
        }
        Ok(receipt)
    }

    fn fate(&self, receipt: &ReceiptPaths) -> Built<Option<FatePaths>> {
        let Some(fate) = &self.cell.fate else { return Ok(None) };
        let status = fate.status.get_ref();
        if !receipt.keep.iter().any(|(name, _)| name == status) {
            let why = format!("the receipt keeps no `{status}`; add it to receipt.keep");
            return Err(self.page.problem(&fate.status.span(), why));
        }
        Ok(Some(FatePaths { status: status.clone(), failed: fate.failed.clone() }))
    }
}

fn templates(
    page: Page<'_>,
    written: &BTreeMap<String, Spanned<String>>,
    place: Place,
) -> Built<Vec<(String, Template)>> {
    written.iter().map(|(name, value)| Ok((name.clone(), template(page, value, place)?))).collect()
}

fn method(page: Page<'_>, written: &Spanned<String>) -> Built<Method> {
    [Method::Post, Method::Put, Method::Patch, Method::Delete]
        .into_iter()
        .find(|method| method.as_str() == written.get_ref())
        .ok_or_else(|| page.problem(&written.span(), "the request that counts is POST, PUT, PATCH or DELETE"))
}

/// JSON in which texts are templates.
pub(crate) fn json(page: Page<'_>, written: &toml::Value, span: &Range<usize>) -> Built<JsonTemplate> {
    Ok(match written {
        toml::Value::String(text) => JsonTemplate::Text(
            Template::new(text, Place::Text)
                .map_err(|why| page.problem(span, format!("`{text}` is no template ({why})")))?,
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
