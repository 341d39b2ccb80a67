//! Single sends. A `sendId` is remembered for five minutes, which is as long as is presumed.

use hapax_standin::{Collection, Context, Effect, Record};
use serde_json::{Value, json};

use super::fail::Fail;
use super::{HubSpot, text};

pub(super) type Sends = Collection<Send>;

const REMEMBERED_MS: i64 = 300_000;
/// How long a mail is under way.
const SENDING_MS: i64 = 1_000;

pub(super) struct Send {
    id: String,
    send_id: Option<String>,
    result: &'static str,
    created_ms: i64,
}

impl Record for Send {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Send {
    fn value(&self, now_ms: i64) -> Value {
        let mut value = json!({ "statusId": self.id, "requestedAt": "2026-09-21T14:13:20.000Z", "status": "PENDING" });
        if now_ms - self.created_ms >= SENDING_MS {
            value["status"] = "COMPLETE".into();
            value["sendResult"] = self.result.into();
        }
        value
    }
}

pub(super) fn send(context: &mut Context<'_, HubSpot>) -> Result<Value, Fail> {
    let to =
        text(context, "/message/to").ok_or_else(|| Fail::new(400, "VALIDATION_ERROR", "message.to is required"))?;
    if *context.request.json_at("/emailId") == 404 {
        return Err(Fail::new(404, "OBJECT_NOT_FOUND", "The email was not found"));
    }
    let (id, now_ms) = (context.world.ids.letters(20), context.now_ms);
    let send_id = text(context, "/message/sendId").map(str::to_owned);
    let is_repeat = !context.twists.key_ignored() && context.state.has_seen(send_id.as_deref(), now_ms);
    let result = match (is_repeat, to.starts_with("bounced")) {
        (true, _) => "IDEMPOTENT_IGNORE",
        (false, true) => "PREVIOUSLY_BOUNCED",
        (false, false) => "SENT",
    };
    if !is_repeat {
        let metadata = [("to".to_owned(), to.to_owned())].into();
        let (object, token) = (id.clone(), send_id.clone());
        context.effect(Effect { kind: "mail".to_owned(), object, token, metadata, ..Effect::default() });
    }
    let send = context.state.sends.add(Send { id, send_id, result, created_ms: now_ms });
    Ok(send.value(now_ms))
}

pub(super) fn status(context: &mut Context<'_, HubSpot>) -> Result<Value, Fail> {
    let (id, now_ms) = (context.path("id"), context.now_ms);
    context.state.sends.get(&id).map(|send| send.value(now_ms)).ok_or_else(Fail::missing)
}

impl HubSpot {
    fn has_seen(&self, send_id: Option<&str>, now_ms: i64) -> bool {
        let is_it = |send: &Send| send.send_id.as_deref() == send_id && now_ms - send.created_ms < REMEMBERED_MS;
        send_id.is_some() && self.sends.iter().any(is_it)
    }
}
