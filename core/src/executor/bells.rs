use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::ledger::OperationId;

/// One bell for each operation that somebody in this process works on or waits for.
#[derive(Default)]
pub(super) struct Bells(Mutex<HashMap<OperationId, Arc<Notify>>>);

/// A bell that is held. It is taken down with the last one who holds it.
pub(super) struct Bell<'a> {
    bells: &'a Bells,
    operation: OperationId,
    notify: Arc<Notify>,
}

impl Bells {
    /// A bell to wait at.
    pub(super) fn of(&self, operation: OperationId) -> Bell<'_> {
        let notify = self.all().entry(operation).or_default().clone();
        Bell { bells: self, operation, notify }
    }

    /// Wakes everybody who waits for this operation.
    pub(super) fn ring(&self, operation: OperationId) {
        if let Some(bell) = self.all().get(&operation) {
            bell.notify_waiters();
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<OperationId, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bell<'_> {
    /// Ends with the next ring after this call.
    pub(super) fn rung(&self) -> Notified<'_> {
        self.notify.notified()
    }
}

impl Drop for Bell<'_> {
    fn drop(&mut self) {
        let mut all = self.bells.all();
        // Ours and the one in the map: nobody takes another while the map is locked.
        if Arc::strong_count(&self.notify) <= 2 {
            all.remove(&self.operation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_bell_is_taken_down_with_its_last_holder_and_rings_until_then() {
        let bells = Bells::default();
        let operation = OperationId::fresh();
        let (one, two) = (bells.of(operation), bells.of(operation));
        drop(one);
        let rung = two.rung();
        bells.ring(operation);
        rung.await;
        drop(two);
        assert!(bells.all().is_empty());
    }
}
