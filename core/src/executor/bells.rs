use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::ledger::OperationId;

/// One bell for each operation that somebody in this process works on or waits for.
#[derive(Default)]
pub(super) struct Bells(Mutex<HashMap<OperationId, Hung>>);

/// A bell, and how many hold it. They are counted here, where one lock sees them all: what each of two who leave at the
/// same moment could count by itself is the other.
#[derive(Default)]
struct Hung {
    notify: Arc<Notify>,
    holders: usize,
}

/// A bell that is held. It is taken down with the last one who holds it.
pub(super) struct Bell<'a> {
    bells: &'a Bells,
    operation: OperationId,
    notify: Arc<Notify>,
}

impl Bells {
    /// A bell to wait at.
    pub(super) fn of(&self, operation: OperationId) -> Bell<'_> {
        let mut all = self.all();
        let hung = all.entry(operation).or_default();
        hung.holders += 1;
        Bell { bells: self, operation, notify: hung.notify.clone() }
    }

    /// Wakes everybody who waits for this operation.
    pub(super) fn ring(&self, operation: OperationId) {
        if let Some(bell) = self.all().get(&operation) {
            bell.notify.notify_waiters();
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<OperationId, Hung>> {
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
        let Some(hung) = all.get_mut(&self.operation) else { return };
        hung.holders -= 1;
        if hung.holders == 0 {
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

    #[test]
    fn no_bell_stays_behind_when_many_leave_at_the_same_moment() {
        let bells = Bells::default();
        let operation = OperationId::fresh();
        let gate = std::sync::Barrier::new(8);
        for _ in 0..500 {
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        let bell = bells.of(operation);
                        gate.wait();
                        drop(bell);
                    });
                }
            });
            assert!(bells.all().is_empty());
        }
    }
}
