//! `twilio.send_message`: send an SMS, MMS or WhatsApp message once.
//!
//! Twilio has no key for it and no field of ours in it. What is left is to look through the list of
//! messages for one that looks like ours; an absence there only suggests.

use std::collections::BTreeMap;

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::{Body, Request};
use hapax_core::words::{Answer, Fault, Finding, found};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::{Address, Sender};
use crate::alike::{Likeness, content, likeness};
use crate::wire::{List, MESSAGES, Message, is_sid, is_web, list};
use crate::{callback, client, facts};

/// Sends this to them. Two equal messages are two messages.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendMessage {
    /// To whom: `+14155552345`, or `whatsapp:+14155552345`.
    pub to: Address,
    /// From whom: a number, `whatsapp:` and a number, a short code, or a name. May be left out with
    /// a Messaging Service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Sender>,
    /// `MG...`: the Messaging Service that sends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messaging_service_sid: Option<String>,
    /// The text, up to 1600 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Addresses of up to ten pictures or other media.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media_urls: Vec<String>,
    /// A template in place of text and media.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
    /// When it leaves, more than five minutes and at most 35 days ahead; needs a Messaging Service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub send_at: Option<Timestamp>,
    /// For how many seconds it may wait to leave; ten hours if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validity_seconds: Option<u32>,
    /// Where Twilio reports what becomes of it. Our mark is added to its query as `hapax`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_callback: Option<String>,
}

/// A template of Twilio's Content editor, as WhatsApp demands outside a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// `HX...`
    pub sid: String,
    /// What stands for the template's variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// The text that Twilio makes of it, letter by letter. Without it a message whose answer was
    /// lost can't be found again, and a person decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<String>,
}

/// A message that Twilio took on; whether it arrives is its fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageReceipt {
    /// `SM...` or `MM...`
    pub id: String,
    /// Twilio's status of the message.
    pub status: String,
    /// To whom.
    pub to: String,
    /// From whom, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Twilio's code of what went wrong on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<i64>,
}

/// The cell `twilio.send_message`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendMessageCell;

const SPEC: CellSpec = CellSpec::new(
    "twilio.send_message",
    "Sends an SMS, MMS or WhatsApp message",
    &[
        Rung::Query(facts::MESSAGES),
        Rung::Query(facts::CALLBACK),
        Rung::Human(Human { place: "https://console.twilio.com/us1/monitor/logs/sms: messages to {to} since then, with that text" }),
    ],
)
.stakes(Stakes::Medium)
.answers(&[facts::TOO_MANY_REQUESTS, facts::ANY_429, facts::UNAUTHORIZED])
.answers_within(facts::ANSWERS_WITHIN)
.later("status of the message, or its StatusCallback")
.reversal("not reversible once it has left; a scheduled one by twilio.cancel_message")
.residual("a message with the same text between the same numbers that somebody sent without hapax, at most ten minutes before ours, is taken for ours");

impl Cell for SendMessageCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = SendMessage;
    type Receipt = MessageReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &SendMessage) -> Answer<MessageReceipt> {
        let request = args.create(&shot.names().mark());
        shot.send(request, |message: Message| match content(args, &message) {
            Likeness::Other => Answer::Unclear(Fault::Echo("body".to_owned())),
            Likeness::Ours | Likeness::Unsure => receipt(message).map_or_else(Answer::Unclear, Answer::Happened),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &SendMessage) -> Result<Finding<MessageReceipt>, Fault> {
        let since = cx.names().since_unix();
        let number = args.from.as_ref().filter(|from| from.is_number());
        let filters = [("To", Some(args.to.as_str())), ("From", number.map(Sender::as_str))];
        let first = list(MESSAGES, filters.into_iter().filter_map(|(name, value)| Some((name, value?.to_owned()))));
        let compare = |message: Message| match likeness(args, &message, since) {
            Likeness::Other => None,
            likeness => Some((likeness, message)),
        };
        let hits = cx.search(first.clone(), |page: List<Message>, _| Ok(page.page(&first, compare))).await?;
        let (ours, unsure): (Vec<_>, Vec<_>) = hits.into_iter().partition(|(like, _)| *like == Likeness::Ours);
        if ours.is_empty() && !unsure.is_empty() {
            let count = unsure.len();
            return Ok(Finding::CannotTell(format!(
                "{count} message(s) to this recipient could be ours: their text or media can't be compared"
            )));
        }
        Ok(found(ours.into_iter().map(|(_, message)| receipt(message)).collect::<Result<_, _>>()?))
    }

    async fn fetch(&self, cx: &Context, args: &SendMessage, id: &str) -> Result<Option<MessageReceipt>, Fault> {
        if !is_sid(id, &["SM", "MM"]) {
            return Err(Fault::Unread("a message is named by its SID, SM... or MM...".to_owned()));
        }
        match cx.get::<Message>(client::record(MESSAGES, id)).await? {
            Some(message) if content(args, &message) == Likeness::Other => Err(Fault::Echo("body".to_owned())),
            Some(message) => receipt(message).map(Some),
            None => Ok(None),
        }
    }
}

fn receipt(message: Message) -> Result<MessageReceipt, Fault> {
    Ok(MessageReceipt {
        id: message.sid,
        status: message.status,
        to: message.to.ok_or_else(|| Fault::Unread("a message without a recipient".to_owned()))?,
        from: message.from,
        error_code: message.error_code,
    })
}

impl SendMessage {
    /// A text; for more, `SendMessage { status_callback, ..SendMessage::text(..) }`.
    pub fn text(to: Address, from: Sender, body: impl Into<String>) -> Self {
        Self {
            to,
            from: Some(from),
            messaging_service_sid: None,
            body: Some(body.into()),
            media_urls: Vec::new(),
            content: None,
            send_at: None,
            validity_seconds: None,
            status_callback: None,
        }
    }

    fn create(&self, mark: &str) -> Request {
        let variables = self.content.as_ref().map(|content| &content.variables).filter(|some| !some.is_empty());
        let pairs = [
            ("To", Some(self.to.as_str().to_owned())),
            ("From", self.from.as_ref().map(|from| from.as_str().to_owned())),
            ("MessagingServiceSid", self.messaging_service_sid.clone()),
            ("Body", self.body.clone()),
            ("ContentSid", self.content.as_ref().map(|content| content.sid.clone())),
            ("ContentVariables", variables.and_then(|variables| serde_json::to_string(variables).ok())),
            ("ScheduleType", self.send_at.map(|_| "fixed".to_owned())),
            ("SendAt", self.send_at.map(|at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())),
            ("ValidityPeriod", self.validity_seconds.map(|seconds| seconds.to_string())),
            // A service may replace letters by look-alikes; a look compares letters.
            ("SmartEncoded", self.messaging_service_sid.as_ref().map(|_| "false".to_owned())),
            ("StatusCallback", self.status_callback.as_ref().map(|url| callback::marked(url, mark))),
        ];
        let mut request = Request::post(MESSAGES).form(pairs);
        if let Body::Form(pairs) = &mut request.body {
            pairs.extend(self.media_urls.iter().map(|url| ("MediaUrl".to_owned(), url.clone())));
        }
        request
    }

    fn check_sender(&self) -> Result<(), String> {
        match (&self.from, &self.messaging_service_sid) {
            (None, None) => return Err("from: say the sender, or the messaging_service_sid".to_owned()),
            (_, Some(service)) if !is_sid(service, &["MG"]) => {
                return Err("messaging_service_sid: give the SID of a Messaging Service, MG...".to_owned());
            }
            _ => {}
        }
        match &self.from {
            Some(from) if from.is_whatsapp() != self.to.is_whatsapp() => {
                Err("from: sender and recipient must both be whatsapp: addresses, or neither".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn check_content(&self) -> Result<(), String> {
        match (&self.body, &self.content) {
            (Some(_), Some(_)) => return Err("content: a template takes the place of body".to_owned()),
            (None, None) if self.media_urls.is_empty() => return Err("body: there is nothing to send".to_owned()),
            (Some(body), None) if body.trim().is_empty() => return Err("body: it is empty".to_owned()),
            (Some(body), None) if body.chars().count() > 1600 => return Err("body: at most 1600 characters".to_owned()),
            (None, Some(content)) if !is_sid(&content.sid, &["HX"]) => {
                return Err("content.sid: give the SID of a template, HX...".to_owned());
            }
            (None, Some(_)) if !self.media_urls.is_empty() => {
                return Err("media_urls: a template brings its own media".to_owned());
            }
            _ => {}
        }
        if self.media_urls.len() > 10 || !self.media_urls.iter().all(|url| is_web(url)) {
            return Err("media_urls: at most ten, each beginning with http:// or https://".to_owned());
        }
        Ok(())
    }
}

impl CellArgs for SendMessage {
    const VOLATILE: &'static [&'static str] = &["status_callback"];

    fn check(&self) -> Result<(), String> {
        self.check_sender()?;
        self.check_content()?;
        if self.send_at.is_some() && self.messaging_service_sid.is_none() {
            return Err("send_at: only a Messaging Service can schedule; say its messaging_service_sid".to_owned());
        }
        if self.validity_seconds.is_some_and(|seconds| !(1..=36_000).contains(&seconds)) {
            return Err("validity_seconds: between 1 and 36000".to_owned());
        }
        self.status_callback.as_deref().map_or(Ok(()), |url| callback::check("status_callback", url))
    }

    fn echo(&self) -> Echo {
        let mut echo = vec![("to", self.to.as_str().to_owned())];
        echo.extend(self.from.as_ref().map(|from| ("from", from.as_str().to_owned())));
        echo
    }
}

impl CellReceipt for MessageReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        let mut echo = vec![("to", self.to.clone())];
        echo.extend(self.from.clone().map(|from| ("from", from)));
        echo
    }

    fn fate(&self) -> Option<(String, bool)> {
        let failed = matches!(self.status.as_str(), "failed" | "undelivered" | "canceled");
        Some((self.status.clone(), failed))
    }
}

#[cfg(all(test, feature = "standin"))]
mod equal;
#[cfg(test)]
mod tests;
