use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::ledger::OperationId;

/// One bell for each operation that somebody in this process waits for.
#[derive(Default)]
pub(super) struct Bells(Mutex<HashMap<OperationId, Arc<Notify>>>);

impl Bells {
    /// A bell to wait at. It is kept for as long as somebody holds it.
    pub(super) fn of(&self, operation: OperationId) -> Arc<Notify> {
        let mut bells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bells.retain(|_, bell| Arc::strong_count(bell) > 1);
        bells.entry(operation).or_default().clone()
    }

    /// Wakes everybody who waits for this operation.
    pub(super) fn ring(&self, operation: OperationId) {
        let bells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bell) = bells.get(&operation) {
            bell.notify_waiters();
        }
    }
}
