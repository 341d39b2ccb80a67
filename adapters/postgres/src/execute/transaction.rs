//! The shot: one transaction.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use futures_util::StreamExt;
use hapax_core::cell::Connection;
use hapax_core::transport::Gate;
use hapax_core::words::{Answer, Covers, Fault, Refusal};
use serde_json::Map;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Column, Error};

use super::look::{lock_of, stored};
use super::{Execute, ExecuteReceipt, Statement, StatementResult};
use crate::session::{self, Running};
use crate::sqlstate::{self, Stage};
use crate::values::{self, Parameter, Raw};

/// Rows that all statements together may return.
const MOST_ROWS: usize = 1_000;
/// Bytes of JSON that they may come to.
const MOST_BYTES: usize = 64 * 1024;

/// How an attempt ends before `COMMIT`.
type Ended = Answer<ExecuteReceipt>;

/// Runs the statements and commits them, if the gate is still open.
pub(super) async fn run(connection: &Connection, gate: Gate, args: &Execute, planned: ExecuteReceipt) -> Ended {
    let late = || Answer::NotDone("the deadline passed before COMMIT left".to_owned(), None);
    let (client, mut running) = match while_open(&gate, session::behind(connection, &gate)).await {
        Some(Ok(opened)) => opened,
        Some(Err(fault)) => return Answer::NotDone(fault.to_string(), None),
        None => return late(),
    };
    let ended = match while_open(&gate, running.until(work(&client, &gate, args, planned))).await {
        Some(Ok(receipt)) if gate.is_open() => {
            // From here on only the server knows.
            let committed = running.until(client.batch_execute("COMMIT")).await;
            committed
                .map_or_else(|error| sqlstate::answer(Stage::Commit, "COMMIT", &error), |()| Answer::Happened(receipt))
        }
        // What is dropped here is closed here, and the server is alone with what it still does.
        Some(Ok(_)) | None => return late(),
        Some(Err(ended)) => ended,
    };
    // The answer is had: leaving must not take so long that it comes to nothing.
    let _ = tokio::time::timeout(gate.remaining() / 2, leave(client, running, &ended)).await;
    ended
}

/// Works until the gate closes, while it can still be said that `COMMIT` has not left. Whoever drives
/// this wakes when the gate closes.
async fn while_open<T>(gate: &Gate, work: impl Future<Output = T> + Send) -> Option<T> {
    let mut work = pin!(work);
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending if gate.is_open() => Poll::Pending,
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// Frees what is held sooner than the end of the session would, and says goodbye.
async fn leave(client: Client, mut running: Running, ended: &Ended) {
    if !matches!(ended, Answer::Happened(_)) {
        let _ = running.until(client.batch_execute("ROLLBACK")).await;
    }
    drop(client);
    running.end().await;
}

/// Everything up to `COMMIT`: each step is answered before the next is sent.
async fn work(
    client: &Client,
    gate: &Gate,
    args: &Execute,
    mut receipt: ExecuteReceipt,
) -> Result<ExecuteReceipt, Ended> {
    begin(client, gate, args).await?;
    let Some(transaction) = enter(client, &receipt).await? else {
        return Err(earlier(client, &receipt.id).await);
    };
    let mut room = Room { rows: MOST_ROWS, bytes: MOST_BYTES };
    for (index, statement) in args.statements.iter().enumerate() {
        let what = format!("statement {}", index + 1);
        receipt.statements.push(execute(client, &what, statement, &mut room).await?);
    }
    store(client, &receipt, &transaction).await?;
    Ok(receipt)
}

fn failed(what: &str) -> impl Fn(Error) -> Ended {
    move |error| sqlstate::answer(Stage::Before, what, &error)
}

/// An error of a step of our own: nothing of the caller's is wrong, and it goes again when what is
/// wrong is put right.
fn not_ours(what: &str) -> impl Fn(Error) -> Ended {
    move |error| match sqlstate::answer(Stage::Before, what, &error) {
        Answer::Refused(reason, _) => Answer::NotDone(reason.message, None),
        other => other,
    }
}

fn refused(code: &str, words: String) -> Ended {
    Answer::Refused(Refusal::new(code, words), Covers::Attempt)
}

/// Begins, and tells the server when to give up by itself, so that an attempt whose client is dead
/// ends before settle is over.
async fn begin(client: &Client, gate: &Gate, args: &Execute) -> Result<(), Ended> {
    let ms = gate.remaining().as_millis().clamp(1, 3_600_000);
    let begin = format!(
        "BEGIN ISOLATION LEVEL {} READ WRITE; SET LOCAL statement_timeout = {ms}; \
         SET LOCAL idle_in_transaction_session_timeout = {}; SET LOCAL lock_timeout = {};",
        args.isolation.sql(),
        // Longer than an attempt may be held up without a word, so that a slow network costs nothing.
        ms * 2,
        (ms / 2).max(1)
    );
    client.batch_execute(&begin).await.map_err(not_ours("BEGIN"))?;
    // An acknowledged commit is on disk, whatever the role's default; and from 17 on the whole
    // transaction has a bound.
    let settings = format!(
        "SELECT set_config(name, CASE name WHEN 'transaction_timeout' THEN '{ms}' ELSE 'on' END, true) FROM pg_settings \
         WHERE name = 'transaction_timeout' OR (name = 'synchronous_commit' AND setting = 'off')"
    );
    client.batch_execute(&settings).await.map_err(not_ours("settings"))
}

/// Takes the operation's lock and its row. None: the row is there already. Some: the transaction's
/// number.
async fn enter(client: &Client, receipt: &ExecuteReceipt) -> Result<Option<String>, Ended> {
    const INSERT: &str = "INSERT INTO public.hapax_done (key, fingerprint) VALUES ($1, $2) \
         ON CONFLICT (key) DO NOTHING RETURNING pg_current_xact_id()::text";
    let lock = lock_of(&receipt.id);
    let held = client.query_typed("SELECT pg_advisory_xact_lock($1)", &[(&lock, Type::INT8)]).await;
    held.map_err(not_ours("waiting for an earlier attempt"))?;
    let row = [(&receipt.id as _, Type::TEXT), (&receipt.fingerprint as _, Type::TEXT)];
    let inserted = client.query_typed_opt(INSERT, &row).await.map_err(not_ours("hapax_done"))?;
    inserted.map(|row| row.try_get(0)).transpose().map_err(not_ours("hapax_done"))
}

/// What an earlier attempt did.
async fn earlier(client: &Client, key: &str) -> Ended {
    match stored(client, key).await {
        Ok(Some(receipt)) => Answer::Happened(receipt),
        Ok(None) => Answer::Taken("a row of this operation is there and can't be read".to_owned(), None),
        Err(fault) => Answer::Unclear(fault),
    }
}

/// What may still be returned.
struct Room {
    rows: usize,
    bytes: usize,
}

async fn execute(client: &Client, what: &str, said: &Statement, room: &mut Room) -> Result<StatementResult, Ended> {
    let prepared = client.prepare(&said.sql).await.map_err(failed(what))?;
    let (wanted, given) = (prepared.params().len(), said.params.len());
    if wanted != given {
        return Err(refused("parameters", format!("{what}: it has {wanted} parameters, and {given} are given")));
    }
    check_columns(what, prepared.columns())?;
    let params: Vec<Parameter<'_>> = said.params.iter().map(Parameter).collect();
    let rows = client.query_raw(&prepared, params.iter()).await.map_err(failed(what))?;
    let mut rows = pin!(rows);
    let mut result = StatementResult::default();
    while let Some(row) = rows.next().await {
        let row = row.map_err(failed(what))?;
        // A function without a result, such as `pg_notify`, gives a row with nothing in it.
        let mut told = Map::new();
        for (index, column) in prepared.columns().iter().enumerate() {
            let raw: Raw<'_> = row.try_get(index).map_err(failed(what))?;
            let value = values::json(column.type_(), &raw).ok_or_else(|| unread(what, column))?;
            told.insert(column.name().to_owned(), value);
        }
        let bytes = serde_json::to_vec(&told).map_or(usize::MAX, |bytes| bytes.len());
        if room.rows == 0 || room.bytes < bytes {
            let words = format!("{what}: more than {MOST_ROWS} rows or {} KiB come back", MOST_BYTES / 1024);
            return Err(refused("result-too-large", words));
        }
        (room.rows, room.bytes) = (room.rows - 1, room.bytes - bytes);
        result.rows.push(told);
    }
    result.affected = rows.rows_affected().unwrap_or(0);
    match said.rows {
        Some(wanted) if !wanted.holds(result.affected) => {
            let words = format!("{what}: {} rows, where {} are wanted", result.affected, wanted.words());
            Err(refused("rows", words))
        }
        _ => Ok(result),
    }
}

/// Before it runs: columns that can be told, each under a name of its own.
fn check_columns(what: &str, columns: &[Column]) -> Result<(), Ended> {
    for (index, column) in columns.iter().enumerate() {
        if !values::is_known(column.type_()) {
            return Err(unread(what, column));
        }
        if columns.iter().take(index).any(|other| other.name() == column.name()) {
            let words = format!("{what}: two columns are named {}; name them apart", column.name());
            return Err(refused("result-columns", words));
        }
    }
    Ok(())
}

fn unread(what: &str, column: &Column) -> Ended {
    let (name, kind) = (column.name(), column.type_());
    refused("result-type", format!("{what}: column {name} has the type {kind}; return {name}::text instead"))
}

/// Writes what was done into the row, and checks that the transaction is still the one that was begun.
async fn store(client: &Client, receipt: &ExecuteReceipt, transaction: &str) -> Result<(), Ended> {
    const UPDATE: &str = "UPDATE public.hapax_done SET receipt = $2::text::json WHERE key = $1 \
         RETURNING pg_current_xact_id()::text";
    let text = serde_json::to_string(receipt).map_err(|_| refused("receipt", "the receipt is no JSON".to_owned()))?;
    let row = [(&receipt.id as _, Type::TEXT), (&text as _, Type::TEXT)];
    let updated = client.query_typed_opt(UPDATE, &row).await.map_err(not_ours("hapax_done"))?;
    let same = updated.map(|row| row.try_get::<_, String>(0)).transpose().map_err(not_ours("hapax_done"))?;
    if same.as_deref() == Some(transaction) {
        return Ok(());
    }
    // A statement ended the transaction or took the row away: nobody knows what is committed.
    Err(Answer::Unclear(Fault::Unread("the transaction is not the one that was begun".to_owned())))
}
