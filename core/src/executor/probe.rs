use async_trait::async_trait;

use crate::ledger::OperationId;

/// Where the executor stands: the points at which a crash suite stops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    /// Records are about to be written.
    BeforeCommit,
    /// Records are durable.
    AfterCommit,
    /// A harmless step answered; its note isn't journaled.
    AfterPrepareStep,
    /// The departure is durable; no byte has left.
    BeforeSend,
    /// The answer is here, or lost; nothing of it is journaled.
    AfterSend,
    /// A look is about to begin; its lease is durable.
    BeforeLook,
    /// The look ended; nothing of it is journaled.
    AfterLook,
}

impl Point {
    /// All points, in the order in which a run meets them.
    pub const ALL: [Self; 7] = [
        Self::BeforeCommit,
        Self::AfterCommit,
        Self::AfterPrepareStep,
        Self::BeforeSend,
        Self::AfterSend,
        Self::BeforeLook,
        Self::AfterLook,
    ];

    /// Its name in test scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BeforeCommit => "before-commit",
            Self::AfterCommit => "after-commit",
            Self::AfterPrepareStep => "after-prepare-step",
            Self::BeforeSend => "before-send",
            Self::AfterSend => "after-send",
            Self::BeforeLook => "before-look",
            Self::AfterLook => "after-look",
        }
    }
}

/// Is told where the executor stands, and may keep it there. Does nothing by default.
#[async_trait]
pub trait Probe: Send + Sync + 'static {
    /// The executor reached a point with this operation.
    async fn reached(&self, point: Point, operation: OperationId) {
        let _ = (point, operation);
    }
}

/// The probe of production: none.
pub(super) struct NoProbe;

impl Probe for NoProbe {}
