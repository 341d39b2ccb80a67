//! Messages: made, scheduled, canceled, blanked.

use super::book::Message;
use super::effects::message_effect;
use super::fail::Fail;
use super::list::{self, Listed};
use super::{Twilio, numbers, sid};
use crate::alike::TRIAL_PREFIX;
use hapax_standin::{Context, Due, Request};
use jiff::Timestamp;
use serde_json::Value;

const SOONEST_MS: i64 = 300 * 1000;
const LATEST_MS: i64 = 35 * 24 * 3600 * 1000;

pub(super) struct Create {
    to: String,
    from: Option<String>,
    service: Option<String>,
    body: String,
    media: usize,
    send_at_ms: Option<i64>,
    callback: Option<String>,
}

impl Create {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        let field = |name: &str| request.field(name).filter(|value| !value.is_empty()).map(str::to_owned);
        let to = field("To").ok_or_else(|| Fail::invalid(21604, "A 'To' phone number is required."))?;
        let (from, service) = (field("From"), field("MessagingServiceSid"));
        if from.is_none() && service.is_none() {
            return Err(Fail::invalid(21603, "A 'From' phone number is required."));
        }
        let media = request.form.iter().filter(|(name, _)| name == "MediaUrl").count();
        let body = body(request)?;
        if body.is_empty() && media == 0 && field("ContentSid").is_none() {
            return Err(Fail::invalid(21602, "Message body is required."));
        }
        let send_at_ms = send_at(request, service.is_some())?;
        Ok(Self { to, from, service, body, media, send_at_ms, callback: field("StatusCallback") })
    }

    /// Takes it on: this is the effect, though a scheduled one can still be canceled.
    pub(super) fn run(self, context: &mut Context<'_, Twilio>) -> Result<(u16, Value), Fail> {
        numbers::message_to(&self.to)?;
        if let Some(from) = &self.from {
            numbers::message_from(from, &context.state.owned)?;
        }
        let (now, settles_after_ms) = (context.now_ms, context.state.settles_after_ms);
        let fate = numbers::fate_of_message(&self.to);
        let (status, due) = match self.send_at_ms {
            Some(at) if !(SOONEST_MS..=LATEST_MS).contains(&(at - now)) => {
                let message = "SendAt time must be between 300 seconds and 35 days in the future";
                return Err(Fail::invalid(35115, message));
            }
            Some(at) => ("scheduled", at),
            None if self.service.is_some() => ("accepted", now + settles_after_ms),
            None => ("queued", now + settles_after_ms),
        };
        let body = if context.state.is_on_trial { format!("{TRIAL_PREFIX}{}", self.body) } else { self.body };
        let message = Message {
            sid: sid(context.world, if self.media > 0 { "MM" } else { "SM" }),
            account: context.account.to_owned(),
            to: self.to,
            from: self.from,
            service: self.service,
            body,
            media: self.media,
            status,
            error: None,
            callback: self.callback,
            created_ms: now,
            sent_ms: None,
            due: Due::at(due, fate),
        };
        context.effect(message_effect("message", &message));
        // Nothing is reported of a scheduled one before it leaves.
        if let Some(report) = message.report().filter(|_| status != "scheduled") {
            context.webhook(report);
        }
        let value = message.value();
        context.state.book(context.account).messages.add(message);
        Ok((201, value))
    }
}

/// The text; a template is rendered into its variables, one after the other.
fn body(request: &Request) -> Result<String, Fail> {
    let text = match (request.field("ContentSid"), request.field("ContentVariables")) {
        (Some(_), Some(variables)) => {
            let bad = |_| Fail::invalid(21656, "The ContentVariables parameter is invalid");
            let variables: std::collections::BTreeMap<String, String> = serde_json::from_str(variables).map_err(bad)?;
            format!("Template: {}", variables.into_values().collect::<Vec<_>>().join(" "))
        }
        (Some(_), None) => "Template".to_owned(),
        (None, _) => request.field("Body").unwrap_or_default().to_owned(),
    };
    if text.chars().count() > 1600 {
        return Err(Fail::invalid(21617, "The concatenated message body exceeds the 1600 character limit."));
    }
    Ok(text)
}

fn send_at(request: &Request, has_service: bool) -> Result<Option<i64>, Fail> {
    match (request.field("ScheduleType"), request.field("SendAt")) {
        (None, _) => Ok(None),
        (Some("fixed"), _) if !has_service => {
            Err(Fail::invalid(35118, "MessagingServiceSid is required to schedule a message"))
        }
        (Some("fixed"), Some(at)) => {
            let bad = |_| Fail::invalid(35115, "SendAt is not in ISO 8601 format");
            at.parse::<Timestamp>().map(|at| Some(at.as_millisecond())).map_err(bad)
        }
        (Some("fixed"), None) => Err(Fail::invalid(35111, "SendAt timestamp is missing")),
        (Some(_), _) => Err(Fail::invalid(35126, "The ScheduleType value is not supported")),
    }
}

/// What a POST to a message does to it.
pub(super) enum Update {
    Cancel,
    Redact,
}

impl Update {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        match (request.field("Status"), request.field("Body")) {
            (Some("canceled"), _) => Ok(Self::Cancel),
            (None, Some("")) => Ok(Self::Redact),
            _ => Err(Fail::invalid(20001, "Only Status=canceled and an empty Body are accepted")),
        }
    }

    pub(super) fn run(self, context: &mut Context<'_, Twilio>) -> Result<Value, Fail> {
        let message = context.state.book(context.account).message(list::sid_of(context.params))?;
        match self {
            Self::Redact => message.body.clear(),
            Self::Cancel if message.status == "scheduled" => {
                message.turn("canceled");
                let message = message.clone();
                context.effect(message_effect("cancel", &message));
                message.report().into_iter().for_each(|report| context.webhook(report));
                return Ok(message.value());
            }
            Self::Cancel => return Err(Fail::invalid(30409, "This message cannot be canceled")),
        }
        Ok(message.value())
    }
}
