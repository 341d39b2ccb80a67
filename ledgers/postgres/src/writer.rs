//! What a batch is written with: a connection, tried again as long as that is safe.

use std::sync::Arc;

use hapax_core::ledger::LedgerError;

use crate::batch::{self, Answers, Ended, Proof};
use crate::error::Failure;
use crate::gather::Together;
use crate::link::Link;
use crate::names::Names;
use crate::plan::Asked;
use crate::pool::Pool;
use crate::shared::Shared;

/// How often a batch is tried that another transaction was in the way of.
const TRIES: u32 = 8;

/// How often what was not answered within the patience is tried: callers wait for each of them.
const TRIES_LATE: u32 = 2;

fn most(failure: &Failure) -> u32 {
    if matches!(failure, Failure::Late) { TRIES_LATE } else { TRIES }
}

pub(crate) struct Writer {
    shared: Arc<Shared>,
    pool: Arc<Pool>,
    names: Names,
}

impl Writer {
    pub(crate) fn new(shared: Arc<Shared>, pool: Arc<Pool>) -> Self {
        Self { shared, pool, names: Names::default() }
    }
}

impl Together for Writer {
    /// Tries again as long as it is certain that nothing was written and that it may help.
    async fn together(&mut self, asked: &[Asked]) -> Result<Answers, Failure> {
        let mut tries = 0;
        loop {
            let link = self.pool.take().await?;
            tries += 1;
            let ended = batch::write(&self.shared, &link, &mut self.names, asked).await;
            match ended {
                Ended::Done(answers) => {
                    link.give_back();
                    return Ok(answers);
                }
                Ended::Nothing(failure) => {
                    if !failure.is_of_the_way() {
                        link.give_back();
                    }
                    let again = failure.is_of_the_way() || failure.is_of_the_moment();
                    if !again || tries >= most(&failure) {
                        return Err(failure);
                    }
                }
                Ended::Doubt(failure, proof, answers) => {
                    drop(link);
                    tracing::warn!(?failure, "the answer to a commit was lost; looking whether it counts");
                    if self.proved(asked, &proof).await? {
                        self.shared.tally.settled();
                        return Ok(answers);
                    }
                    if tries >= most(&failure) {
                        return Err(failure);
                    }
                }
            }
        }
    }

    fn tell(&self, failure: &Failure) -> LedgerError {
        failure.tell(&self.shared.shown)
    }
}

impl Writer {
    /// Whether a commit counts whose answer was lost. If nobody can say, the callers must load again.
    async fn proved(&mut self, asked: &[Asked], proof: &Proof) -> Result<bool, Failure> {
        let unproved = |failure: Failure| Failure::Unproved(Box::new(failure));
        let mut tries = 0;
        loop {
            let link = self.pool.take().await.map_err(unproved)?;
            tries += 1;
            match batch::is_proved(&self.shared, &link, asked, proof).await {
                Ok(proved) => {
                    link.give_back();
                    return Ok(proved);
                }
                Err(failure) if tries < most(&failure) && (failure.is_of_the_way() || failure.is_of_the_moment()) => {}
                Err(failure) => return Err(unproved(failure)),
            }
        }
    }
}

/// One more connection that writes.
pub(crate) async fn connected(shared: &Shared) -> Result<Link, Failure> {
    let link = shared.connect().await?;
    shared.check(&link).await?;
    batch::prepare(&link).await?;
    Ok(link)
}
