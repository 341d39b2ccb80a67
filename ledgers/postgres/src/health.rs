//! What of the server and of the way to it matters to what `Ok` means; for `hapax doctor`.

use crate::address::Address;
use crate::between::{self, Between};
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
    /// Whether two open connections came to one server process: a pooler in transaction mode for certain. Where none is
    /// seen, there is none, or one in session mode, or others were quicker each time.
    pub pooler_seen: bool,
    /// Whether that pooler follows prepared statements.
    pub pooler_follows: bool,
    /// What the role may not do, in words; empty: it may do everything that the ledger does.
    pub lacks: Vec<String>,
    /// Whether the triggers are at work that keep every program from changing what was written.
    pub append_only: bool,
    /// Whether the engine says which cluster and timeline it is, so that a put-back backup is noticed.
    pub knows_origin: bool,
}

const SETTINGS: &str = "SELECT version(), current_setting('server_version_num')::int4, current_setting('fsync'), \
     current_setting('full_page_writes'), current_setting('synchronous_commit'), \
     current_setting('max_connections')::int4";

/// What `grants.sql` lists.
const LACKS: &str = "SELECT w.may || ' on ' || w.name FROM (VALUES \
       ('operations', 'SELECT'), ('operations', 'INSERT'), ('operations', 'UPDATE'), \
       ('events', 'SELECT'), ('events', 'INSERT'), ('events', 'UPDATE'), \
       ('keys', 'SELECT'), ('keys', 'INSERT'), ('places', 'SELECT'), ('places', 'INSERT'), \
       ('texts', 'SELECT'), ('texts', 'INSERT'), \
       ('claims', 'SELECT'), ('claims', 'INSERT'), ('claims', 'DELETE'), \
       ('header', 'SELECT'), ('header', 'UPDATE')) AS w (name, may) \
     WHERE NOT has_table_privilege('hapax.' || w.name, w.may) \
     UNION ALL SELECT 'USAGE on events_sequence' \
     WHERE NOT has_sequence_privilege('hapax.' || 'events_sequence', 'USAGE')";

const TRIGGERS: &str = "SELECT count(*) FROM pg_trigger WHERE tgenabled IN ('O', 'A') AND (tgrelid, tgname) IN ( \
       ('hapax.events'::regclass, 'events_stay'), ('hapax.operations'::regclass, 'operations_remain'), \
       ('hapax.keys'::regclass, 'keys_remain'), ('hapax.texts'::regclass, 'texts_remain'))";

pub(crate) async fn ask(link: &Link, address: &Address, clock: &DatabaseClock) -> Result<Health, Failure> {
    let row = link.one(SETTINGS, &[]).await?;
    let number: i32 = row.try_get(1)?;
    let is_on = |column: usize| row.try_get::<_, String>(column).map(|value| value == "on");
    let (fsync, full_page_writes) = (is_on(2)?, is_on(3)?);
    let between = between::look(address).await?;
    let lacks = link.query(LACKS, &[]).await?;
    let triggers: i64 = link.one(TRIGGERS, &[]).await?.try_get(0)?;
    Ok(Health {
        version: row.try_get(0)?,
        is_supported: number >= SERVER_MIN,
        fsync,
        full_page_writes,
        synchronous_commit: row.try_get(4)?,
        max_connections: row.try_get(5)?,
        clock_ahead_ms: clock.ahead_ms(),
        pooler_seen: between != Between::NoneSeen,
        pooler_follows: between == (Between::Pooler { follows: true }),
        lacks: lacks.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?,
        append_only: triggers == 4,
        knows_origin: crate::shared::knows_origin(link).await?,
    })
}
