//! Ledgers with a bug each, to see that random calls find it.

use async_trait::async_trait;
use hapax_core::ledger::{
    Append, Appended, By, Filter, Header, Layer, Ledger, LedgerError, MemoryLedger, OperationId, Pruned, Retention,
    Serves,
};
use hapax_core::protocol::Stamp;

/// What a planted ledger does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bug {
    IgnoresTheRevision,
    LosesAClaimThatGoesOn,
    WritesWhatItRefused,
    ForgetsTheTimeOfSimilarOnes,
    GivesMoreThanTheLimit,
    TakesThePresentForTheNext,
    ListsOldestFirst,
    PrunesTooEarly,
    AdoptsTwice,
    ForgetsTheRestore,
}

impl Bug {
    pub(super) const ALL: [Self; 10] = [
        Self::IgnoresTheRevision,
        Self::LosesAClaimThatGoesOn,
        Self::WritesWhatItRefused,
        Self::ForgetsTheTimeOfSimilarOnes,
        Self::GivesMoreThanTheLimit,
        Self::TakesThePresentForTheNext,
        Self::ListsOldestFirst,
        Self::PrunesTooEarly,
        Self::AdoptsTwice,
        Self::ForgetsTheRestore,
    ];
}

pub(super) struct Planted {
    bug: Bug,
    sound: MemoryLedger,
}

impl Planted {
    pub(super) fn with(bug: Bug) -> Self {
        Self { bug, sound: MemoryLedger::new() }
    }

    fn has(&self, bug: Bug) -> bool {
        self.bug == bug
    }
}

#[async_trait]
impl Layer for Planted {
    fn below(&self) -> &dyn Ledger {
        &self.sound
    }

    async fn append(&self, mut append: Append) -> Result<Appended, LedgerError> {
        if self.has(Bug::IgnoresTheRevision) && append.seen > 0 {
            let stored = self.sound.load(By::Id(append.operation)).await?;
            append.seen = stored.map_or(0, |stored| stored.records.len() as u64);
        }
        if self.has(Bug::LosesAClaimThatGoesOn) && append.seen > 0 {
            append.index.claim = None;
        }
        if self.has(Bug::ForgetsTheTimeOfSimilarOnes) {
            append.similar_since_ms = i64::MIN;
        }
        let done = self.sound.append(append.clone()).await;
        if matches!(done, Err(LedgerError::Claimed(_))) && self.has(Bug::WritesWhatItRefused) {
            append.index.claim = None;
            self.sound.append(append).await?;
        }
        done
    }

    async fn due(&self, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, LedgerError> {
        let more = u32::from(self.has(Bug::GivesMoreThanTheLimit));
        self.sound.due(serves, now, limit + more).await
    }

    async fn next_due(&self, serves: &[Serves], after: Stamp) -> Result<Option<i64>, LedgerError> {
        let early = i64::from(self.has(Bug::TakesThePresentForTheNext));
        self.sound.next_due(serves, Stamp { wall_ms: after.wall_ms - early, ..after }).await
    }

    async fn list(&self, filter: &Filter) -> Result<Vec<OperationId>, LedgerError> {
        let mut ids = self.sound.list(filter).await?;
        if self.has(Bug::ListsOldestFirst) {
            ids.reverse();
        }
        Ok(ids)
    }

    async fn header(&self) -> Result<Header, LedgerError> {
        let mut header = self.sound.header().await?;
        if self.has(Bug::ForgetsTheRestore) {
            header.restored = None;
        }
        Ok(header)
    }

    async fn adopt(&self, secret_check: &str) -> Result<String, LedgerError> {
        let kept = self.sound.adopt(secret_check).await?;
        Ok(if self.has(Bug::AdoptsTwice) { secret_check.to_owned() } else { kept })
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned, LedgerError> {
        let mut retention = retention.clone();
        if self.has(Bug::PrunesTooEarly) {
            retention.rules.iter_mut().for_each(|rule| rule.for_ms = rule.for_ms.map(|ms| ms.saturating_sub(1)));
        }
        self.sound.prune(&retention).await
    }
}
