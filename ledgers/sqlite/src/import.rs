//! Everything that another ledger held, into a file that holds nothing.

use hapax_core::ledger::{Append, Header, Index, LedgerError, Stored};
use hapax_core::protocol::Event;
use rusqlite::{Connection, params};
use tokio::sync::mpsc;

use crate::append::{Writing, append};
use crate::codec::signed;
use crate::error::{Failure, unusable};

/// Leads that wait in memory, some 40 bytes each.
const LEADS_MAX: usize = 3 << 16;

/// Writes what comes, inside one transaction, until a `None` says that it was all; how many operations that were.
/// Whoever hangs up before has given up, and nothing is to be kept.
pub(crate) fn import(
    writing: &mut Writing<'_>,
    header: &Header,
    from: &mut mpsc::Receiver<Option<(Stored, Index)>>,
) -> Result<u64, Failure> {
    take_possession(writing.on, header)?;
    let mut taken = 0;
    loop {
        match from.blocking_recv() {
            Some(Some((stored, index))) => one(writing, stored, index)?,
            Some(None) => return Ok(taken),
            None => {
                return Err(Failure::Answer(unusable("the import was broken off", "nothing was kept; begin again")));
            }
        }
        writing.fresh.settle(writing.on, LEADS_MAX)?;
        taken += 1;
    }
}

/// The check value is the ledger's from the first write on, so that nobody who comes meanwhile takes it for unused.
fn take_possession(on: &Connection, header: &Header) -> Result<(), Failure> {
    let restored = header.restored;
    let noted = on.execute(
        "UPDATE header SET secret_check = ?1, restored_wall = ?2, restored_awake = ?3, restored_boot = ?4 \
         WHERE secret_check = '' AND NOT EXISTS (SELECT 1 FROM operations)",
        params![
            header.secret_check,
            restored.map(|at| at.wall_ms),
            restored.map(|at| signed(at.boot_ms)),
            restored.map(|at| signed(at.boot)),
        ],
    )?;
    if noted == 1 {
        return Ok(());
    }
    Err(Failure::Answer(unusable("it has been used already", "an import goes only into a ledger that nobody has used")))
}

fn one(writing: &mut Writing<'_>, stored: Stored, index: Index) -> Result<(), Failure> {
    let operation = stored.operation;
    let pruned = stored.records.iter().any(|record| record.event == Event::Pruned);
    let whole = Append {
        operation,
        seen: 0,
        records: stored.records,
        index,
        refuse_similar: false,
        // Nothing is compared: what was similar was said when it began.
        similar_since_ms: i64::MAX,
    };
    append(writing, &whole).map_err(|failure| match failure {
        Failure::Answer(LedgerError::Moved) => twice(format!("operation {operation} or its key is there twice")),
        Failure::Answer(LedgerError::Claimed(other)) => twice(format!("{operation} and {other} claim the same")),
        other => other,
    })?;
    if pruned {
        writing
            .on
            .prepare_cached("UPDATE operations SET pruned = 1 WHERE id = ?1")?
            .execute([operation.0.as_bytes()])?;
    }
    Ok(())
}

fn twice(what: String) -> Failure {
    Failure::Answer(unusable(what, "no ledger holds that; make the export again"))
}
