//! What a batch is written with: a connection, tried again as long as that is safe.

use std::sync::Arc;
use std::time::Duration;

use hapax_core::ledger::LedgerError;
use tokio::time::{sleep, timeout};

use crate::batch::{self, Answers, Ended, Proof};
use crate::error::{Failure, unusable};
use crate::gather::Together;
use crate::link::Link;
use crate::names::Names;
use crate::plan::Asked;
use crate::shared::Shared;

/// How often a batch is tried again that another transaction was in the way of.
const TRIES: u32 = 8;

/// Between two tries to get a connection back.
const RETRY: Duration = Duration::from_millis(100);

pub(crate) struct Writer {
    shared: Arc<Shared>,
    link: Option<Link>,
    names: Names,
}

impl Writer {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, link: None, names: Names::default() }
    }
}

impl Together for Writer {
    /// Tries again as long as it is certain that nothing was written and that it may help.
    async fn together(&mut self, asked: &[Asked]) -> Result<Answers, Failure> {
        let mut tries = 0;
        loop {
            let link = match self.link.take() {
                Some(link) if !link.is_closed() => link,
                _ => self.connect().await?,
            };
            tries += 1;
            let ended = batch::write(&self.shared, &link, &mut self.names, asked).await;
            match ended {
                Ended::Done(answers) => {
                    self.link = Some(link);
                    return Ok(answers);
                }
                Ended::Nothing(failure) => {
                    if !failure.is_of_the_way() {
                        self.link = Some(link);
                    }
                    let again = failure.is_of_the_way() || failure.is_of_the_moment();
                    if !again || tries >= TRIES {
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
                    if tries >= TRIES {
                        return Err(failure);
                    }
                }
            }
        }
    }

    fn tell(&self, failure: Failure) -> LedgerError {
        failure.tell(&self.shared.shown)
    }
}

impl Writer {
    /// Whether a commit counts whose answer was lost. If nobody can say, the callers must load again.
    async fn proved(&mut self, asked: &[Asked], proof: &Proof) -> Result<bool, Failure> {
        let unknown = |failure: Failure, shown: &str| {
            let why = failure.tell(shown);
            Failure::Answer(unusable(
                format!("the answer to a commit was lost, and whether it counts could not be read ({why})"),
                "load the operation again before anything is believed of it",
            ))
        };
        let shown = self.shared.shown.clone();
        let mut tries = 0;
        loop {
            let link = self.connect().await.map_err(|failure| unknown(failure, &shown))?;
            match batch::is_proved(&self.shared, &link, asked, proof).await {
                Ok(proved) => {
                    self.link = Some(link);
                    return Ok(proved);
                }
                Err(failure) if tries < TRIES && (failure.is_of_the_way() || failure.is_of_the_moment()) => tries += 1,
                Err(failure) => return Err(unknown(failure, &shown)),
            }
        }
    }

    /// A connection that leads to the same ledger, however often that takes within the patience.
    async fn connect(&self) -> Result<Link, Failure> {
        let mut last = Failure::Late;
        let tries = async {
            loop {
                match connected(&self.shared).await {
                    Err(failure) if failure.is_of_the_way() => last = failure,
                    done => break done,
                }
                sleep(RETRY).await;
            }
        };
        match timeout(self.shared.options.patience, tries).await {
            Ok(done) => done,
            Err(_) => Err(last),
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
