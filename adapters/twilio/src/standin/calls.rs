//! Calls: made, and ended by time.

use super::book::Call;
use super::effects::call_effect;
use super::fail::Fail;
use super::list::Listed;
use super::{Twilio, numbers, sid};
use hapax_standin::{Context, Due, Request};
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
    pub(super) fn run(self, context: &mut Context<'_, Twilio>) -> Result<(u16, Value), Fail> {
        numbers::call_to(&self.to)?;
        numbers::call_from(&self.from, &context.state.owned)?;
        let call = Call {
            sid: sid(context.world, "CA"),
            account: context.account.to_owned(),
            due: Due::at(context.now_ms + context.state.settles_after_ms, numbers::fate_of_call(&self.to)),
            to: self.to,
            from: self.from,
            status: "queued",
            callback: self.callback,
            events: self.events,
            created_ms: context.now_ms,
            started_ms: None,
        };
        context.effect(call_effect(&call));
        call.report("initiated").into_iter().for_each(|report| context.webhook(report));
        let value = call.value();
        context.state.book(context.account).calls.add(call);
        Ok((201, value))
    }
}
