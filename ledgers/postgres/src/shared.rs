//! What all parts of an open ledger share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hapax_core::ledger::LedgerError;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::address::Address;
use crate::clock::DatabaseClock;
use crate::counters::Tally;
use crate::error::{Failure, unusable};
use crate::link::Link;
use crate::options::Options;

pub(crate) struct Shared {
    pub(crate) address: Address,
    pub(crate) shown: String,
    pub(crate) options: Options,
    pub(crate) tally: Tally,
    pub(crate) clock: Arc<DatabaseClock>,
    /// Whether the engine says which cluster and timeline it is.
    pub(crate) knows_origin: bool,
    /// Whether a ledger that comes from elsewhere is let in, because somebody is about to note that.
    accepts_restored: AtomicBool,
    /// Whether there is a connection that writes. Until then those that read are content with one.
    pub(crate) can_write: AtomicBool,
    high: Mutex<High>,
}

/// The highest number whose row was confirmed to this process, on which timeline, and since which restore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct High {
    sequence: i64,
    timeline: Option<i64>,
    restored: Restored,
}

/// When a restore was noted, as stored.
type Restored = (Option<i64>, Option<i64>, Option<i64>);

/// What the ledger says of itself at the beginning of each transaction that writes.
pub(crate) struct Head {
    /// Numbers for the rows of events that are about to be written.
    pub(crate) sequence: Vec<i64>,
    timeline: Option<i64>,
    restored: Restored,
}

impl High {
    /// Whether what a server says lies before what was seen already: it was put back, or is a primary of before.
    fn is_ahead_of(&self, head: &Head) -> bool {
        if self.restored == head.restored {
            // Numbers are never given twice, and a timeline is followed by a higher one. The numbers alone could pass:
            // a server that crashed leaves some out.
            let again = head.sequence.iter().any(|number| *number <= self.sequence);
            return again || head.timeline.is_some_and(|timeline| Some(timeline) < self.timeline);
        }
        head.restored.0 < self.restored.0
    }
}

/// Columns that say where we are. The control file and the insertion point, not the last checkpoint: after a quick
/// promotion that one still names the timeline of before.
pub(crate) const HEAD: &str = "SELECT h.system, h.timeline, h.restored_wall, h.restored_awake, h.restored_boot, \
     (extract(epoch FROM clock_timestamp()) * 1000)::int8, \
     ARRAY(SELECT nextval('hapax.events_sequence') FROM generate_series(1, $1)), \
     (SELECT system_identifier FROM pg_control_system()), \
     ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int8 \
     FROM hapax.header h";

/// The same where the engine doesn't say.
pub(crate) const HEAD_WITHOUT_ORIGIN: &str = "SELECT h.system, h.timeline, h.restored_wall, h.restored_awake, \
     h.restored_boot, (extract(epoch FROM clock_timestamp()) * 1000)::int8, \
     ARRAY(SELECT nextval('hapax.events_sequence') FROM generate_series(1, $1)), \
     NULL::int8, NULL::int8 FROM hapax.header h";

const ORIGIN: &str = "SELECT (SELECT system_identifier FROM pg_control_system()), \
     ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int8";

/// Whether this engine says which cluster and timeline it is.
pub(crate) async fn knows_origin(link: &Link) -> Result<bool, Failure> {
    match link.query(ORIGIN, &[]).await {
        Ok(_) => Ok(true),
        // A connection that failed, or a question that was cut off, says nothing about the engine.
        Err(failure) if failure.is_lacking() => Ok(false),
        Err(failure) => Err(failure),
    }
}

impl Shared {
    pub(crate) fn new(address: Address, options: Options, knows_origin: bool, accepts_restored: bool) -> Self {
        Self {
            shown: address.to_string(),
            address,
            options,
            tally: Tally::default(),
            clock: Arc::new(DatabaseClock::new()),
            knows_origin,
            accepts_restored: AtomicBool::new(accepts_restored),
            can_write: AtomicBool::new(false),
            high: Mutex::default(),
        }
    }

    pub(crate) async fn connect(&self) -> Result<Link, Failure> {
        Link::connect(&self.address, self.options.prepared).await
    }

    pub(crate) fn head_sql(&self) -> &'static str {
        if self.knows_origin { HEAD } else { HEAD_WITHOUT_ORIGIN }
    }

    /// Asks a connection where it leads, and refuses another ledger than this one was.
    pub(crate) async fn check(&self, link: &Link) -> Result<(), Failure> {
        let (before, high) = (self.clock.local(), self.high());
        let row = link.one(self.head_sql(), &[(&0_i32, Type::INT4)]).await?;
        self.clock.note(before, row.try_get(5)?);
        if let Some(timeline) = self.lossless(&row)? {
            link.query("UPDATE hapax.header SET timeline = $1 WHERE timeline < $1", &[(&timeline, Type::INT8)]).await?;
            self.confirmed(&self.compare(&row, high)?);
            return Ok(());
        }
        self.confirmed(&self.understand(&row, high)?);
        Ok(())
    }

    /// The new timeline, if a replica that has everything took over.
    fn lossless(&self, row: &Row) -> Result<Option<i64>, Failure> {
        let (system, timeline): (Option<i64>, Option<i64>) = (row.try_get(0)?, row.try_get(1)?);
        let (system_now, timeline_now): (Option<i64>, Option<i64>) = (row.try_get(7)?, row.try_get(8)?);
        let newer = system == system_now && timeline_now > timeline && timeline.is_some();
        Ok(timeline_now.filter(|_| self.options.lossless_failover && newer))
    }

    /// Whether the ledger was last used on another cluster or timeline, and nobody is about to note that.
    fn is_elsewhere(&self, row: &Row) -> Result<bool, Failure> {
        let noted: (Option<i64>, Option<i64>) = (row.try_get(0)?, row.try_get(1)?);
        let now: (Option<i64>, Option<i64>) = (row.try_get(7)?, row.try_get(8)?);
        let elsewhere = noted.0.is_some() && now.0.is_some() && noted != now;
        Ok(elsewhere && !self.accepts_restored.load(Ordering::Relaxed))
    }

    /// Reads the head of a transaction, and refuses a ledger that comes from elsewhere or lies behind what it was.
    pub(crate) fn understand(&self, row: &Row, high: High) -> Result<Head, Failure> {
        if self.lossless(row)?.is_some() {
            return Err(Failure::TakenOver);
        }
        if self.is_elsewhere(row)? {
            let same_system = row.try_get::<_, Option<i64>>(0)? == row.try_get(7)?;
            return Err(Failure::Answer(elsewhere_than(&self.shown, same_system)));
        }
        self.compare(row, high)
    }

    fn compare(&self, row: &Row, high: High) -> Result<Head, Failure> {
        let restored = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
        let head = Head { sequence: row.try_get(6)?, timeline: row.try_get(8)?, restored };
        match high.is_ahead_of(&head) {
            true => Err(Failure::Answer(went_back(&self.shown))),
            false => Ok(head),
        }
    }

    /// What was confirmed to this process up to now. Taken before numbers are asked for, they must be higher.
    pub(crate) fn high(&self) -> High {
        *self.high.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what was confirmed to us.
    pub(crate) fn confirmed(&self, head: &Head) {
        let mut high = self.high.lock().unwrap_or_else(PoisonError::into_inner);
        if high.restored.0 > head.restored.0 {
            // Another connection has seen the restore meanwhile.
            return;
        }
        if high.restored != head.restored {
            *high = High { restored: head.restored, ..High::default() };
        }
        high.timeline = high.timeline.max(head.timeline);
        high.sequence = high.sequence.max(head.sequence.iter().copied().max().unwrap_or(0));
    }

    /// A restore was noted: the ledger is at home where it is now.
    pub(crate) fn is_at_home(&self) {
        self.accepts_restored.store(false, Ordering::Relaxed);
    }
}

fn elsewhere_than(shown: &str, same_system: bool) -> LedgerError {
    let what = if same_system { "timeline (a replica took over, or a backup was put back)" } else { "cluster" };
    unusable(
        format!("{shown} was last used on another {what}, so it may have forgotten what was confirmed"),
        "stop everything that uses the ledger, check that it is the right one, run `hapax ledger restored`, and start \
         again; if only a synchronous replica took over, say so in the configuration",
    )
}

/// That another host of the address took over before.
pub(crate) fn left_behind(shown: &str) -> LedgerError {
    unusable(
        format!("the server that {shown} leads to was left behind: another of its hosts is on a newer timeline"),
        "stop the server that was left behind; what was written to it meanwhile is nowhere else",
    )
}

fn went_back(shown: &str) -> LedgerError {
    unusable(
        format!("{shown} went back to an earlier state while it was in use"),
        "stop everything that uses the ledger, run `hapax ledger restored`, and start again",
    )
}
