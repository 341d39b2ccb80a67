//! `hapax ledger import`: everything that another ledger held, into a new one.
//!
//! What has happened since the export is known to nobody here, so the ledger that comes of it is a restored one. It
//! stays closed to everybody until each operation says so: the import leaves a check value that no secret has, and the
//! note of the restore replaces it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hapax_core::ledger::{Header, Index, LedgerError, Stored};
use serde_json::json;
use tokio::sync::mpsc;

use super::export::{AHEAD, TOLD_EVERY};
use super::restored;
use crate::config;
use crate::exit::{Exit, Failure};
use crate::exported::{self, Operation, Whole};
use crate::ledger::OpenLedger;
use crate::open::{Comes, Context};
use crate::progress::Progress;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What `hapax ledger export` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let config = config::find(context.config.as_deref())?;
    let secret = config.secret()?;
    let progress = Arc::new(Progress::start(&context.output, "reading the export"));
    let file = args.file.clone();
    let whole = apart(move || exported::read(&file, |_| true)).await?;
    let made_with = &whole.head.secret_check;
    if !made_with.is_empty() && *made_with != secret.check_value() {
        // Marks and tokens are derived from it: with another one, nothing that was sent since the export is ever found.
        let why = "the export was made with another namespace secret; configure that one, and import again";
        return Err(Failure {
            exit: Exit::Ledger,
            ..Failure::input("other-secret", format!("nothing was imported: {why}"))
        });
    }
    let ledger = OpenLedger::open(&config, false).await.map_err(|failure| nothing(&failure))?;
    take_in(&ledger, &args.file, &whole, &progress).await?;
    // Its writer must be gone before another one is at work here.
    drop(ledger);
    progress.goes_on("noting that the ledger was restored".to_owned());
    let (opened, concerned) = restored::note(context, Comes::Restored).await.map_err(|failure| unfinished(&failure))?;
    drop(progress);
    let output = &context.output;
    output.line(format!("imported: {}", opened.config.ledger));
    output.pair("holds", format!("{} operations, {} events", whole.end.operations, whole.end.events));
    restored::tell(output, concerned);
    output
        .pair("careful", "the ledger that was exported must never be used again: two that act on one intent act twice");
    let answer = json!({ "operations": whole.end.operations, "events": whole.end.events, "concerned": concerned });
    output.answer(Exit::Succeeded, &answer);
    Ok(Exit::Succeeded)
}

/// All of it, or nothing.
async fn take_in(ledger: &OpenLedger, file: &Path, whole: &Whole, progress: &Arc<Progress>) -> Result<(), Failure> {
    let (operations, waiting) = mpsc::channel(AHEAD);
    let (path, known, progress) = (file.to_owned(), whole.clone(), Arc::clone(progress));
    let reading = tokio::spawn(apart(move || feed(&path, &known, &operations, &progress)));
    let header = Header { secret_check: whole.not_yet_noted(), restored: whole.head.restored, newest: None };
    let taken = ledger.import(header, waiting).await;
    let fed = reading.await.map_err(|_| Failure::internal("nothing was imported: a thread was lost"))?;
    match (taken, fed) {
        // Why nothing more came is the reason.
        (_, Err(failure)) => Err(failure),
        (Ok(_), Ok(())) => Ok(()),
        (Err(error), Ok(())) => is_in(ledger, whole, &error).await,
    }
}

/// After an error: nothing was imported, unless the ledger says that just this was (the answer was lost, or somebody
/// imports again what was not noted), or says nothing.
async fn is_in(ledger: &OpenLedger, whole: &Whole, error: &LedgerError) -> Result<(), Failure> {
    let message = match ledger.shared().header().await {
        Ok(header) if header.secret_check == whole.not_yet_noted() => return Ok(()),
        Ok(_) => format!("nothing was imported: {error}"),
        Err(_) => format!(
            "it isn't known whether anything was imported: {error}; when the ledger can be used again, `hapax ledger \
             verify` says whether it holds anything: if so, run `hapax ledger restored`, else import again"
        ),
    };
    Err(Failure { message, ..Failure::from(error.clone()) })
}

/// Hands over each operation, the one with the newest record last, so that the ledger ends with what was its newest.
/// If the ledger takes no more, it says why itself.
fn feed(
    file: &Path,
    known: &Whole,
    to: &mpsc::Sender<Option<(Stored, Index)>>,
    progress: &Progress,
) -> Result<(), Failure> {
    let (mut newest, mut count, of) = (None, 0, known.end.operations);
    let mut is_taken = true;
    let read = exported::read(file, |operation| {
        count += 1;
        if count % TOLD_EVERY == 0 {
            progress.goes_on(format!("importing: {count} of {of} operations"));
        }
        if newest.is_none() && is_newest(&operation, known) {
            newest = Some(operation);
        } else {
            is_taken = to.blocking_send(Some(operation.parts())).is_ok();
        }
        is_taken
    });
    if !is_taken {
        return Ok(());
    }
    if read? != *known {
        let why = "was changed while it was imported; leave it alone, and import again";
        return Err(Failure::input("bad-export", format!("nothing was imported: {} {why}", file.display())));
    }
    let rest = newest.map(|operation| Some(operation.parts())).into_iter().chain([None]);
    for one in rest {
        if to.blocking_send(one).is_err() {
            break;
        }
    }
    Ok(())
}

fn is_newest(operation: &Operation, known: &Whole) -> bool {
    known.head.newest.is_some() && operation.records.last().map(|record| record.at) == known.head.newest
}

/// On a thread where waiting for the disk is allowed.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Failure::internal("nothing was imported: a thread was lost"))?
}

fn nothing(failure: &Failure) -> Failure {
    let why = failure.message.strip_prefix("nothing was sent: ").unwrap_or(&failure.message);
    Failure { message: format!("nothing was imported: {why}"), ..failure.clone() }
}

/// It is there, and closed to everybody until the restore is noted.
fn unfinished(failure: &Failure) -> Failure {
    let message = format!("everything was imported, but not noted as restored: {}", failure.message);
    Failure {
        message: format!("{message}; nobody can use the ledger until `hapax ledger restored` has run"),
        ..failure.clone()
    }
}
