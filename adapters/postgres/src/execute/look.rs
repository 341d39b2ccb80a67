//! The look: reads the row, and sees whether a transaction may still bring it.

use hapax_core::cell::Connection;
use hapax_core::words::{Fault, Finding};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::ExecuteReceipt;
use crate::{session, sqlstate};

/// The operation's advisory lock, from its key: 12 digits of base 36 are less than 2^63. Another key
/// with the same lock, or somebody else's lock, costs a wait and nothing more.
pub(super) fn lock_of(key: &str) -> i64 {
    key.get(..12).and_then(|start| i64::from_str_radix(start, 36).ok()).unwrap_or(0)
}

/// Whether it happened.
///
/// A transaction holds the lock from before its `COMMIT` could leave until its rows can be seen. So
/// the row is looked for again once the lock is had: if it isn't there then, no transaction that was
/// begun until now will bring it.
pub(super) async fn find(connection: &Connection, key: &str) -> Result<Finding<ExecuteReceipt>, Fault> {
    const LOCK: &str = "SELECT pg_try_advisory_xact_lock_shared($1)";
    asking(connection, |client| async move {
        let client = &client;
        if is_standby(client).await? {
            return Ok(Finding::CannotTell("this is a standby, which may be behind".to_owned()));
        }
        if let Some(receipt) = stored(client, key).await? {
            return Ok(Finding::Happened(receipt));
        }
        let lock = lock_of(key);
        let had = client.query_typed_one(LOCK, &[(&lock, Type::INT8)]).await;
        if !had.and_then(|row| row.try_get(0)).map_err(|error| sqlstate::fault("the lock", &error))? {
            return Ok(Finding::NotYet("a transaction of this operation is still open".to_owned()));
        }
        Ok(stored(client, key).await?.map_or(Finding::Absent, Finding::Happened))
    })
    .await
}

/// The row of a key.
pub(super) async fn read(connection: &Connection, key: &str) -> Result<Option<ExecuteReceipt>, Fault> {
    asking(connection, |client| async move {
        let client = &client;
        if is_standby(client).await? {
            return Err(Fault::Unread("this is a standby, which may be behind".to_owned()));
        }
        stored(client, key).await
    })
    .await
}

/// The receipt in the row of a key.
pub(super) async fn stored(client: &Client, key: &str) -> Result<Option<ExecuteReceipt>, Fault> {
    const READ: &str = "SELECT receipt::text FROM public.hapax_done WHERE key = $1";
    let row = client.query_typed_opt(READ, &[(&key, Type::TEXT)]).await;
    let Some(row) = row.map_err(|error| sqlstate::fault("hapax_done", &error))? else { return Ok(None) };
    let text: Option<String> = row.try_get(0).map_err(|error| sqlstate::fault("hapax_done", &error))?;
    let receipt: Option<ExecuteReceipt> = text.and_then(|text| serde_json::from_str(&text).ok());
    match receipt {
        Some(receipt) if receipt.id == key => Ok(Some(receipt)),
        _ => Err(Fault::Unread("the row in hapax_done has no receipt of ours".to_owned())),
    }
}

async fn is_standby(client: &Client) -> Result<bool, Fault> {
    let said = client.query_typed_one("SELECT pg_is_in_recovery()", &[]).await;
    said.and_then(|row| row.try_get(0)).map_err(|error| sqlstate::fault("asking", &error))
}

/// Asks in a transaction that only reads, with a new view of the data for every question.
async fn asking<T, F: Future<Output = Result<T, Fault>> + Send>(
    connection: &Connection,
    ask: impl FnOnce(Client) -> F + Send,
) -> Result<T, Fault> {
    const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; SET LOCAL statement_timeout = '20s'; \
         SET LOCAL idle_in_transaction_session_timeout = '20s'";
    let whole = async {
        let (client, mut running) = session::harmless(connection).await?;
        let asking = async {
            client.batch_execute(BEGIN).await.map_err(|error| sqlstate::fault("BEGIN", &error))?;
            ask(client).await
        };
        let asked = running.until(asking).await;
        running.end().await;
        asked
    };
    match tokio::time::timeout(session::PATIENCE, whole).await {
        Ok(asked) => asked,
        Err(_) => Err(Fault::Lost("no answer in time".to_owned())),
    }
}
