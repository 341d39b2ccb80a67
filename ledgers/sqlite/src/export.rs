//! Everything in the file, for another ledger to take in.

use hapax_core::identity::OperationKey;
use hapax_core::ledger::{Header, Index, Stored};
use rusqlite::{Connection, OptionalExtension};
use tokio::sync::{mpsc, oneshot};

use crate::codec;
use crate::error::Failure;
use crate::leads::Leads;
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
    let leads = Leads::of(&snapshot)?;
    let mut statement = snapshot.prepare(rows!("ORDER BY o.id"))?;
    for row in statement.query_map([], read::row)? {
        let row = row?;
        let records = read::records(&snapshot, &row)?;
        if let Some(problem) = verify::of_operation(&snapshot, &leads, &row, &records)?.into_iter().next() {
            return Err(Failure::Damaged(problem));
        }
        let index = index(&snapshot, &row)?;
        if to.blocking_send((Stored { operation: row.id, records }, index)).is_err() {
            break;
        }
    }
    Ok(())
}

fn index(on: &Connection, row: &Row) -> Result<Index, Failure> {
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
        claim: match row.claim {
            Some(sequence) => Some(claim(on, sequence)?),
            None => None,
        },
    })
}

fn claim(on: &Connection, sequence: i64) -> Result<String, Failure> {
    let mut statement = on.prepare_cached("SELECT claim FROM claims WHERE sequence = ?1")?;
    Ok(statement.query_row([sequence], |row| row.get(0))?)
}
