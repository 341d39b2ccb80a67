//! Reads, each in one statement and so on one snapshot.

use std::borrow::Cow;
use std::collections::HashMap;

use hapax_core::ledger::{By, Filter, Header, OperationId, Serves, Stored};
use hapax_core::protocol::{Record, Stamp};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use crate::batch::print;
use crate::codec::{self, FIRST_FINAL, Identity, claim_hash, key_hash, phase_number, unsigned};
use crate::error::Failure;
use crate::link::Link;
use crate::{by_keys, read};

/// An operation's own row.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) id: OperationId,
    pub(crate) identity: Identity,
    /// What `began` left out, if that isn't the identity any more.
    first: Option<String>,
    pub(crate) revision: u64,
    pub(crate) phase: i16,
    pub(crate) claim: Option<Uuid>,
}

impl Operation {
    /// What `began` left out.
    pub(crate) fn omitted(&self) -> Result<Cow<'_, Identity>, Failure> {
        let began_as = self.identity.or_first(self.first.as_deref());
        began_as.map_err(|error| Failure::Damaged(format!("operation {}: {error}", self.id)))
    }
}

/// A row of events with its shared part put back.
#[derive(Debug)]
pub(crate) struct StoredLine {
    pub(crate) sequence: i64,
    pub(crate) revision: u64,
    pub(crate) at: Stamp,
    pub(crate) text: String,
    pub(crate) common: Option<(i32, String)>,
}

/// An operation with its rows of events.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) operation: Operation,
    pub(crate) lines: Vec<StoredLine>,
}

/// What [`wholes`] reads.
macro_rules! columns {
    () => {
        "o.id, p.connection, p.account, p.cell, o.key, o.fingerprint, o.first, o.revision, o.phase, \
         o.claim, e.sequence, e.revision, e.wall, e.awake, e.boot, e.said, e.common, t.text"
    };
}
pub(crate) use columns;

macro_rules! whole {
    ($which:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            " FROM hapax.operations o JOIN hapax.places p ON p.number = o.place \
             LEFT JOIN hapax.events e ON e.operation = o.id LEFT JOIN hapax.texts t ON t.number = e.common ",
            $which,
            " ORDER BY o.id, e.revision"
        )
    };
}

/// All of an operation, however long it is.
pub(crate) const BY_ID: &str = whole!("WHERE o.id = $1");
/// Operations after this one, in the order of their ids, at most so many.
pub(crate) const AFTER: &str =
    whole!("WHERE o.id IN (SELECT a.id FROM hapax.operations a WHERE a.id > $1 ORDER BY a.id LIMIT $2)");

/// More rows of events than almost any operation has.
macro_rules! lines {
    () => {
        64
    };
}

/// Operations that something leads to, with the first of their rows of events.
///
/// Tables that were filled a moment ago have no statistics, and the planner takes one row in two hundred for an
/// operation's: it goes through whole tables then, or compiles the plan because it looks so costly. So each is read by its
/// index, behind an `OFFSET 0`, and no row leads to more than a few, whatever the planner thinks.
macro_rules! beginnings {
    ($from:literal, $more:literal, $first:literal) => {
        concat!(
            "SELECT ",
            read::columns!(),
            $more,
            " FROM ",
            $from,
            " CROSS JOIN LATERAL (SELECT i.* FROM hapax.operations i WHERE i.id = k.operation OFFSET 0) o \
             CROSS JOIN LATERAL (SELECT i.* FROM hapax.places i WHERE i.number = o.place OFFSET 0) p \
             LEFT JOIN LATERAL (SELECT i.* FROM hapax.events i WHERE i.operation = o.id ORDER BY i.revision LIMIT ",
            read::lines!(),
            ") e ON true \
             LEFT JOIN LATERAL (SELECT i.text FROM hapax.texts i WHERE i.number = e.common OFFSET 0) t ON true ORDER BY ",
            $first,
            ", e.revision"
        )
    };
}
pub(crate) use {beginnings, lines};

pub(crate) const OF_ID: &str = beginnings!("(SELECT $1::uuid AS operation) k", "", "o.id");
pub(crate) const OF_KEY: &str =
    beginnings!("(SELECT i.operation FROM hapax.keys i WHERE i.hash = $1 OFFSET 0) k", "", "o.id");
pub(crate) const OF_CLAIM: &str =
    beginnings!("(SELECT i.operation FROM hapax.claims i WHERE i.hash = $1 OFFSET 0) k", "", "o.id");

/// Prepares what every call begins with, where that is wanted.
pub(crate) async fn prepare(link: &Link) -> Result<(), Failure> {
    link.prepare(HEADER, &[]).await?;
    link.prepare(by_keys::OF_KEYS, &[Type::UUID_ARRAY]).await?;
    link.prepare(OF_ID, &[Type::UUID]).await
}

/// An operation with all its records.
pub(crate) async fn load(link: &Link, by: &By<'_>) -> Result<Option<Stored>, Failure> {
    let (sql, hash) = match by {
        By::Id(id) => (OF_ID, id.0),
        By::Key { connection, cell, key } => (OF_KEY, key_hash(connection, cell, key.as_str())),
        By::Claim { account, id } => (OF_CLAIM, claim_hash(account, id)),
    };
    let one = async |sql, id: Uuid| -> Result<Option<Whole>, Failure> {
        Ok(wholes(&link.query(sql, &[(&id, Type::UUID)]).await?)?.pop())
    };
    let mut whole = one(sql, hash).await?;
    if let Some(id) = whole.as_ref().filter(|whole| whole.may_be_cut()).map(|whole| whole.operation.id) {
        whole = one(BY_ID, id.0).await?;
    }
    whole.map(|whole| whole.stored(by)).transpose()
}

impl Whole {
    /// Whether there may be more rows of events than were read.
    pub(crate) fn may_be_cut(&self) -> bool {
        self.lines.len() == lines!()
    }

    /// As it was asked for.
    pub(crate) fn stored(&self, by: &By<'_>) -> Result<Stored, Failure> {
        let id = self.operation.id;
        // The digest finds; the words decide.
        if let By::Key { connection, cell, key } = by {
            let Identity { connection: held, cell: of, key: under, .. } = &self.operation.identity;
            if (held.as_str(), of.as_str(), under.as_str()) != (*connection, *cell, key.as_str()) {
                return Err(Failure::Damaged(format!("a key leads to operation {id}, which has another")));
            }
        }
        Ok(Stored { operation: id, records: self.records()? })
    }

    /// All records; a gap is damage, never a shorter history.
    pub(crate) fn records(&self) -> Result<Vec<Record>, Failure> {
        let Self { operation, lines } = self;
        let omitted = operation.omitted()?;
        let mut records = Vec::new();
        for line in lines {
            if line.revision != records.len() as u64 + 1 {
                return Err(Failure::Damaged(format!("operation {} has no event {}", operation.id, records.len() + 1)));
            }
            records.extend(codec::records(&line.text, line.at, &omitted)?);
        }
        if records.len() as u64 != operation.revision {
            let (held, of) = (records.len(), operation.revision);
            return Err(Failure::Damaged(format!("operation {} has {held} events instead of {of}", operation.id)));
        }
        Ok(records)
    }
}

/// Puts the rows of a join together.
pub(crate) fn wholes<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Result<Vec<Whole>, Failure> {
    let mut wholes: Vec<Whole> = Vec::new();
    for row in rows {
        let id = OperationId(row.try_get(0)?);
        if wholes.last().is_none_or(|last| last.operation.id != id) {
            wholes.push(Whole { operation: operation(id, row)?, lines: Vec::new() });
        }
        if let (Some(whole), Some(line)) = (wholes.last_mut(), line(row)?) {
            whole.lines.push(line);
        }
    }
    Ok(wholes)
}

fn operation(id: OperationId, row: &Row) -> Result<Operation, Failure> {
    let revision: i32 = row.try_get(7)?;
    Ok(Operation {
        id,
        identity: Identity {
            connection: row.try_get(1)?,
            account: row.try_get(2)?,
            cell: row.try_get(3)?,
            key: row.try_get(4)?,
            fingerprint: print(row.try_get(5)?)?,
        },
        first: row.try_get(6)?,
        revision: u64::try_from(revision).unwrap_or_default(),
        phase: row.try_get(8)?,
        claim: row.try_get(9)?,
    })
}

fn line(row: &Row) -> Result<Option<StoredLine>, Failure> {
    let Some(sequence) = row.try_get(10)? else { return Ok(None) };
    let revision: i32 = row.try_get(11)?;
    let (said, text): (&str, Option<String>) = (row.try_get(15)?, row.try_get(17)?);
    let number: Option<i32> = row.try_get(16)?;
    if number.is_some() != text.is_some() {
        return Err(Failure::Damaged(format!("the text {number:?} is missing")));
    }
    Ok(Some(StoredLine {
        sequence,
        revision: u64::try_from(revision).unwrap_or_default(),
        at: stamp(row, 12)?,
        text: codec::join(said, text.as_deref())?,
        common: number.zip(text),
    }))
}

fn stamp(row: &Row, from: usize) -> Result<Stamp, Failure> {
    let (boot_ms, boot): (i64, i64) = (row.try_get(from + 1)?, row.try_get(from + 2)?);
    Ok(Stamp { wall_ms: row.try_get(from)?, boot_ms: unsigned(boot_ms), boot: unsigned(boot) })
}

/// Rows that somebody else is taking or writing at this moment are left to them. The locks end with the statement and
/// needn't survive anything, so they cost no flush.
const DUE: &str = "SELECT o.id FROM hapax.operations o \
     WHERE o.due_ms IS NOT NULL AND o.due_ms <= $1 \
       AND o.place = ANY (ARRAY(SELECT p.number FROM hapax.places p \
             JOIN unnest($2, $3) AS s (connection, cell) ON s.connection = p.connection AND s.cell = p.cell)) \
       AND (SELECT set_config('synchronous_commit', 'off', true)) = 'off' \
     ORDER BY o.due_ms, o.id LIMIT $4 FOR UPDATE OF o SKIP LOCKED";

const NEXT_DUE: &str = "SELECT o.due_ms FROM hapax.operations o \
     WHERE o.due_ms IS NOT NULL AND o.due_ms > $1 \
       AND o.place = ANY (ARRAY(SELECT p.number FROM hapax.places p \
             JOIN unnest($2, $3) AS s (connection, cell) ON s.connection = p.connection AND s.cell = p.cell)) \
     ORDER BY o.due_ms LIMIT 1";

/// When the first of what is served and not due yet will be.
pub(crate) async fn next_due(link: &Link, serves: &[Serves], after: Stamp) -> Result<Option<i64>, Failure> {
    let connections: Vec<&str> = serves.iter().map(|one| one.connection.as_str()).collect();
    let cells: Vec<&str> = serves.iter().map(|one| one.cell.as_str()).collect();
    let with = [
        (&after.wall_ms as &(dyn ToSql + Sync), Type::INT8),
        (&connections, Type::TEXT_ARRAY),
        (&cells, Type::TEXT_ARRAY),
    ];
    let rows = link.query(NEXT_DUE, &with).await?;
    rows.first().map(|row| row.try_get(0)).transpose().map_err(Failure::from)
}

/// What is due by now, oldest first, of what is served.
pub(crate) async fn due(link: &Link, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, Failure> {
    let connections: Vec<&str> = serves.iter().map(|one| one.connection.as_str()).collect();
    let cells: Vec<&str> = serves.iter().map(|one| one.cell.as_str()).collect();
    let limit = i64::from(limit);
    let with = [
        (&now.wall_ms as _, Type::INT8),
        (&connections as _, Type::TEXT_ARRAY),
        (&cells as _, Type::TEXT_ARRAY),
        (&limit as _, Type::INT8),
    ];
    ids(&link.query(DUE, &with).await?)
}

/// Said literally where nothing asked for has ended, so that the small index of what waits is taken.
const LIST: [&str; 2] = [
    "SELECT o.id FROM hapax.operations o JOIN hapax.places p ON p.number = o.place \
     WHERE ($1::int2[] IS NULL OR o.phase = ANY ($1)) AND ($2::text IS NULL OR p.cell = $2) \
       AND ($3::text IS NULL OR p.connection = $3) ORDER BY o.id DESC LIMIT $4",
    "SELECT o.id FROM hapax.operations o JOIN hapax.places p ON p.number = o.place \
     WHERE o.phase < 3 AND o.phase = ANY ($1) AND ($2::text IS NULL OR p.cell = $2) \
       AND ($3::text IS NULL OR p.connection = $3) ORDER BY o.id DESC LIMIT $4",
];

/// Where these operations stand: the revision of each that is there.
pub(crate) async fn revisions(link: &Link, operations: &[Uuid]) -> Result<HashMap<Uuid, u64>, Failure> {
    const REVISIONS: &str = "SELECT o.id, o.revision FROM hapax.operations o WHERE o.id = ANY ($1)";
    let rows = link.query(REVISIONS, &[(&operations, Type::UUID_ARRAY)]).await?;
    let revision = |row: &Row| row.try_get::<_, i32>(1).map(|stored| u64::try_from(stored).unwrap_or_default());
    rows.iter().map(|row| Ok((row.try_get(0)?, revision(row)?))).collect()
}

/// Operations for people, newest first.
pub(crate) async fn list(link: &Link, filter: &Filter) -> Result<Vec<OperationId>, Failure> {
    let phases: Vec<i16> = filter.phases.iter().map(|phase| phase_number(*phase) as i16).collect();
    let waiting = !phases.is_empty() && phases.iter().all(|phase| i64::from(*phase) < FIRST_FINAL);
    let phases = (!phases.is_empty()).then_some(phases);
    let limit = (filter.limit > 0).then_some(i64::from(filter.limit));
    let with = [
        (&phases as &(dyn ToSql + Sync), Type::INT2_ARRAY),
        (&filter.cell, Type::TEXT),
        (&filter.connection, Type::TEXT),
        (&limit, Type::INT8),
    ];
    ids(&link.query(LIST[usize::from(waiting)], &with).await?)
}

fn ids(rows: &[Row]) -> Result<Vec<OperationId>, Failure> {
    rows.iter().map(|row| Ok(OperationId(row.try_get(0)?))).collect()
}

const HEADER: &str = "SELECT h.secret_check, h.restored_wall, h.restored_awake, h.restored_boot, n.wall, n.awake, n.boot, \
       (extract(epoch FROM clock_timestamp()) * 1000)::int8 \
     FROM hapax.header h LEFT JOIN LATERAL \
       (SELECT e.wall, e.awake, e.boot FROM hapax.events e ORDER BY e.sequence DESC LIMIT 1) n ON true";

/// What is known of the ledger as a whole, and the database's time in milliseconds since 1970.
pub(crate) async fn header(link: &Link) -> Result<(Header, i64), Failure> {
    let row = link.one(HEADER, &[]).await?;
    let restored = row.try_get::<_, Option<i64>>(1)?.map(|_| stamp(&row, 1)).transpose()?;
    let newest = row.try_get::<_, Option<i64>>(4)?.map(|_| stamp(&row, 4)).transpose()?;
    Ok((Header { secret_check: row.try_get(0)?, restored, newest }, row.try_get(7)?))
}
