//! Everything in the schema, for another ledger to take in.

use hapax_core::identity::OperationKey;
use hapax_core::ledger::{Header, Index, Stored};
use hapax_core::protocol::{Final, Record, fold};
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::codec::{self, claim_hash};
use crate::error::Failure;
use crate::link::Link;
use crate::read::{self, Operation};

/// How many operations are read at once.
const PART: i64 = 200;

/// A slow taker is no reason to end the transaction: it holds no lock.
const BEGIN: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0";

/// Hands over what is known of the ledger, then each operation in the order of ids, on one snapshot; writers go on
/// meanwhile. Ends early, without an error, if nobody takes them any more.
pub(crate) async fn export(
    link: &Link,
    header: oneshot::Sender<Header>,
    to: &mpsc::Sender<(Stored, Index)>,
) -> Result<(), Failure> {
    link.run(BEGIN).await?;
    let (known, _) = read::header(link).await?;
    let _nobody_listens = header.send(known);
    let mut after = Uuid::nil();
    loop {
        let rows = link.query(read::AFTER, &[(&after, Type::UUID), (&PART, Type::INT8)]).await?;
        let wholes = read::wholes(&rows)?;
        let Some(last) = wholes.last() else { break };
        let dues = link.query(DUES, &[(&after, Type::UUID), (&last.operation.id.0, Type::UUID)]).await?;
        after = last.operation.id.0;
        for (whole, due) in wholes.iter().zip(dues) {
            let records = whole.records()?;
            let index = index(&whole.operation, &records, due.try_get(0)?)?;
            if to.send((Stored { operation: whole.operation.id, records }, index)).await.is_err() {
                return link.run("ROLLBACK").await;
            }
        }
    }
    link.run("COMMIT").await
}

const DUES: &str = "SELECT o.due_ms FROM hapax.operations o WHERE o.id > $1 AND o.id <= $2 ORDER BY o.id";

fn index(operation: &Operation, records: &[Record], due_ms: Option<i64>) -> Result<Index, Failure> {
    let damaged = |what: &str| Failure::Damaged(format!("operation {} {what}", operation.id));
    let identity = &operation.identity;
    let phase = codec::phase_of(i64::from(operation.phase)).ok_or_else(|| damaged("stands nowhere"))?;
    if let Some(what) = codec::misfits(records, phase, identity.fingerprint).into_iter().next() {
        return Err(damaged(what));
    }
    Ok(Index {
        connection: identity.connection.clone(),
        account: identity.account.clone(),
        cell: identity.cell.clone(),
        key: OperationKey::try_from(identity.key.clone()).map_err(|_| damaged("has a bad key"))?,
        fingerprint: identity.fingerprint,
        phase,
        due_ms,
        claim: match operation.claim {
            Some(hash) => Some(claim(identity, records, hash).ok_or_else(|| damaged("claims what it didn't get"))?),
            None => None,
        },
    })
}

/// What it claims is the id of its receipt; the ledger keeps a digest of that.
fn claim(identity: &codec::Identity, records: &[Record], hash: Uuid) -> Option<String> {
    match fold(records).outcome {
        Some(Final::Succeeded(receipt)) if claim_hash(&identity.account, &receipt.id) == hash => {
            Some(receipt.id.clone())
        }
        _ => None,
    }
}
