//! `twilio.call`: ring somebody once.
//!
//! As for messages there is no key. A call's record doesn't even say what the call was about, so
//! what looks like ours is a call between the same numbers since ours departed.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::{Body, Request};
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::PhoneNumber;
use crate::wire::{CALLS, CallRecord, List, is_sid, list, seconds};
use crate::{callback, client, facts};

/// Rings them and follows instructions. Say what happens by exactly one of `url`, `twiml` and
/// `application_sid`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Who is rung.
    pub to: PhoneNumber,
    /// From which number: one of the account's, or a verified caller id.
    pub from: PhoneNumber,
    /// Where Twilio fetches the instructions (TwiML) once somebody answers. Our mark is added to its
    /// query as `hapax`: a server that has served it for another call answers `<Hangup/>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The instructions themselves, up to 4000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twiml: Option<String>,
    /// `AP...`: the application that has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_sid: Option<String>,
    /// Keys to press once it is answered: digits, `*`, `#`, and `w` to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_digits: Option<String>,
    /// For how many seconds it rings; 60 if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ring_seconds: Option<u32>,
    /// Whether it is recorded. Whether that is lawful is yours to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<bool>,
    /// Where Twilio reports what becomes of it. Our mark is added to its query as `hapax`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_callback: Option<String>,
}

/// A call that Twilio took on; whether somebody answers is its fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallReceipt {
    /// `CA...`
    pub id: String,
    /// Twilio's status of the call.
    pub status: String,
    /// Who is rung.
    pub to: String,
    /// From which number.
    pub from: String,
}

/// The cell `twilio.call`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallCell;

const SPEC: CellSpec = CellSpec::new(
    "twilio.call",
    "Rings a telephone and follows instructions",
    &[
        Rung::Query(facts::CALLS),
        Rung::Query(facts::CALLBACK),
        Rung::Human(Human { place: "https://console.twilio.com/us1/monitor/logs/calls: calls from {from} to {to} since then" }),
    ],
)
.stakes(Stakes::High)
.answers(&[facts::TOO_MANY_REQUESTS, facts::UNAUTHORIZED])
.answers_within(facts::ANSWERS_WITHIN)
.later("status of the call, or its StatusCallback")
.reversal("by hand, by setting its status: canceled while it is queued or rings, completed to hang up")
.residual("a call between the same numbers that somebody made without hapax since ten minutes before ours is taken for ours, whatever it was about");

/// All that Twilio can report, so that the first one names the call as soon as there is one.
const EVENTS: [&str; 4] = ["initiated", "ringing", "answered", "completed"];

impl Cell for CallCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Call;
    type Receipt = CallReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Call) -> Answer<CallReceipt> {
        let request = args.create(&shot.names().mark());
        shot.send(request, |call: CallRecord| receipt(call).map_or_else(Answer::Unclear, Answer::Happened)).await
    }

    async fn find(&self, cx: &Context, args: &Call) -> Result<Finding<CallReceipt>, Fault> {
        let since = cx.names().since_unix();
        let first = list(CALLS, [("To", args.to.as_str().to_owned()), ("From", args.from.as_str().to_owned())]);
        let ours = |call: CallRecord| args.is_alike(&call, since).then_some(call);
        let hits = cx.search(first.clone(), |page: List<CallRecord>, _| Ok(page.page(&first, ours))).await?;
        Ok(found(hits.into_iter().map(receipt).collect::<Result<_, _>>()?))
    }

    async fn fetch(&self, cx: &Context, _args: &Call, id: &str) -> Result<Option<CallReceipt>, Fault> {
        if !is_sid(id, &["CA"]) {
            return Err(Fault::Unread("a call is named by its SID, CA...".to_owned()));
        }
        cx.get::<CallRecord>(client::record(CALLS, id)).await?.map(receipt).transpose()
    }
}

fn receipt(call: CallRecord) -> Result<CallReceipt, Fault> {
    match (call.to, call.from) {
        (Some(to), Some(from)) => Ok(CallReceipt { id: call.sid, status: call.status, to, from }),
        _ => Err(Fault::Unread("a call without its numbers".to_owned())),
    }
}

impl Call {
    /// A call that follows these instructions; for more, `Call { status_callback, ..Call::saying(..) }`.
    pub fn saying(to: PhoneNumber, from: PhoneNumber, twiml: impl Into<String>) -> Self {
        Self {
            to,
            from,
            url: None,
            twiml: Some(twiml.into()),
            application_sid: None,
            send_digits: None,
            ring_seconds: None,
            record: None,
            status_callback: None,
        }
    }

    /// Whether a record of the list can be this call. One that doesn't say when it was made counts:
    /// to leave it out would be a false absence.
    fn is_alike(&self, call: &CallRecord, since: i64) -> bool {
        call.direction.as_deref() == Some("outbound-api")
            && call.to.as_deref() == Some(self.to.as_str())
            && call.from.as_deref() == Some(self.from.as_str())
            && seconds(call.date_created.as_deref()).is_none_or(|created| created >= since)
    }

    fn create(&self, mark: &str) -> Request {
        let marked = |url: &Option<String>| url.as_ref().map(|url| callback::marked(url, mark));
        let pairs = [
            ("To", Some(self.to.as_str().to_owned())),
            ("From", Some(self.from.as_str().to_owned())),
            ("Url", marked(&self.url)),
            ("Twiml", self.twiml.clone()),
            ("ApplicationSid", self.application_sid.clone()),
            ("SendDigits", self.send_digits.clone()),
            ("Timeout", self.ring_seconds.map(|seconds| seconds.to_string())),
            ("Record", self.record.map(|record| record.to_string())),
            ("StatusCallback", marked(&self.status_callback)),
        ];
        let mut request = Request::post(CALLS).form(pairs);
        if let (Body::Form(pairs), Some(_)) = (&mut request.body, &self.status_callback) {
            pairs.extend(EVENTS.map(|event| ("StatusCallbackEvent".to_owned(), event.to_owned())));
        }
        request
    }
}

impl CellArgs for Call {
    const VOLATILE: &'static [&'static str] = &["status_callback"];

    fn check(&self) -> Result<(), String> {
        match (&self.url, &self.twiml, &self.application_sid) {
            (Some(url), None, None) => callback::check("url", url)?,
            (None, Some(twiml), None) if twiml.trim().is_empty() || twiml.chars().count() > 4000 => {
                return Err("twiml: between 1 and 4000 characters".to_owned());
            }
            (None, Some(_), None) => {}
            (None, None, Some(sid)) if is_sid(sid, &["AP"]) => {}
            (None, None, Some(_)) => {
                return Err("application_sid: give the SID of an application, AP...".to_owned());
            }
            _ => return Err("url, twiml, application_sid: say what happens by exactly one of them".to_owned()),
        }
        if self.application_sid.is_some() && self.status_callback.is_some() {
            return Err("status_callback: Twilio ignores it where an application says what happens".to_owned());
        }
        let is_key = |letter: char| letter.is_ascii_digit() || "*#wW".contains(letter);
        if self.send_digits.as_ref().is_some_and(|keys| keys.is_empty() || keys.len() > 32 || !keys.chars().all(is_key))
        {
            return Err("send_digits: up to 32 digits, *, # and w".to_owned());
        }
        if self.ring_seconds.is_some_and(|seconds| !(1..=600).contains(&seconds)) {
            return Err("ring_seconds: between 1 and 600".to_owned());
        }
        self.status_callback.as_deref().map_or(Ok(()), |url| callback::check("status_callback", url))
    }

    fn echo(&self) -> Echo {
        vec![("to", self.to.as_str().to_owned()), ("from", self.from.as_str().to_owned())]
    }
}

impl CellReceipt for CallReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("to", self.to.clone()), ("from", self.from.clone())]
    }

    fn fate(&self) -> Option<(String, bool)> {
        let failed = matches!(self.status.as_str(), "busy" | "no-answer" | "failed" | "canceled");
        Some((self.status.clone(), failed))
    }
}

#[cfg(test)]
mod tests;
