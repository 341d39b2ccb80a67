//! Ready profiles: what a family of APIs has in common, so that a file says only what is its own.
//!
//! A profile fills in what the cell leaves out, and whatever the cell says itself stands. What it fills in has the line
//! and the source of the cell's guard: that a server is of this family is the file's claim, and its document's.

use std::collections::BTreeMap;
use std::ops::Range;

use hapax_core::capability::{Failures, Kind, Meaning, Repeat, Twins};
use toml::Spanned;

use crate::declaration::{
    CellDeclaration, Declaration, GuardDeclaration, LifeWord, LookDeclaration, Profile, RowDeclaration,
    SourceDeclaration,
};
use crate::problem::{Page, Problem};
use crate::template::names;

/// Fills in what the cells of a declaration leave to their profiles.
pub(crate) fn fill(page: Page<'_>, written: &mut Declaration) -> Result<(), Problem> {
    for cell in written.cells.values_mut() {
        let Some(profile) = &cell.profile else { continue };
        let span = profile.span();
        match profile.get_ref() {
            Profile::IdempotencyKey07 => idempotency_key_07(cell, &span),
            Profile::ClientId => client_id(page, cell, &span)?,
            Profile::Upsert => upsert(page, cell, &span)?,
        }
    }
    Ok(())
}

/// What draft-ietf-httpapi-idempotency-key-header-07 asks of servers. That of two at once one gets a conflict is a MUST;
/// for the two statuses and for answering a repeat with the first result it says SHOULD. How long keys live is each
/// server's own to publish, and what a failure leaves of one is too, so neither is filled in.
fn idempotency_key_07(cell: &mut CellDeclaration, span: &Range<usize>) {
    let carries = |value: &Spanned<String>| names(value.get_ref()).iter().any(|name| name == "key");
    if !cell.request.headers.values().any(carries) {
        // A String of RFC 9651, which has quotes.
        let value = Spanned::new(span.clone(), "\"{{ key }}\"".to_owned());
        cell.request.headers.insert("Idempotency-Key".to_owned(), value);
    }
    let guard = guard(&mut cell.key, span);
    field(guard, "Idempotency-Key");
    or(&mut guard.twins, span, Twins::OneWins);
    or(&mut guard.repeat, span, Repeat::Replays);
    let source = guard.source.clone();
    // The first is still being worked on, and this one is not.
    row(cell, span, 409, Meaning::NotDone, source.clone());
    // The key was used with other contents. Servers also say so of contents that they can't take, so only a row with the
    // code of those may mean a refusal.
    row(cell, span, 422, Meaning::Taken, source);
}

/// An id of ours for what is made, which can be given once; a second request with it gets a 409.
fn client_id(page: Page<'_>, cell: &mut CellDeclaration, span: &Range<usize>) -> Result<(), Problem> {
    let guard = guard(&mut cell.id, span);
    field(guard, "id");
    or(&mut guard.life, span, LifeWord::Ever);
    or(&mut guard.twins, span, Twins::OneWins);
    or(&mut guard.repeat, span, Repeat::Refuses);
    or(&mut guard.failures, span, Failures::Rerun);
    guard.ends.get_or_insert_with(|| "the id is free again when what was made is deleted".to_owned());
    guard.undone_by.get_or_insert_with(|| "deletes what was made".to_owned());
    let source = guard.source.clone();
    row(cell, span, 409, Meaning::Taken, source.clone());
    if cell.look.is_some() {
        return Ok(());
    }
    let (Some(record), Some(id)) = (&cell.record, &cell.receipt.id) else {
        let why =
            "profile client-id reads what was made by our id: add [record] with its path and receipt.id, or a [look]";
        return Err(page.problem(span, why));
    };
    // A server that takes no notice of our id makes one of its own, and its answer shows it.
    let (id, path) = (id.get_ref().clone(), record.path.clone());
    cell.receipt.echo.entry(id).or_insert_with(|| Spanned::new(span.clone(), "{{ id }}".to_owned()));
    let ours = cell.receipt.echo.clone();
    cell.look = Some(Spanned::new(span.clone(), one_record(path, ours, span, source)));
    Ok(())
}

/// Values that a record is to have, under a name from outside: whoever sends them again changes nothing.
fn upsert(page: Page<'_>, cell: &mut CellDeclaration, span: &Range<usize>) -> Result<(), Problem> {
    cell.kind.get_or_insert(Kind::BeSo);
    let guard = guard(&mut cell.state, span);
    field(guard, "the record's values");
    or(&mut guard.life, span, LifeWord::Ever);
    or(&mut guard.repeat, span, Repeat::Converges);
    let source = guard.source.clone();
    if cell.look.is_some() {
        return Ok(());
    }
    if cell.receipt.echo.is_empty() {
        let why =
            "profile upsert reads the record at the request's path: say in receipt.echo what it holds, or add a [look]";
        return Err(page.problem(span, why));
    }
    let look = one_record(cell.request.path.clone(), cell.receipt.echo.clone(), span, source);
    cell.look = Some(Spanned::new(span.clone(), look));
    Ok(())
}

fn one_record(
    path: Spanned<String>,
    ours: BTreeMap<String, Spanned<String>>,
    span: &Range<usize>,
    source: Option<SourceDeclaration>,
) -> LookDeclaration {
    LookDeclaration {
        ours,
        source,
        horizon: Some(Spanned::new(span.clone(), LifeWord::Ever)),
        ..LookDeclaration::at(path)
    }
}

/// The guard that the cell says, or an empty one.
fn guard<'a>(written: &'a mut Option<Spanned<GuardDeclaration>>, span: &Range<usize>) -> &'a mut GuardDeclaration {
    written.get_or_insert_with(|| Spanned::new(span.clone(), GuardDeclaration::default())).get_mut()
}

fn field(guard: &mut GuardDeclaration, name: &str) {
    if guard.field.is_empty() {
        name.clone_into(&mut guard.field);
    }
}

fn or<T>(written: &mut Option<Spanned<T>>, span: &Range<usize>, value: T) {
    written.get_or_insert_with(|| Spanned::new(span.clone(), value));
}

/// Below the cell's own rows, of which one that is as exact stands.
fn row(
    cell: &mut CellDeclaration,
    span: &Range<usize>,
    status: u16,
    means: Meaning,
    source: Option<SourceDeclaration>,
) {
    let means = Spanned::new(span.clone(), means);
    cell.rows.insert(0, RowDeclaration { status, kind: None, code: None, means, source });
}
