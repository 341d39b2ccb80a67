//! Operations that stay due although nothing can be done for them at this moment: their credentials
//! can't be refreshed, or no account here is theirs. They must not be taken up in a circle.

use std::collections::HashMap;
use std::time::Duration;

use hapax_core::ledger::OperationId;
use tokio::time::Instant;

struct Rest {
    until: Instant,
    revision: u64,
    why: String,
}

/// Until when each of them is left alone.
#[derive(Default)]
pub(super) struct Rests(HashMap<OperationId, Rest>);

impl Rests {
    /// Leaves it alone for a while. Whether that is news: another revision or another reason than the last time.
    pub(super) fn rest(&mut self, operation: OperationId, pause: Duration, revision: u64, why: &str) -> bool {
        let rest = Rest { until: Instant::now() + pause, revision, why: why.to_owned() };
        let before = self.0.insert(operation, rest);
        before.is_none_or(|before| before.revision != revision || before.why != why)
    }

    /// It moved on.
    pub(super) fn forget(&mut self, operation: OperationId) {
        self.0.remove(&operation);
    }

    /// Whether it is to be left alone now.
    pub(super) fn holds(&self, operation: OperationId) -> bool {
        self.0.get(&operation).is_some_and(|rest| rest.until > Instant::now())
    }

    /// How many are remembered.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets those that are due no more. `due` is all that is due.
    pub(super) fn keep(&mut self, due: &[OperationId]) {
        self.0.retain(|operation, _| due.contains(operation));
    }

    /// How long until the first of them may be tried again.
    pub(super) fn shortest(&self) -> Option<Duration> {
        let now = Instant::now();
        self.0.values().map(|rest| rest.until.saturating_duration_since(now)).min()
    }
}
