//! Stops the worker at a named point for good, so that a test can kill it exactly there.

use async_trait::async_trait;
use hapax_core::executor::{Point, Probe};
use hapax_core::ledger::OperationId;
use serde_json::json;

use crate::say;

/// Names the point: one of the executor's, or one of the handlers' own.
const VARIABLE: &str = "HAPAX_TEST_PAUSE_AT";

/// The executor's result is in hapax's ledger and not in Restate's journal.
pub(crate) const BEFORE_RESTATE: &str = "before-restate";
/// The departure is in Restate's journal and no byte has left.
pub(crate) const DEPARTED: &str = "departed";
/// The answer is here and not in Restate's journal.
pub(crate) const ANSWERED: &str = "answered";

/// Blocks for ever if this is the point that the environment names.
pub(crate) async fn at(point: &str) {
    if std::env::var(VARIABLE).is_ok_and(|named| named == point) {
        say::line(&json!({ "paused": point }));
        std::future::pending::<()>().await;
    }
}

/// The executor's points.
pub(crate) struct Pause;

#[async_trait]
impl Probe for Pause {
    async fn reached(&self, point: Point, _operation: OperationId) {
        at(point.name()).await;
    }
}
