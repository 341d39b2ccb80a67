//! `hapax ledger export`: everything in the ledger, for another one to take in.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use hapax_core::ledger::{Header, Index, LedgerError, Stored};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::config;
use crate::exit::{Exit, Failure};
use crate::exported::{self, Writer};
use crate::ledger::OpenLedger;
use crate::open::Context;
use crate::progress::Progress;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file that doesn't exist yet; `-` is standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    to: PathBuf,
}

/// How many operations may wait between the ledger and the file.
pub(super) const AHEAD: usize = 64;

/// After so many operations progress is told.
pub(super) const TOLD_EVERY: u64 = 1_000;

type Target = Box<dyn Write + Send>;

pub(super) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let output = &context.output;
    let file = (args.to != Path::new("-")).then_some(args.to.as_path());
    if file.is_none() && (output.json || io::stdout().is_terminal()) {
        let why = "standard output is wanted for something else; name a file with --to FILE";
        return Err(Failure::input("usage", format!("nothing was exported: {why}")));
    }
    let config = config::find(context.config.as_deref())?;
    let ledger = OpenLedger::open(&config, false).await?;
    let target: Target = match file {
        Some(path) => Box::new(BufWriter::new(make(path)?)),
        None => Box::new(BufWriter::new(io::stdout())),
    };
    let progress = Progress::start(output, "exporting");
    let done = export(&ledger, target, progress).await.and_then(|end| file.map_or(Ok(()), sync).map(|()| end));
    let end = done.inspect_err(|_| remove(file))?;
    let answer = json!({ "operations": end.operations, "events": end.events, "file": file });
    if let Some(file) = file {
        output.line(format!("exported: {}", file.display()));
        output.pair("holds", format!("{} operations, {} events", end.operations, end.events));
        output
            .pair("careful", "arguments and receipts are personal data; the file has mode 0600, and is not encrypted");
        output.pair("next", "hapax ledger import FILE, into a new ledger; this one must not be used after that");
    }
    output.answer(Exit::Succeeded, &answer);
    Ok(Exit::Succeeded)
}

async fn export(ledger: &OpenLedger, to: Target, progress: Progress) -> Result<exported::End, Failure> {
    let (head, header) = oneshot::channel();
    let (operations, waiting) = mpsc::channel(AHEAD);
    let writing = tokio::task::spawn_blocking(move || write(to, header, waiting, &progress));
    let read = ledger.export(head, operations).await;
    let written = writing.await.map_err(|_| Failure::internal("nothing was exported: a thread was lost"))?;
    // The ledger's own reason comes first: where it failed, what was written breaks off.
    read.map_err(|error| of_ledger(&error))?;
    let writer = written?.ok_or_else(|| Failure::internal("nothing was exported: the ledger said nothing"))?;
    Ok(writer.end().map_err(|error| cannot_write(&error))?.1)
}

/// Writes what comes. Nothing, if not even the header does.
fn write(
    to: Target,
    header: oneshot::Receiver<Header>,
    mut operations: mpsc::Receiver<(Stored, Index)>,
    progress: &Progress,
) -> Result<Option<Writer<Target>>, Failure> {
    let Ok(header) = header.blocking_recv() else { return Ok(None) };
    if exported::taken_in_with(&header.secret_check).is_some() {
        let why = "an import into this ledger was not finished; run `hapax ledger restored` first";
        return Err(Failure::input("not-now", format!("nothing was exported: {why}")));
    }
    let mut writer = Writer::begin(to, header).map_err(|error| cannot_write(&error))?;
    let mut count = 0;
    while let Some((stored, index)) = operations.blocking_recv() {
        writer.operation(stored, index).map_err(|error| cannot_write(&error))?;
        count += 1;
        if count % TOLD_EVERY == 0 {
            progress.goes_on(format!("exporting: {count} operations"));
        }
    }
    Ok(Some(writer))
}

/// A new file for its owner alone.
fn make(path: &Path) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            let why = "exists already, and an export overwrites nothing; name another file";
            Failure::input("exists", format!("nothing was exported: {} {why}", path.display()))
        }
        _ => cannot_write(&error),
    })
}

/// What is said to be exported survives the loss of power.
fn sync(path: &Path) -> Result<(), Failure> {
    let sync = || {
        File::open(path)?.sync_all()?;
        #[cfg(unix)]
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        #[cfg(unix)]
        File::open(folder)?.sync_all()?;
        Ok(())
    };
    sync().map_err(|error: io::Error| cannot_write(&error))
}

/// What breaks off is no export, and would be refused: it only stands in the way.
fn remove(file: Option<&Path>) {
    if let Some(Err(error)) = file.map(std::fs::remove_file) {
        tracing::debug!(%error, "an unfinished export was not removed");
    }
}

fn of_ledger(error: &LedgerError) -> Failure {
    Failure { message: format!("nothing was exported: {error}"), ..Failure::from(error.clone()) }
}

fn cannot_write(error: &io::Error) -> Failure {
    Failure::input("cannot-write", format!("nothing was exported: the file can't be written ({error})"))
}
