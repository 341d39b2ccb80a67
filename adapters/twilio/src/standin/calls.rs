//! Calls: made, and ended by time.

use super::book::Call;
use super::desk::Desk;
use super::fail::Fail;
use super::numbers;
use hapax_standin::Request;
use serde_json::Value;

pub(super) struct Create {
    to: String,
    from: String,
    callback: Option<String>,
    events: Vec<String>,
}

impl Create {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        let field = |name: &str| request.field(name).filter(|value| !value.is_empty()).map(str::to_owned);
        let to = field("To").ok_or_else(|| Fail::invalid(21201, "No 'To' number specified"))?;
        let from = field("From").ok_or_else(|| Fail::invalid(21213, "'From' phone number is required"))?;
        if field("Url").or_else(|| field("Twiml")).or_else(|| field("ApplicationSid")).is_none() {
            return Err(Fail::invalid(21205, "Url parameter is required"));
        }
        let named = request.form.iter().filter(|(name, _)| name == "StatusCallbackEvent");
        let mut events: Vec<String> = named.map(|(_, event)| event.clone()).collect();
        if events.is_empty() {
            events.push("completed".to_owned());
        }
        Ok(Self { to, from, callback: field("StatusCallback"), events })
    }

    /// Rings: this is the effect.
    pub(super) fn run(self, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        numbers::call_to(&self.to)?;
        numbers::call_from(&self.from, desk.owned)?;
        let call = Call {
            sid: desk.sid("CA"),
            account: desk.account.to_owned(),
            due: Some((desk.now_ms + desk.settles_after_ms, numbers::fate_of_call(&self.to))),
            to: self.to,
            from: self.from,
            status: "queued",
            callback: self.callback,
            events: self.events,
            created_ms: desk.now_ms,
            started_ms: None,
        };
        desk.call_effect(&call);
        let (value, sid) = (call.value(), call.sid.clone());
        desk.book.calls.push(call);
        desk.report_call(&sid, "initiated");
        Ok(value)
    }
}
