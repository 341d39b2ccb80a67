use async_trait::async_trait;

use super::{
    Append, Appended, By, Filter, Header, Ledger, LedgerError, MovedOn, OperationId, Pruned, Retention, Serves, Stored,
};
use crate::protocol::Stamp;

/// A ledger over another one, which sees or changes some of what passes. What an implementer leaves out goes through as it
/// is; [`Ledger::look_up`] is answered by the layer's own `header` and `load`, so that nothing passes it by, unless the
/// layer answers it itself.
///
/// ```
/// use async_trait::async_trait;
/// use hapax_core::ledger::{Append, Appended, Layer, Ledger, LedgerError, SharedLedger};
///
/// /// Tells which cells are written about.
/// struct Told(SharedLedger);
///
/// #[async_trait]
/// impl Layer for Told {
///     fn below(&self) -> &dyn Ledger {
///         &*self.0
///     }
///
///     async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
///         println!("{}", append.index.cell);
///         self.below().append(append).await
///     }
/// }
/// ```
#[async_trait]
pub trait Layer: Send + Sync + 'static {
    /// The ledger below.
    fn below(&self) -> &dyn Ledger;

    /// See [`Ledger::append`].
    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        self.below().append(append).await
    }

    /// See [`Ledger::load`].
    async fn load(&self, by: By<'_>) -> Result<Option<Stored>, LedgerError> {
        self.below().load(by).await
    }

    /// See [`Ledger::look_up`].
    async fn look_up(&self, by: By<'_>) -> Result<(Header, Option<Stored>), LedgerError> {
        let header = Layer::header(self).await?;
        Ok((header, Layer::load(self, by).await?))
    }

    /// See [`Ledger::moved_on`].
    fn moved_on(&self, operation: OperationId, seen: u64) -> Option<MovedOn<'_>> {
        self.below().moved_on(operation, seen)
    }

    /// See [`Ledger::due`].
    async fn due(&self, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, LedgerError> {
        self.below().due(serves, now, limit).await
    }

    /// See [`Ledger::next_due`].
    async fn next_due(&self, serves: &[Serves], after: Stamp) -> Result<Option<i64>, LedgerError> {
        self.below().next_due(serves, after).await
    }

    /// See [`Ledger::list`].
    async fn list(&self, filter: &Filter) -> Result<Vec<OperationId>, LedgerError> {
        self.below().list(filter).await
    }

    /// See [`Ledger::header`].
    async fn header(&self) -> Result<Header, LedgerError> {
        self.below().header().await
    }

    /// See [`Ledger::adopt`].
    async fn adopt(&self, secret_check: &str) -> Result<String, LedgerError> {
        self.below().adopt(secret_check).await
    }

    /// See [`Ledger::note_restored`].
    async fn note_restored(&self, at: Stamp, secret_check: &str) -> Result<(), LedgerError> {
        self.below().note_restored(at, secret_check).await
    }

    /// See [`Ledger::prune`].
    async fn prune(&self, retention: &Retention) -> Result<Pruned, LedgerError> {
        self.below().prune(retention).await
    }
}

#[async_trait]
impl<L: Layer> Ledger for L {
    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        Layer::append(self, append).await
    }

    async fn load(&self, by: By<'_>) -> Result<Option<Stored>, LedgerError> {
        Layer::load(self, by).await
    }

    async fn look_up(&self, by: By<'_>) -> Result<(Header, Option<Stored>), LedgerError> {
        Layer::look_up(self, by).await
    }

    fn moved_on(&self, operation: OperationId, seen: u64) -> Option<MovedOn<'_>> {
        Layer::moved_on(self, operation, seen)
    }

    async fn due(&self, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, LedgerError> {
        Layer::due(self, serves, now, limit).await
    }

    async fn next_due(&self, serves: &[Serves], after: Stamp) -> Result<Option<i64>, LedgerError> {
        Layer::next_due(self, serves, after).await
    }

    async fn list(&self, filter: &Filter) -> Result<Vec<OperationId>, LedgerError> {
        Layer::list(self, filter).await
    }

    async fn header(&self) -> Result<Header, LedgerError> {
        Layer::header(self).await
    }

    async fn adopt(&self, secret_check: &str) -> Result<String, LedgerError> {
        Layer::adopt(self, secret_check).await
    }

    async fn note_restored(&self, at: Stamp, secret_check: &str) -> Result<(), LedgerError> {
        Layer::note_restored(self, at, secret_check).await
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned, LedgerError> {
        Layer::prune(self, retention).await
    }
}
