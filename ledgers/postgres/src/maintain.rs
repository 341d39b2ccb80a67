//! What is done seldom, each on a connection of its own: adopting a secret, noting a restore, retention.

use hapax_core::ledger::{OperationId, Pruned, Retention};
use hapax_core::protocol::{Record, Stamp, redact};
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use crate::batch::{BEGIN, LOCK};
use crate::codec::{self, Identity, bucket, signed, stored_revision};
use crate::error::Failure;
use crate::link::Link;
use crate::migrate;
use crate::read::{self, Whole};
use crate::rows::{Written, write_events};

/// Notes the secret of a ledger that has none yet; the one that is noted then.
pub(crate) async fn adopt(link: &Link, secret_check: &str) -> Result<String, Failure> {
    let with = [(&secret_check as _, Type::TEXT)];
    // Two statements: the first one waits for another process that does the same, the second one sees what it did.
    link.query("UPDATE hapax.header SET secret_check = $1 WHERE secret_check = ''", &with).await?;
    Ok(link.one("SELECT secret_check FROM hapax.header", &[]).await?.try_get(0)?)
}

/// Notes a restore.
pub(crate) async fn note_restored(link: &Link, at: Stamp, secret_check: &str) -> Result<(), Failure> {
    link.run(BEGIN).await?;
    let (awake, boot) = (signed(at.boot_ms), signed(at.boot));
    link.query(
        "UPDATE hapax.header SET secret_check = $1, restored_wall = $2, restored_awake = $3, restored_boot = $4",
        &[(&secret_check, Type::TEXT), (&at.wall_ms, Type::INT8), (&awake, Type::INT8), (&boot, Type::INT8)],
    )
    .await?;
    link.run("COMMIT").await
}

/// Notes that the ledger is at home where it is now.
pub(crate) async fn settle_down(link: &Link) -> Result<(), Failure> {
    link.run(BEGIN).await?;
    migrate::settle_down(link).await?;
    link.run("COMMIT").await
}

/// At most so many operations are looked at, and rewritten in one transaction.
const PART: i64 = 100;

/// Operations of these places that are old enough for theirs; by ids, or all above one.
const OLD: &str = "SELECT o.id FROM hapax.operations o \
     JOIN unnest($2::int4[], $3::int8[]) AS k (place, until) ON k.place = o.place \
     WHERE o.id > $1 AND ($4::uuid[] IS NULL OR o.id = ANY ($4)) AND o.phase >= 3 AND o.due_ms IS NULL \
       AND NOT o.pruned AND (SELECT e.wall FROM hapax.events e WHERE e.operation = o.id \
                             ORDER BY e.revision DESC LIMIT 1) <= k.until ORDER BY o.id LIMIT $5";

/// What a part of retention goes by.
struct Kept {
    places: Vec<i32>,
    until: Vec<i64>,
}

impl Kept {
    /// The places that don't keep for ever, each with the latest time of a last record that it doesn't keep.
    async fn of(link: &Link, retention: &Retention) -> Result<Self, Failure> {
        let mut kept = Self { places: Vec::new(), until: Vec::new() };
        for row in link.query("SELECT p.number, p.connection, p.cell FROM hapax.places p", &[]).await? {
            if let Some(until) = retention.until_wall_ms(row.try_get(1)?, row.try_get(2)?) {
                kept.places.push(row.try_get(0)?);
                kept.until.push(until);
            }
        }
        Ok(kept)
    }

    async fn old(&self, link: &Link, after: Uuid, of: Option<&[Uuid]>) -> Result<Vec<Uuid>, Failure> {
        let with = [
            (&after as &(dyn ToSql + Sync), Type::UUID),
            (&self.places, Type::INT4_ARRAY),
            (&self.until, Type::INT8_ARRAY),
            (&of, Type::UUID_ARRAY),
            (&PART, Type::INT8),
        ];
        let rows = link.query(OLD, &with).await?;
        Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
    }
}

/// Prunes some operations, or counts those that it would.
pub(crate) async fn prune(link: &Link, retention: &Retention) -> Result<Pruned, Failure> {
    let kept = Kept::of(link, retention).await?;
    let after = retention.after.map_or(Uuid::nil(), |after| after.0);
    let only = retention.only.map(|only| [only.0]);
    let ids = kept.old(link, after, only.as_ref().map(<[Uuid; 1]>::as_slice)).await?;
    let next = if ids.len() < PART as usize { None } else { ids.last().map(|id| OperationId(*id)) };
    let mut pruned = Pruned { operations: 0, next };
    if ids.is_empty() {
        return Ok(pruned);
    }
    if retention.dry_run {
        for id in ids {
            pruned.operations += u64::from(taken(link, OperationId(id), retention).await?.is_some());
        }
        return Ok(pruned);
    }
    link.run(BEGIN).await?;
    let mut buckets: Vec<i32> = ids.iter().map(|id| bucket(*id)).collect();
    buckets.sort_unstable();
    buckets.dedup();
    link.query(LOCK, &[(&buckets, Type::INT4_ARRAY)]).await?;
    link.run("SELECT set_config('hapax_ledger.pruning', 'on', true)").await?;
    // Some may have gone on before we had their locks.
    for id in kept.old(link, Uuid::nil(), Some(&ids)).await? {
        if let Some((whole, records)) = taken(link, OperationId(id), retention).await? {
            one(link, &whole, records).await?;
            pruned.operations += 1;
        }
    }
    link.run("COMMIT").await?;
    Ok(pruned)
}

/// An operation that is old enough, with its records, if it loses what it holds.
async fn taken(link: &Link, id: OperationId, retention: &Retention) -> Result<Option<(Whole, Vec<Record>)>, Failure> {
    let rows = link.query(read::BY_ID, &[(&id.0, Type::UUID)]).await?;
    let Some(whole) = read::wholes(&rows)?.pop() else { return Ok(None) };
    let records = whole.records()?;
    let identity = &whole.operation.identity;
    let takes = retention.takes(&identity.connection, &identity.cell, &records);
    Ok(takes.then_some((whole, records)))
}

/// Rewrites the rows of one operation in place, so that the order of the journal stays.
async fn one(link: &Link, whole: &Whole, mut records: Vec<Record>) -> Result<(), Failure> {
    redact(&mut records);
    let omit = whole.operation.omitted()?;
    rewrite(link, whole, &records, &omit).await?;
    add_what_redacting_added(link, whole, &records, &omit).await?;
    let revision = stored_revision(records.len() as u64)?;
    link.query(
        "UPDATE hapax.operations SET revision = $2, pruned = true WHERE id = $1",
        &[(&whole.operation.id.0, Type::UUID), (&revision, Type::INT4)],
    )
    .await?;
    Ok(())
}

async fn rewrite(link: &Link, whole: &Whole, records: &[Record], omit: &Identity) -> Result<(), Failure> {
    let mut ends: Vec<u64> = whole.lines.iter().skip(1).map(|next| next.revision - 1).collect();
    ends.push(whole.operation.revision);
    for (stored, end) in whole.lines.iter().zip(ends) {
        let moment = records.get(index(stored.revision)..index(end + 1)).unwrap_or_default();
        let line = codec::line(moment, stored.revision, omit)?;
        let shared = stored.common.as_ref().filter(|(_, text)| line.common.as_ref() == Some(text));
        let number = shared.map(|(number, _)| *number);
        let said = if number.is_some() { line.said } else { codec::join(&line.said, line.common.as_deref())? };
        let revision = stored_revision(stored.revision)?;
        link.query(
            "UPDATE hapax.events SET said = $3, common = $4 WHERE operation = $1 AND revision = $2",
            &[(&whole.operation.id.0, Type::UUID), (&revision, Type::INT4), (&said, Type::TEXT), (&number, Type::INT4)],
        )
        .await?;
    }
    Ok(())
}

/// A row of its own, so that who comes with the revision of before meets it; under the number of the row before, so
/// that it isn't the newest of the ledger.
async fn add_what_redacting_added(
    link: &Link,
    whole: &Whole,
    records: &[Record],
    omit: &Identity,
) -> Result<(), Failure> {
    let Some(last) = whole.lines.last() else { return Ok(()) };
    let added = records.get(index(whole.operation.revision + 1)..).unwrap_or_default();
    let lines = codec::lines(added, whole.operation.revision + 1, omit)?;
    let rows: Vec<Written> = lines
        .into_iter()
        .map(|line| Written { operation: whole.operation.id, sequence: last.sequence, line, common: None })
        .collect();
    write_events(link, &rows).await
}

fn index(revision: u64) -> usize {
    usize::try_from(revision.saturating_sub(1)).unwrap_or(usize::MAX)
}
