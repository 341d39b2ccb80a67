//! Batches of scheduled mails.

use hapax_standin::{Context, Effect, Record, Reply};
use serde_json::{Value, json};

use super::{SendGrid, fail};

/// Batches that can be cancelled or paused at once.
const MOST: usize = 10;
/// How long before its time a batch can be stopped at the latest.
const LATEST_MS: i64 = 10 * 60 * 1000;

pub(super) struct Batch {
    id: String,
    created_ms: i64,
    /// `cancel` or `pause`.
    pub(super) status: Option<String>,
}

impl Record for Batch {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

pub(super) fn create(context: &mut Context<'_, SendGrid>) -> Result<(u16, Value), Reply> {
    let id = context.world.ids.hex(16);
    let batch = Batch { id: id.clone(), created_ms: context.now_ms, status: None };
    context.state.batches.add(batch);
    Ok((201, json!({ "batch_id": id })))
}

/// Cancels or pauses.
pub(super) fn put(context: &mut Context<'_, SendGrid>) -> Result<(u16, Value), Reply> {
    let text = |name: &str| context.request.json_at(name).as_str().map(str::to_owned);
    let (id, status) = (text("/batch_id").unwrap_or_default(), text("/status").unwrap_or_default());
    if !matches!(status.as_str(), "cancel" | "pause") {
        return Err(fail(400, Some("status"), "status must be cancel or pause"));
    }
    let now_ms = context.now_ms;
    let is_due = |batch: &Batch, state: &SendGrid| {
        let is_in = |message: &&super::activity::Message| message.batch.as_ref() == Some(&batch.id);
        state.messages.iter().filter(is_in).any(|message| message.leaves_ms <= now_ms + LATEST_MS)
    };
    let stopped = context.state.batches.iter().filter(|batch| batch.status.is_some() && !is_due(batch, context.state));
    let is_full = stopped.count() >= MOST;
    let batch = context.state.batches.get(&id).ok_or_else(|| fail(400, Some("batch_id"), "invalid batch id"))?;
    if batch.status.is_some() {
        return Err(fail(400, Some("batch_id"), "a status for this batch id exists, try PATCH to update the status"));
    }
    if is_due(batch, context.state) {
        return Err(fail(400, Some("batch_id"), "it is too late to stop this batch"));
    }
    if is_full {
        return Err(fail(400, None, "the maximum of cancelled and paused batches is reached"));
    }
    if status == "cancel" {
        context.effect(Effect { kind: "cancel".to_owned(), object: id.clone(), ..Effect::default() });
    }
    if let Some(batch) = context.state.batches.get_mut(&id) {
        batch.status = Some(status.clone());
    }
    Ok((201, json!({ "batch_id": id, "status": status })))
}

/// The batch, if it is cancelled or paused.
pub(super) fn show(context: &mut Context<'_, SendGrid>) -> Result<Value, Reply> {
    let id = context.path("id");
    let batch = context.state.batches.get(&id).and_then(|batch| batch.status.as_ref());
    Ok(batch.map_or_else(|| json!([]), |status| json!([{ "batch_id": id, "status": status }])))
}
