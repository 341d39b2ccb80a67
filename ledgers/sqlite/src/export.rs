//! Everything in the file, for another ledger to take in.

use hapax_core::identity::OperationKey;
use hapax_core::ledger::{Header, Index, Stored};
use hapax_core::protocol::{Final, Record, fold};
use rusqlite::{Connection, OptionalExtension};
use tokio::sync::{mpsc, oneshot};

use crate::codec;
use crate::error::Failure;
use crate::read::{self, Row, rows};
use crate::verify;

/// Hands over what is known of the ledger, then each operation in the order of ids, on one snapshot; writers go on
/// meanwhile. Ends early, without an error, if nobody takes them any more.
pub(crate) fn export(
    on: &Connection,
    header: oneshot::Sender<Header>,
    to: &mpsc::Sender<(Stored, Index)>,
) -> Result<(), Failure> {
    let snapshot = on.unchecked_transaction()?;
    let _nobody_listens = header.send(read::known(&snapshot)?);
    let mut statement = snapshot.prepare(rows!("ORDER BY o.id"))?;
    for row in statement.query_map([], read::row)? {
        let row = row?;
        let records = read::records(&snapshot, &row)?;
        if let Some(problem) = verify::of_operation(&snapshot, &row, &records)?.into_iter().next() {
            return Err(Failure::Damaged(problem));
        }
        let index = index(&snapshot, &row, &records)?;
        if to.blocking_send((Stored { operation: row.id, records }, index)).is_err() {
            break;
        }
    }
    Ok(())
}

fn index(on: &Connection, row: &Row, records: &[Record]) -> Result<Index, Failure> {
    let damaged = |what: &str| Failure::Damaged(format!("operation {} {what}", row.id));
    let identity = &row.identity;
    Ok(Index {
        connection: identity.connection.clone(),
        account: identity.account.clone(),
        cell: identity.cell.clone(),
        key: OperationKey::try_from(identity.key.clone()).map_err(|_| damaged("has a bad key"))?,
        fingerprint: identity.fingerprint,
        phase: codec::phase_of(row.phase).ok_or_else(|| damaged("stands nowhere"))?,
        due_ms: on
            .prepare_cached("SELECT due_ms FROM operations WHERE number = ?1")?
            .query_row([row.number], |due| due.get(0))
            .optional()?
            .flatten(),
        claim: if row.holds_claim { Some(claim(on, row, records)?) } else { None },
    })
}

/// What it claims is the id of its receipt; claims are found by that, not by their operation.
fn claim(on: &Connection, row: &Row, records: &[Record]) -> Result<String, Failure> {
    if let Some(Final::Succeeded(receipt)) = fold(records).outcome
        && read::claimant(on, &row.identity.account, &receipt.id)? == Some(row.id)
    {
        return Ok(receipt.id.clone());
    }
    Err(Failure::Damaged(format!("the claim of operation {} doesn't lead to it", row.id)))
}
