//! The executor inside a durable handler.
//!
//! Restate makes sure that the handler comes to its end; hapax, that the step which reaches out may be repeated. What
//! happened is in hapax's ledger; Restate's journal keeps what hapax said of it.

use std::sync::Arc;
use std::time::Duration;

use hapax_core::executor::{Executor, ExecutorError, RunReport, RunRequest};
use hapax_core::identity::OperationKey;
use hapax_core::words::{Next, Outcome};
use restate_sdk::prelude::*;
use serde_json::{Value, json};

use crate::parts::{CONNECTION, Parts, Wanted};
use crate::{pause, say};

/// How long one step waits for hapax, in milliseconds of hapax's clock. What takes longer is slept for durably, and the step
/// stays far below Restate's abort time-out of ten minutes.
const STEP_WAITS_MS: u64 = 20_000;

/// A person's bell may get lost, so the handler looks again by itself.
const LOOKS_AGAIN_AFTER: Duration = Duration::from_secs(3600);

/// Effects at a provider.
pub(crate) struct Effects {
    executor: Executor,
    parts: Arc<Parts>,
}

impl Effects {
    pub(crate) fn new(executor: Executor, parts: Arc<Parts>) -> Self {
        Self { executor, parts }
    }
}

#[restate_sdk::service]
impl Effects {
    /// Does once what is wanted, and returns the receipt.
    #[handler]
    async fn once(&self, ctx: Context<'_>, wanted: Json<Wanted>) -> HandlerResult<Json<Value>> {
        let Wanted { cell, args } = wanted.into_inner();
        // The invocation's id is the same in every attempt of this handler, and the step has a name of its own.
        let key = OperationKey::from_parts(["restate", ctx.invocation_id(), &cell]).terminal()?;
        let request = RunRequest::new(CONNECTION, &cell, key, args).wait_ms(STEP_WAITS_MS);
        loop {
            let step = call(self.executor.clone(), request.clone());
            let report = ctx.run(|| step).name("hapax").await?.into_inner();
            match report.outcome {
                Outcome::Succeeded { receipt } => return Ok(Json(receipt)),
                // Asking again under this key changes nothing, so Restate must not try again either.
                Outcome::Refused { reason } => return Err(TerminalError::new_with_code(422, reason.to_string()).into()),
                // Nobody's failure: the worker is free until it is worth asking again.
                Outcome::Unknown { next: Next::CallAgain { after_ms }, .. } => {
                    ctx.sleep(self.parts.clock.real(after_ms)).await?;
                }
                Outcome::Unknown { next: Next::Held | Next::Person, why, .. } => {
                    // Whoever decides, decides in hapax. The bell carries nothing: it says that it is worth asking.
                    let (bell, rung) = ctx.awakeable::<()>();
                    let told = json!({ "operation": report.operation, "why": why, "bell": bell });
                    ctx.run(|| say::people(told)).name("tell people").await?;
                    restate_sdk::select! {
                        _ = rung => {},
                        _ = ctx.sleep(LOOKS_AGAIN_AFTER) => {},
                    }
                }
            }
        }
    }
}

/// One step. It may be repeated at any point: the executor finds the operation by its key and goes on from its ledger.
async fn call(executor: Executor, request: RunRequest) -> HandlerResult<Json<RunReport>> {
    match executor.run(request).await {
        Ok(report) => {
            pause::at(pause::BEFORE_RESTATE).await;
            Ok(Json(report))
        }
        // The ledger is away, or a clock is wrong: Restate tries again with its own pauses.
        Err(error @ (ExecutorError::Ledger(_) | ExecutorError::Future(_))) => Err(error.into()),
        // The request itself is wrong, and stays so.
        Err(error) => Err(TerminalError::new_with_code(400, error.to_string()).into()),
    }
}
