//! What of the server and of the way to it matters to what `Ok` means; for `hapax doctor`.

use crate::clock::DatabaseClock;
use crate::error::Failure;
use crate::link::Link;
use crate::migrate::SERVER_MIN;

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// The server's version, as it says it.
    pub version: String,
    /// Whether the SQL is tried with that version.
    pub is_supported: bool,
    /// Whether the server flushes at all. Without that, power that fails takes what was confirmed.
    pub fsync: bool,
    /// Whether pages survive a write that was cut.
    pub full_page_writes: bool,
    /// The setting for this user in this database. Where it is off or local, the ledger raises it in its own transactions.
    pub synchronous_commit: String,
    /// How many connections the server takes at once, those that it keeps for superusers included.
    pub max_connections: i32,
    /// How far this machine's wall clock is ahead of the database's, in milliseconds.
    pub clock_ahead_ms: i64,
    /// Whether two transactions of one connection came to two server processes: a pooler in transaction mode for
    /// certain. None seen proves nothing.
    pub pooler_seen: bool,
    /// Whether the engine says which cluster and timeline it is, so that a put-back backup is noticed.
    pub knows_origin: bool,
}

const SETTINGS: &str = "SELECT version(), current_setting('server_version_num')::int4, current_setting('fsync'), \
     current_setting('full_page_writes'), current_setting('synchronous_commit'), \
     current_setting('max_connections')::int4";

pub(crate) async fn ask(link: &Link, clock: &DatabaseClock) -> Result<Health, Failure> {
    let row = link.one(SETTINGS, &[]).await?;
    let number: i32 = row.try_get(1)?;
    let is_on = |column: usize| row.try_get::<_, String>(column).map(|value| value == "on");
    let (fsync, full_page_writes) = (is_on(2)?, is_on(3)?);
    let mut processes = Vec::new();
    for _ in 0..8 {
        let process: i32 = link.one("SELECT pg_backend_pid()", &[]).await?.try_get(0)?;
        processes.push(process);
    }
    processes.dedup();
    Ok(Health {
        version: row.try_get(0)?,
        is_supported: number >= SERVER_MIN,
        fsync,
        full_page_writes,
        synchronous_commit: row.try_get(4)?,
        max_connections: row.try_get(5)?,
        clock_ahead_ms: clock.ahead_ms(),
        pooler_seen: processes.len() > 1,
        knows_origin: crate::shared::knows_origin(link).await?,
    })
}
