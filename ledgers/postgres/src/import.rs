//! Everything that another ledger held, into a schema that holds nothing.

use hapax_core::ledger::{Append, Header, Index, LedgerError, Stored};
use hapax_core::protocol::Event;
use tokio::sync::mpsc;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::batch::{self, BEGIN};
use crate::codec::signed;
use crate::error::{Failure, unusable};
use crate::link::Link;
use crate::names::Names;
use crate::plan::{Asked, Known, plan};
use crate::rows::Columns;
use crate::shared::Shared;

/// How many operations are written at once.
const PART: usize = 200;

/// Writes what comes, in one transaction, until a `None` says that it was all; how many operations that were. Whoever
/// hangs up before has given up, and nothing is to be kept.
pub(crate) async fn import(
    shared: &Shared,
    link: &Link,
    header: &Header,
    mut from: mpsc::Receiver<Option<(Stored, Index)>>,
) -> Result<u64, Failure> {
    link.run(BEGIN).await?;
    // Who hands it over may be slow, and keeps only those away who must not come.
    link.run("SET LOCAL idle_in_transaction_session_timeout = 0").await?;
    take_possession(link, header).await?;
    let mut names = Names::default();
    let mut taken = 0;
    loop {
        let (part, is_all) = next_part(&mut from).await?;
        if !part.is_empty() {
            taken += part.len() as u64;
            write(shared, link, &mut names, part).await?;
        }
        if is_all {
            break;
        }
    }
    link.forget_warnings();
    link.run("COMMIT").await?;
    // PostgreSQL says `committed` with a warning where somebody ended the wait for a synchronous replica.
    if link.was_warned() { Err(Failure::Late) } else { Ok(taken) }
}

/// The check value is the ledger's until the end of the transaction, so that whoever comes meanwhile waits for it.
async fn take_possession(link: &Link, header: &Header) -> Result<(), Failure> {
    let restored = header.restored;
    let (wall, awake, boot) =
        (restored.map(|at| at.wall_ms), restored.map(|at| signed(at.boot_ms)), restored.map(|at| signed(at.boot)));
    let noted = link
        .query(
            "UPDATE hapax.header SET secret_check = $1, restored_wall = $2, restored_awake = $3, restored_boot = $4 \
             WHERE secret_check = '' AND NOT EXISTS (SELECT 1 FROM hapax.operations) RETURNING 1",
            &[(&header.secret_check, Type::TEXT), (&wall, Type::INT8), (&awake, Type::INT8), (&boot, Type::INT8)],
        )
        .await?;
    if noted.is_empty() {
        let hint = "an import goes only into a ledger that nobody has used";
        return Err(Failure::Answer(unusable("it has been used already", hint)));
    }
    Ok(())
}

/// Operations that are there to be written, and whether they were the last.
async fn next_part(from: &mut mpsc::Receiver<Option<(Stored, Index)>>) -> Result<(Vec<Asked>, bool), Failure> {
    let mut part = Vec::new();
    while part.len() < PART {
        match from.recv().await {
            Some(Some((stored, index))) => part.push(Asked::new(whole(stored, index))),
            Some(None) => return Ok((part, true)),
            None => {
                return Err(Failure::Answer(unusable("the import was broken off", "nothing was kept; begin again")));
            }
        }
    }
    Ok((part, false))
}

fn whole(stored: Stored, index: Index) -> Append {
    Append {
        operation: stored.operation,
        seen: 0,
        records: stored.records,
        index,
        refuse_similar: false,
        // Nothing is compared: what was similar was said when it began.
        similar_since_ms: i64::MAX,
    }
}

async fn write(shared: &Shared, link: &Link, names: &mut Names, part: Vec<Asked>) -> Result<(), Failure> {
    let (lines, places) = batch::lay_out(link, names, &part).await?;
    let count = i32::try_from(lines.iter().map(Vec::len).sum::<usize>()).unwrap_or(i32::MAX);
    let high = shared.high();
    let head = shared.understand(&link.one(shared.head_sql(), &[(&count, Type::INT4)]).await?, high)?;
    // Nothing is known of what came before: the unique indexes know it.
    let plan = plan(&part, Known::default());
    for (asked, answer) in part.iter().zip(&plan.answers) {
        match answer {
            Ok(_) => {}
            Err(LedgerError::Moved | LedgerError::Claimed(_)) => return Err(twice(asked)),
            Err(other) => return Err(Failure::Answer(other.clone())),
        }
    }
    Columns::of(&part, &plan, lines, &places, &head)?.write(link).await.map_err(|failure| match &part[..] {
        [first, ..] if failure.is_of_the_moment() => twice(first),
        _ => failure,
    })?;
    let was_pruned = |asked: &&Asked| asked.append.records.iter().any(|record| record.event == Event::Pruned);
    let pruned: Vec<Uuid> = part.iter().filter(was_pruned).map(|asked| asked.append.operation.0).collect();
    if !pruned.is_empty() {
        let sql = "UPDATE hapax.operations SET pruned = true WHERE id = ANY ($1)";
        link.query(sql, &[(&pruned, Type::UUID_ARRAY)]).await?;
    }
    Ok(())
}

fn twice(first: &Asked) -> Failure {
    let what = format!("an id, a key or a claim is there twice, from operation {} on", first.append.operation);
    Failure::Answer(unusable(what, "no ledger holds that; make the export again"))
}
