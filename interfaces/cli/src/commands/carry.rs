//! A command that sends, and is told to stop: whoever called it gets an answer all the same.

use std::future::Future;
use std::time::Duration;

use hapax_core::executor::{ExecutorError, OperationView, RunReport};
use hapax_core::ledger::OperationId;
use hapax_core::words::{Next, Outcome};
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

use super::reported;
use super::stop::Stop;
use crate::exit::{Exit, Failure};
use crate::open::{Context, Opened};
use crate::time;

/// How long what is under way may go on after the first signal.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Grace {
    /// How long what is under way may go on after SIGTERM or Ctrl-C; a second one ends it at once
    #[arg(long, value_name = "TIME", default_value = "25s", value_parser = grace)]
    grace: Duration,
}

/// The longest wait for threads to end. They stand in calls that can't be taken back, such as the look-up of a name.
const ENDS_WITHIN: Duration = Duration::from_secs(15);

/// Reads a grace period.
pub(crate) fn grace(text: &str) -> Result<Duration, String> {
    time::span(text, Duration::ZERO, Duration::from_secs(86_400))
}

/// Opens everything, unless the process was told to stop before: what has not begun is not begun any more.
pub(crate) async fn open(context: &Context, stop: &mut Stop) -> Result<Opened, Failure> {
    tokio::select! {
        biased;
        () = stop.told(1) => Err(Failure::input("stopped", "nothing was sent: hapax was told to stop before it began")),
        opened = context.open() => opened,
    }
}

/// Does this, and says what came of it. Told to stop, it has the grace to come to an end; then, or at a second word, it
/// is ended, and what became of the operation is read from the ledger, where `find` finds it.
///
/// The work has threads of its own, which are gone before the ledger is read: what it says then is all that was done.
pub(crate) async fn carry_out<Work, Find>(
    context: &Context,
    Grace { grace }: Grace,
    mut stop: Stop,
    work: Work,
    find: impl FnOnce(Opened) -> Find,
) -> Result<Exit, Failure>
where
    Work: Future<Output = Result<RunReport, Failure>> + Send + 'static,
    Find: Future<Output = Result<Option<OperationView>, Failure>>,
{
    let threads = Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::internal(format!("nothing was sent: no threads could be started ({error})")))?;
    let mut task = threads.spawn(work);
    let ended = tokio::select! {
        ended = &mut task => Some(ended),
        () = stop.told(1) => {
            context.output.note(format!("told to stop: what is under way has up to {grace:?}; once more ends it at once"));
            tokio::select! {
                ended = &mut task => Some(ended),
                () = stop.told(2) => None,
                () = sleep(grace) => None,
            }
        }
    };
    match ended {
        Some(ended) => {
            let report = ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
            let exit = report.map(|report| reported(context, &report));
            end(threads).await;
            exit
        }
        None => {
            let times = stop.times();
            let look = async {
                end(threads).await;
                find(context.open().await?).await
            };
            let found = tokio::select! {
                biased;
                () = stop.told(times + 1) => Err(not_known("it was told so once more before it had read the ledger")),
                found = look => found.map_err(|failure| not_known(without_the_effect(&failure.message))),
            };
            let nothing =
                || Failure::input("stopped", "nothing was sent: hapax was told to stop before it was journaled");
            let view = found?.ok_or_else(nothing)?;
            Ok(reported(context, &report(view)))
        }
    }
}

/// Ends all that the threads do, and waits for them. A ledger is closed by it as at every end.
async fn end(threads: Runtime) {
    // It can't be done on a thread that drives futures.
    let _ = tokio::task::spawn_blocking(move || threads.shutdown_timeout(ENDS_WITHIN)).await;
}

/// Of a failure to read: what it says of the effect is about the reading.
fn without_the_effect(message: &str) -> &str {
    message.strip_prefix("nothing was sent: ").unwrap_or(message)
}

fn not_known(why: &str) -> Failure {
    let message = format!(
        "it is not known whether it was sent: hapax was told to stop, and then: {why}; run the same command again with the same key, or `hapax recover`; \
         neither makes a second effect"
    );
    Failure { exit: Exit::Unknown, code: "not-known", message }
}

/// An operation as its caller is told of it.
fn report(view: OperationView) -> RunReport {
    let OperationView { operation, revision, epoch, outcome, alarms, fate, pruned, .. } = view;
    let outcome = match outcome {
        Outcome::Unknown { next: next @ Next::CallAgain { .. }, receipt, .. } => {
            Outcome::Unknown { why: "hapax was told to stop while it was under way".to_owned(), next, receipt }
        }
        other => other,
    };
    RunReport { operation, revision, epoch, outcome, alarms, similar: Vec::new(), fate, pruned }
}

/// The operation of this id.
pub(crate) async fn by_id(opened: Opened, id: OperationId) -> Result<Option<OperationView>, Failure> {
    match opened.executor.show(id).await {
        Ok(view) => Ok(Some(view)),
        Err(ExecutorError::UnknownOperation(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
