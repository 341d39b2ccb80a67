//! The ledger as a whole, and the operations that keys lead to, in one question.

use std::collections::HashMap;
use std::sync::Arc;

use hapax_core::ledger::Header;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::error::Failure;
use crate::link::Link;
use crate::look_up::{Answer, Question};
use crate::read::{self, Whole};
use crate::readers::Readers;
use crate::shared::Shared;

/// In a subselect, so that the planner doesn't know how many keys there are: it would plan for each number anew.
pub(crate) const OF_KEYS: &str = read::beginnings!(
    "unnest((SELECT $1)) AS w (hash) \
     CROSS JOIN LATERAL (SELECT i.operation FROM hapax.keys i WHERE i.hash = w.hash OFFSET 0) k",
    ", w.hash",
    "w.hash"
);

/// The column after those of an operation.
const HASH: usize = 18;

pub(crate) struct ByKeys {
    pub(crate) shared: Arc<Shared>,
    pub(crate) readers: Arc<Readers>,
}

impl Question for ByKeys {
    type Head = Header;
    /// It may be cut.
    type One = Arc<Whole>;

    async fn ask(&self, keys: Vec<Uuid>) -> Answer<Self> {
        let (keys, clock) = (keys.as_slice(), &self.shared.clock);
        let asked = self.readers.read(|link| async move {
            let before = clock.local();
            // Both questions leave before the first is answered.
            let ((header, database_ms), rows) = tokio::try_join!(read::header(&link), by_keys(&link, keys))?;
            clock.note(before, database_ms);
            Ok((header, rows))
        });
        let (header, rows) = asked.await?;
        let told = |failure: Failure| failure.tell(&self.shared.shown);
        let mut found = HashMap::new();
        for (hash, rows) in rows {
            if let Some(whole) = read::wholes(&rows).map(|mut wholes| wholes.pop()).transpose() {
                found.insert(hash, whole.map(Arc::new).map_err(told));
            }
        }
        Ok((header, found))
    }
}

/// Rows by the digest of the key that led to them.
async fn by_keys(link: &Link, keys: &[Uuid]) -> Result<Vec<(Uuid, Vec<Row>)>, Failure> {
    let mut found: Vec<(Uuid, Vec<Row>)> = Vec::new();
    for row in link.query(OF_KEYS, &[(&keys, Type::UUID_ARRAY)]).await? {
        let hash = row.try_get(HASH)?;
        match found.last_mut().filter(|(last, _)| *last == hash) {
            Some((_, rows)) => rows.push(row),
            None => found.push((hash, vec![row])),
        }
    }
    Ok(found)
}
