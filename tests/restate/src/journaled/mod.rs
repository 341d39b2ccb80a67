//! Cells and `next` inside a durable handler, without hapax's executor and ledger.
//!
//! The operation's records are results of steps in Restate's journal, so they last as long as the invocation does. `next` is
//! pure: what it said in an earlier attempt of the handler it says again in a replay, because the moment at which it was
//! asked is in the journal too.
//!
//! What the ledger would add is missing here: that a key is not used with other arguments, that one record at the provider is
//! not taken for two intents', that people find what waits for them, and that an intent is known after its invocation.

mod course;

use std::sync::Arc;

use hapax_core::protocol::{Do, Final, Record};
use restate_sdk::prelude::*;
use serde_json::Value;

use crate::parts::{Parts, Wanted};
use course::Course;

/// Effects at a provider, kept in Restate's journal alone.
pub(crate) struct Journaled {
    parts: Arc<Parts>,
}

impl Journaled {
    pub(crate) fn new(parts: Arc<Parts>) -> Self {
        Self { parts }
    }
}

#[restate_sdk::service]
impl Journaled {
    /// Does once what is wanted, and returns the receipt.
    #[handler]
    async fn once(&self, ctx: Context<'_>, wanted: Json<Wanted>) -> HandlerResult<Json<Value>> {
        let mut course = Course::begin(&ctx, self.parts.clone(), wanted.into_inner()).await?;
        loop {
            let now = course.moment(&ctx).await?;
            let todo = course.next(now);
            if let Some(ended) = course.ended() {
                if todo != Do::Nothing {
                    // A second request was sent. The look for a second effect comes when all is settled, which the caller
                    // doesn't wait for.
                    ctx.service_client::<JournaledClient<'_>>().last_look(Json(course.into_records())).send();
                }
                return match ended {
                    Final::Succeeded(receipt) => Ok(Json((*receipt.body).clone())),
                    Final::Refused(reason) => Err(TerminalError::new_with_code(422, reason.to_string()).into()),
                };
            }
            match todo {
                Do::Wait { ms, .. } => ctx.sleep(self.parts.clock.real(ms)).await?,
                Do::Prepare { new_epoch } => course.prepare(&ctx, now, new_epoch).await?,
                Do::Send { new_epoch, replace_key, because } => {
                    course.send(&ctx, now, new_epoch, replace_key, because).await?;
                }
                Do::Look { .. } => course.look(&ctx).await?,
                Do::Ask { why } => course.ask(now, why),
                Do::Close { reason } => course.close(now, reason),
                Do::Nothing => course.wait_for_a_person(&ctx).await?,
            }
        }
    }

    /// Looks once more after a second request, and tells people what contradicts the receipt.
    #[handler]
    async fn last_look(&self, ctx: Context<'_>, records: Json<Vec<Record>>) -> HandlerResult<()> {
        let mut course = Course::resume(self.parts.clone(), records.into_inner())?;
        loop {
            let now = course.moment(&ctx).await?;
            match course.next(now) {
                Do::Wait { ms, .. } => ctx.sleep(self.parts.clock.real(ms)).await?,
                Do::Look { .. } => course.look(&ctx).await?,
                _ => return course.tell_of_alarms(&ctx).await,
            }
        }
    }
}
