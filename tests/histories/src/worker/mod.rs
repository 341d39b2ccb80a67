//! A worker: a process with an executor that takes up what is due and does what its parent's callers ask for.
//!
//! It is a program of its own and not `hapax`, because several callers share one executor here, as in an application that
//! has hapax inside, and because a planted bug must be put below the executor. What is under test, executor, ledgers and
//! adapters, is the same.
//!
//! On its standard input it gets a [`Setup`], then one [`Ask`] a line; it gives back one [`Told`] a line.

mod planted;
mod wire;

use std::collections::HashSet;
use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hapax_core::clock::ScaledClock;
use hapax_core::executor::{Executor, ExecutorError, RunReport};
use hapax_core::identity::{NamespaceSecret, OperationKey};
use hapax_core::ledger::{Filter, LedgerError, OperationId, Phase, SharedLedger};
use hapax_core::transport::HttpTransport;
use hapax_ledger_postgres::PostgresLedger;
use hapax_ledger_sealed::SealedLedger;
use hapax_ledger_sqlite::SqliteLedger;
use tokio::sync::mpsc;

pub use planted::Planted;
pub use wire::{Account, Answer, Ask, Place, Setup, Told, Want};

/// How long to sleep between two looks at what is due.
const POLL: Duration = Duration::from_millis(15);

/// How many operations are taken up at once.
const AT_ONCE: u32 = 16;

/// Works until its standard input ends.
///
/// # Errors
/// Why it could not begin.
pub async fn work() -> Result<(), String> {
    let mut lines = listen();
    let first = lines.recv().await.ok_or("it was told nothing")?;
    let setup: Setup = serde_json::from_str(&first).map_err(|error| format!("no setup: {error}"))?;
    let executor = patiently(&setup).await?;
    tokio::spawn(take_up(executor.clone()));
    while let Some(line) = lines.recv().await {
        let ask: Ask = serde_json::from_str(&line).map_err(|error| format!("no question: {error}"))?;
        let executor = executor.clone();
        tokio::spawn(async move { tell(&Told { id: ask.id, answer: answer(&executor, ask.want).await }) });
    }
    Ok(())
}

/// The lines of the standard input, read by a thread of their own: reading one can't be taken back.
fn listen() -> mpsc::UnboundedReceiver<String> {
    let (send, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// A line on the standard output. Nobody listens any more when the parent has gone.
fn tell(told: &Told) {
    let mut line = serde_json::to_string(told).unwrap_or_default();
    line.push('\n');
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(line.as_bytes()).and_then(|()| output.flush());
}

/// An executor over the ledger, which may be out of reach for a while.
async fn patiently(setup: &Setup) -> Result<Executor, String> {
    /// So many times the pause below: longer than any network stays cut.
    const TRIES: u32 = 400;
    let mut why = String::new();
    for _ in 0..TRIES {
        match executor(setup).await {
            Ok(executor) => return Ok(executor),
            Err(error) => why = error,
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(why)
}

/// An executor as the setup says.
///
/// # Errors
/// What is wrong with the setup, or why the ledger can't be used.
pub async fn executor(setup: &Setup) -> Result<Executor, String> {
    let ledger = open(setup).await?;
    let ledger = setup.planted.map_or(ledger.clone(), |planted| planted.over(ledger));
    let secret = NamespaceSecret::parse(&setup.secret).map_err(|error| error.to_string())?;
    let clock = Arc::new(ScaledClock::new(setup.scale));
    let mut builder = Executor::builder(ledger, Arc::new(HttpTransport::new()), secret).clock(clock);
    for account in &setup.accounts {
        builder = builder.connection(account.connection()?);
    }
    builder.build().await.map_err(|error| error.to_string())
}

/// Opens the ledger.
///
/// # Errors
/// Why it can't be used.
pub async fn open(setup: &Setup) -> Result<SharedLedger, String> {
    let said = |error: LedgerError| error.to_string();
    let ledger: SharedLedger = match &setup.ledger {
        Place::File(path) => Arc::new(SqliteLedger::open_with(path, Place::OF_FILE).map_err(said)?),
        place @ Place::Schema { .. } => {
            Arc::new(PostgresLedger::open(place.address()?, Place::OPTIONS).await.map_err(said)?)
        }
    };
    Ok(match setup.keys()? {
        Some(keys) => Arc::new(SealedLedger::open(ledger, keys).await.map_err(said)?),
        None => ledger,
    })
}

/// Takes up what is due, for as long as the process lives.
async fn take_up(executor: Executor) {
    let under_way: Arc<Mutex<HashSet<OperationId>>> = Arc::default();
    let lock = |all: &Mutex<HashSet<OperationId>>, one, begins| {
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        if begins { all.insert(one) } else { all.remove(&one) }
    };
    loop {
        // A ledger that is away is asked again.
        for one in executor.due(AT_ONCE).await.unwrap_or_default() {
            if lock(&under_way, one, true) {
                let (executor, under_way) = (executor.clone(), under_way.clone());
                tokio::spawn(async move {
                    // What fails stays due.
                    let _ = executor.take_up(one, 0).await;
                    lock(&under_way, one, false);
                });
            }
        }
        tokio::time::sleep(POLL).await;
    }
}

async fn answer(executor: &Executor, want: Want) -> Answer {
    match want {
        Want::Run { connection, cell, key, args, good_until_ms, wait_ms } => {
            let key = match OperationKey::new(key) {
                Ok(key) => key,
                Err(error) => return refused(&error.into()),
            };
            let mut request = hapax_core::executor::RunRequest::new(&connection, &cell, key, args).wait_ms(wait_ms);
            if let Some(moment) = good_until_ms {
                request = request.good_until_ms(moment);
            }
            reported(executor.run(request).await)
        }
        Want::Resolve { operation, seen, by, looked, says } => {
            reported(executor.resolve(operation, seen, &by, looked, says.into()).await)
        }
        Want::Approve { operation, seen, by } => reported(executor.approve(operation, seen, &by, 10_000).await),
        Want::Inbox => {
            let phases = vec![Phase::Person, Phase::Held];
            match executor.list(&Filter { phases, ..Filter::default() }).await {
                Ok(views) => Answer::Inbox(views),
                Err(error) => refused(&error),
            }
        }
    }
}

fn reported(said: Result<RunReport, ExecutorError>) -> Answer {
    match said {
        Ok(report) => Answer::Report(report),
        Err(error) => refused(&error),
    }
}

fn refused(error: &ExecutorError) -> Answer {
    Answer::Error { code: error.code().to_owned(), text: error.to_string() }
}
