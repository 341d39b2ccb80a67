//! A batch as columns, for statements that take whole arrays.

use hapax_core::ledger::OperationId;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::codec::{Line, print_bytes, signed, stored_phase, stored_revision};
use crate::error::Failure;
use crate::link::Link;
use crate::plan::{Asked, Plan};
use crate::shared::Head;

/// One row of events as it is written.
pub(crate) struct Written {
    pub(crate) operation: OperationId,
    pub(crate) sequence: i64,
    pub(crate) line: Line,
    /// The number of the shared end, if it has one; then `line.common` isn't written.
    pub(crate) common: Option<i32>,
}

/// Columns of `operations`, for new rows or for changed ones.
#[derive(Default)]
struct Operations {
    id: Vec<Uuid>,
    claim: Vec<Option<Uuid>>,
    began: Vec<i64>,
    due: Vec<Option<i64>>,
    alike: Vec<i64>,
    place: Vec<i32>,
    stored: Vec<i32>,
    revision: Vec<i32>,
    phase: Vec<i16>,
    print: Vec<Vec<u8>>,
    key: Vec<String>,
    first: Vec<Option<String>>,
}

/// Everything that a batch writes.
#[derive(Default)]
pub(crate) struct Columns {
    made: Operations,
    changed: Operations,
    key_hash: Vec<Uuid>,
    freed: Vec<Uuid>,
    taken: Vec<Uuid>,
    taken_by: Vec<Uuid>,
    pub(crate) events: Vec<Written>,
}

pub(crate) const MAKE: &str = "INSERT INTO hapax.operations \
     (id, claim, began_ms, due_ms, alike, place, revision, phase, fingerprint, key, first) \
     SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
pub(crate) const MAKE_TYPES: [Type; 11] = [
    Type::UUID_ARRAY,
    Type::UUID_ARRAY,
    Type::INT8_ARRAY,
    Type::INT8_ARRAY,
    Type::INT8_ARRAY,
    Type::INT4_ARRAY,
    Type::INT4_ARRAY,
    Type::INT2_ARRAY,
    Type::BYTEA_ARRAY,
    Type::TEXT_ARRAY,
    Type::TEXT_ARRAY,
];
pub(crate) const CHANGE: &str = "UPDATE hapax.operations o SET claim = w.claim, due_ms = w.due, alike = w.alike, \
     place = w.place, revision = w.revision, phase = w.phase, fingerprint = w.print, \
     first = coalesce(o.first, w.first) \
     FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
       AS w (id, claim, due, alike, place, stored, revision, phase, print, first) \
     WHERE o.id = w.id AND o.revision = w.stored";
pub(crate) const CHANGE_TYPES: [Type; 10] = [
    Type::UUID_ARRAY,
    Type::UUID_ARRAY,
    Type::INT8_ARRAY,
    Type::INT8_ARRAY,
    Type::INT4_ARRAY,
    Type::INT4_ARRAY,
    Type::INT4_ARRAY,
    Type::INT2_ARRAY,
    Type::BYTEA_ARRAY,
    Type::TEXT_ARRAY,
];
pub(crate) const KEYS: &str = "INSERT INTO hapax.keys (hash, operation) SELECT * FROM unnest($1, $2)";
pub(crate) const FREE: &str = "DELETE FROM hapax.claims WHERE hash = ANY ($1)";
pub(crate) const TAKE: &str = "INSERT INTO hapax.claims (hash, operation) SELECT * FROM unnest($1, $2)";
pub(crate) const PAIR_TYPES: [Type; 2] = [Type::UUID_ARRAY, Type::UUID_ARRAY];
pub(crate) const EVENTS: &str = "INSERT INTO hapax.events \
     (operation, sequence, wall, awake, boot, revision, common, said) \
     SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)";
pub(crate) const EVENTS_TYPES: [Type; 8] = [
    Type::UUID_ARRAY,
    Type::INT8_ARRAY,
    Type::INT8_ARRAY,
    Type::INT8_ARRAY,
    Type::INT8_ARRAY,
    Type::INT4_ARRAY,
    Type::INT4_ARRAY,
    Type::TEXT_ARRAY,
];

impl Columns {
    /// Lays out what the plan accepts. `lines` and `places` are by the append's place in the batch.
    pub(crate) fn of(
        asked: &[Asked],
        plan: &Plan,
        lines: Vec<Vec<(Line, Option<i32>)>>,
        places: &[i32],
        head: &Head,
    ) -> Result<Self, Failure> {
        let mut columns = Self::default();
        for (id, place) in &plan.last {
            let Some(held) = plan.operations.get(id) else { continue };
            let one = &asked[*place];
            let made = held.stored == 0;
            if made {
                columns.key_hash.push(one.key);
            }
            // The first event left out what the row said when it was written: keep that beside it.
            let changed = held.began_as != held.identity;
            let first = changed.then(|| held.began_as.text()).transpose()?;
            let to = if made { &mut columns.made } else { &mut columns.changed };
            to.push(one, places[*place], held.stored, held.revision, first)?;
            // The first event's time, though a later append of the batch speaks for the operation.
            if let (true, Some(began)) = (made, columns.made.began.last_mut()) {
                *began = began_ms(asked, plan, *id);
            }
        }
        columns.freed.clone_from(&plan.freed);
        columns.taken = plan.taken.iter().map(|(hash, _)| *hash).collect();
        columns.taken_by = plan.taken.iter().map(|(_, by)| by.0).collect();
        let mut numbers = head.sequence.iter().copied();
        for (place, lines) in lines.into_iter().enumerate() {
            for (line, common) in lines {
                // One number for each line, of refused appends too: gaps are of no account.
                let sequence = numbers.next().ok_or_else(|| Failure::Damaged("too few numbers were given".into()))?;
                if plan.answers[place].is_ok() {
                    let operation = asked[place].append.operation;
                    columns.events.push(Written { operation, sequence, line, common });
                }
            }
        }
        Ok(columns)
    }

    /// Sends everything at once, each statement before the next one, and waits for all answers.
    pub(crate) async fn write(&self, link: &Link) -> Result<(), Failure> {
        let keys = async {
            match self.key_hash.is_empty() {
                true => Ok(()),
                false => pairs(link, KEYS, &self.key_hash, &self.made.id).await,
            }
        };
        let free = async {
            match self.freed.is_empty() {
                true => Ok(()),
                false => link.query(FREE, &[(&self.freed, Type::UUID_ARRAY)]).await.map(|_| ()),
            }
        };
        let take = async {
            match self.taken.is_empty() {
                true => Ok(()),
                false => pairs(link, TAKE, &self.taken, &self.taken_by).await,
            }
        };
        let (made, changed, keys, free, take, events) = tokio::join!(
            biased;
            self.made.make(link),
            self.changed.change(link),
            keys,
            free,
            take,
            write_events(link, &self.events)
        );
        // The first failure is the cause; those behind it only say that the transaction is over.
        made.and(changed).and(keys).and(free).and(take).and(events)
    }
}

fn began_ms(asked: &[Asked], plan: &Plan, id: OperationId) -> i64 {
    let firsts = plan.accepted().map(|place| &asked[place].append);
    let mut first = firsts.filter(|append| append.operation == id && append.seen == 0);
    first.next().and_then(|append| append.records.first()).map_or(i64::MIN, |record| record.at.wall_ms)
}

async fn pairs(link: &Link, sql: &'static str, hashes: &[Uuid], operations: &[Uuid]) -> Result<(), Failure> {
    link.query(sql, &[(&hashes, Type::UUID_ARRAY), (&operations, Type::UUID_ARRAY)]).await.map(|_| ())
}

impl Operations {
    fn push(
        &mut self,
        one: &Asked,
        place: i32,
        stored: u64,
        revision: u64,
        first: Option<String>,
    ) -> Result<(), Failure> {
        let index = &one.append.index;
        self.id.push(one.append.operation.0);
        self.claim.push(one.claim);
        self.began.push(0);
        self.due.push(index.due_ms);
        self.alike.push(one.alike);
        self.place.push(place);
        self.stored.push(stored_revision(stored)?);
        self.revision.push(stored_revision(revision)?);
        self.phase.push(stored_phase(index));
        self.print.push(print_bytes(index.fingerprint).to_vec());
        self.key.push(one.identity.key.clone());
        self.first.push(first);
        Ok(())
    }

    async fn make(&self, link: &Link) -> Result<(), Failure> {
        if self.id.is_empty() {
            return Ok(());
        }
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 11] = [
            &self.id,
            &self.claim,
            &self.began,
            &self.due,
            &self.alike,
            &self.place,
            &self.revision,
            &self.phase,
            &self.print,
            &self.key,
            &self.first,
        ];
        let with: Vec<_> = values.into_iter().zip(MAKE_TYPES).collect();
        link.query(MAKE, &with).await.map(|_| ())
    }

    async fn change(&self, link: &Link) -> Result<(), Failure> {
        if self.id.is_empty() {
            return Ok(());
        }
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 10] = [
            &self.id,
            &self.claim,
            &self.due,
            &self.alike,
            &self.place,
            &self.stored,
            &self.revision,
            &self.phase,
            &self.print,
            &self.first,
        ];
        let with: Vec<_> = values.into_iter().zip(CHANGE_TYPES).collect();
        link.query(CHANGE, &with).await.map(|_| ())
    }
}

/// Writes rows of events.
pub(crate) async fn write_events(link: &Link, events: &[Written]) -> Result<(), Failure> {
    if events.is_empty() {
        return Ok(());
    }
    let operation: Vec<Uuid> = events.iter().map(|one| one.operation.0).collect();
    let sequence: Vec<i64> = events.iter().map(|one| one.sequence).collect();
    let wall: Vec<i64> = events.iter().map(|one| one.line.at.wall_ms).collect();
    let awake: Vec<i64> = events.iter().map(|one| signed(one.line.at.boot_ms)).collect();
    let boot: Vec<i64> = events.iter().map(|one| signed(one.line.at.boot)).collect();
    let revision: Result<Vec<i32>, Failure> = events.iter().map(|one| stored_revision(one.line.revision)).collect();
    let revision = revision?;
    let common: Vec<Option<i32>> = events.iter().map(|one| one.common).collect();
    let said: Vec<&str> = events.iter().map(|one| one.line.said.as_str()).collect();
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 8] =
        [&operation, &sequence, &wall, &awake, &boot, &revision, &common, &said];
    let with: Vec<_> = values.into_iter().zip(EVENTS_TYPES).collect();
    link.query(EVENTS, &with).await.map(|_| ())
}
