//! A check of the whole ledger, for `hapax ledger verify` and for tests.

use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::codec::{self, key_hash};
use crate::error::Failure;
use crate::link::Link;
use crate::read::{self, Whole};

/// What a check of the whole ledger found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many operations were read.
    pub operations: u64,
    /// How many events they have.
    pub events: u64,
    /// What is wrong, in words; empty: nothing.
    pub problems: Vec<String>,
}

impl Verified {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

/// How many operations are read at once.
const PART: i64 = 500;

const STRAY: &str = "SELECT 'events', count(*) FROM hapax.events e \
       WHERE NOT EXISTS (SELECT 1 FROM hapax.operations o WHERE o.id = e.operation) \
     UNION ALL SELECT 'keys', count(*) FROM hapax.keys k \
       WHERE NOT EXISTS (SELECT 1 FROM hapax.operations o WHERE o.id = k.operation) \
     UNION ALL SELECT 'claims', count(*) FROM hapax.claims c \
       WHERE NOT EXISTS (SELECT 1 FROM hapax.operations o WHERE o.id = c.operation AND o.claim = c.hash)";

/// Reads everything, on one snapshot; writers go on meanwhile.
pub(crate) async fn verify(link: &Link) -> Result<Verified, Failure> {
    link.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
    let mut verified = Verified::default();
    let mut after = Uuid::nil();
    loop {
        let rows = link.query(read::AFTER, &[(&after, Type::UUID), (&PART, Type::INT8)]).await?;
        let wholes = read::wholes(&rows)?;
        let Some(last) = wholes.last() else { break };
        after = last.operation.id.0;
        for whole in &wholes {
            verified.operations += 1;
            of_operation(link, whole, &mut verified).await?;
        }
    }
    for row in link.query(STRAY, &[]).await? {
        let (table, count): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
        if count > 0 {
            verified.problems.push(format!("{count} rows of {table} lead to no operation"));
        }
    }
    link.run("COMMIT").await?;
    Ok(verified)
}

async fn of_operation(link: &Link, whole: &Whole, verified: &mut Verified) -> Result<(), Failure> {
    let operation = &whole.operation;
    match whole.records() {
        Ok(records) => {
            verified.events += records.len() as u64;
            let misfits = match codec::phase_of(i64::from(operation.phase)) {
                Some(phase) => codec::misfits(&records, phase, operation.identity.fingerprint),
                None => vec!["stands nowhere"],
            };
            verified.problems.extend(misfits.into_iter().map(|what| format!("operation {} {what}", operation.id)));
        }
        Err(Failure::Damaged(what)) => verified.problems.push(what),
        Err(failure) => return Err(failure),
    }
    let identity = &operation.identity;
    let key = key_hash(&identity.connection, &identity.cell, &identity.key);
    let row = link
        .one(
            "SELECT (SELECT operation FROM hapax.keys WHERE hash = $1), \
             (SELECT operation FROM hapax.claims WHERE hash = $2)",
            &[(&key, Type::UUID), (&operation.claim, Type::UUID)],
        )
        .await?;
    let (by_key, by_claim): (Option<Uuid>, Option<Uuid>) = (row.try_get(0)?, row.try_get(1)?);
    if by_key != Some(operation.id.0) {
        verified.problems.push(format!("the key of operation {} doesn't lead to it", operation.id));
    }
    if operation.claim.is_some() && by_claim != Some(operation.id.0) {
        verified.problems.push(format!("the claim of operation {} doesn't lead to it", operation.id));
    }
    Ok(())
}
