//! One cell.

use hapax_core::transport::Method;
use serde_json::Value;
use toml::Spanned;

use super::names::Names;
use super::{Built, json, optional, path, path_template, template, templates};
use crate::arguments::Arguments;
use crate::cell::{DeclaredCell, FatePaths, ReceiptPaths};
use crate::declaration::{CellDeclaration, LookDeclaration, NextPage, ReceiptDeclaration, RequestDeclaration};
use crate::example::Example;
use crate::keep;
use crate::look::{Look, Next, Ours};
use crate::problem::Page;
use crate::request::{BodyTemplate, RequestTemplate};
use crate::select::Path;
use crate::spec::Facts;
use crate::template::{OWN, Place, Template};

/// The cell of this name.
pub(super) fn build(facts: &Facts<'_>, cell: &CellDeclaration, provider: &str, name: &str) -> Built<DeclaredCell> {
    let page = facts.page;
    let arguments = arguments(page, cell)?;
    let request = request(page, &cell.request)?;
    let names = Names::of(page, cell, &arguments, &request)?;
    if cell.residual.get_ref().trim().is_empty() {
        return Err(page.problem(&cell.residual.span(), "residual says which risk is left; no risk is never true"));
    }
    example(page, cell, &arguments)?;
    let look = match &cell.look {
        Some(written) => {
            names.tell_ours_apart(written.get_ref(), &written.span())?;
            Some(look(page, written.get_ref())?)
        }
        None => None,
    };
    let receipt = receipt(page, &cell.receipt)?;
    Ok(DeclaredCell {
        spec: keep::value(facts.spec(provider, name, cell)?),
        volatile: keep::list(cell.volatile.iter().map(|name| keep::text(name.get_ref())).collect()),
        money: cell.money.as_ref().map(|money| (money.amount.get_ref().clone(), money.currency.get_ref().clone())),
        request,
        empty_success: empty_success(page, cell)?,
        look,
        record: record(page, cell)?,
        fate: fate(page, cell, &receipt)?,
        receipt,
        arguments,
    })
}

fn arguments(page: Page<'_>, cell: &CellDeclaration) -> Built<Arguments> {
    let span = cell.arguments.span();
    let schema = serde_json::to_value(cell.arguments.get_ref())
        .map_err(|error| page.problem(&span, format!("it is no JSON ({error})")))?;
    Arguments::new(schema).map_err(|why| page.problem(&span, why))
}

/// An example that is no intent would prove nothing, or whatever it is refused for.
fn example(page: Page<'_>, cell: &CellDeclaration, arguments: &Arguments) -> Built<()> {
    let Some(written) = &cell.example else { return Ok(()) };
    let example = Example::of(page, written)?;
    let check = |what: &str, value: &Spanned<toml::Value>, args: Result<Value, String>| {
        let fits = args.and_then(|args| arguments.check(&args));
        fits.map_err(|why| page.problem(&value.span(), format!("example.{what} doesn't fit the arguments: {why}")))
    };
    let intent = example.intent(1);
    check("intent", &written.intent, intent.clone())?;
    check("other", &written.other, intent.clone().map(|args| example.other(&args)))?;
    match &written.refused {
        Some(value) => check("refused", value, intent.map(|args| example.refused(&args).unwrap_or_default())),
        None => Ok(()),
    }
}

fn request(page: Page<'_>, written: &RequestDeclaration) -> Built<RequestTemplate> {
    let body = match (&written.json, &written.form) {
        (Some(_), Some(_)) => {
            return Err(page.problem(&written.path.span(), "a request has json or form, not both"));
        }
        (Some(body), None) => BodyTemplate::Json(json(page, body.get_ref(), &body.span())?),
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

fn method(page: Page<'_>, written: &Spanned<String>) -> Built<Method> {
    [Method::Post, Method::Put, Method::Patch, Method::Delete]
        .into_iter()
        .find(|method| method.as_str() == written.get_ref())
        .ok_or_else(|| page.problem(&written.span(), "the request that counts is POST, PUT, PATCH or DELETE"))
}

/// A success without a body holds nothing that could be read from it.
fn empty_success(page: Page<'_>, cell: &CellDeclaration) -> Built<Option<u16>> {
    let Some(status) = &cell.empty_success else { return Ok(None) };
    let reads = cell.receipt.id.is_some() || !cell.receipt.keep.is_empty() || !cell.receipt.echo.is_empty();
    match (reads, (200..300).contains(status.get_ref())) {
        (false, true) => Ok(Some(*status.get_ref())),
        (true, _) => {
            Err(page.problem(&status.span(), "a success without a body has no receipt to read: leave it empty"))
        }
        (false, false) => Err(page.problem(&status.span(), "a success has a status from 200 to 299")),
    }
}

fn record(page: Page<'_>, cell: &CellDeclaration) -> Built<Option<Template>> {
    let Some(record) = &cell.record else { return Ok(None) };
    let path = path_template(page, &record.path)?;
    match path.names().as_slice() {
        [id] if id == OWN[1] => Ok(Some(path)),
        _ => Err(page.problem(&record.path.span(), "the path of a record names its `{{ id }}` and nothing else")),
    }
}

fn look(page: Page<'_>, written: &LookDeclaration) -> Built<Look> {
    let mut ours = Ours { identity: Vec::new(), content: Vec::new() };
    for (at, value) in &written.ours {
        let one = (path_at(page, at, value)?, template(page, value, Place::Text)?);
        let is_identity = one.1.names().iter().any(|name| OWN.contains(&name.as_str()));
        if is_identity { ours.identity.push(one) } else { ours.content.push(one) }
    }
    Ok(Look {
        path: path_template(page, &written.path)?,
        query: templates(page, &written.query, Place::Text)?,
        hits: match &written.hits {
            Some(hits) => Some(list(page, hits)?),
            None => None,
        },
        next: match &written.next {
            None => None,
            Some(NextPage::Link) => Some(Next::Link),
            Some(NextPage::Number { pair, first }) => Some(Next::Number { pair: pair.clone(), first: *first }),
            Some(NextPage::Cursor { at, pair }) => Some(Next::Cursor { at: path(page, at)?, pair: pair.clone() }),
        },
        ours,
    })
}

/// The list whose items are the hits. It is read as a list, so that an answer without it isn't an empty one.
fn list(page: Page<'_>, hits: &Spanned<String>) -> Built<Path> {
    path(page, hits)?;
    let list = hits.get_ref().trim().strip_suffix("[*]").ok_or_else(|| {
        page.problem(&hits.span(), "hits finds each record of one list, and ends in `[*]`: `$.data[*]`")
    })?;
    Path::new(list).map_err(|why| page.problem(&hits.span(), why))
}

/// A path that stands left of the equals sign.
fn path_at(page: Page<'_>, at: &str, value: &Spanned<String>) -> Built<Path> {
    Path::new(at).map_err(|why| page.problem(&value.span(), format!("`{at}`: {why}")))
}

fn receipt(page: Page<'_>, written: &ReceiptDeclaration) -> Built<ReceiptPaths> {
    let mut receipt = ReceiptPaths { id: optional(page, written.id.as_ref())?, ..ReceiptPaths::default() };
    for (name, at) in &written.keep {
        receipt.keep.push((name.clone(), path(page, at)?));
    }
    for (at, value) in &written.echo {
        receipt.echo.push((at.clone(), path_at(page, at, value)?, template(page, value, Place::Text)?));
    }
    Ok(receipt)
}

fn fate(page: Page<'_>, cell: &CellDeclaration, receipt: &ReceiptPaths) -> Built<Option<FatePaths>> {
    let Some(fate) = &cell.fate else { return Ok(None) };
    let status = fate.status.get_ref();
    if !receipt.keep.iter().any(|(name, _)| name == status) {
        let why = format!("the receipt keeps no `{status}`; add it to receipt.keep");
        return Err(page.problem(&fate.status.span(), why));
    }
    Ok(Some(FatePaths { status: status.clone(), failed: fate.failed.clone() }))
}
