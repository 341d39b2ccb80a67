//! What an account holds, and how its records look in an answer.

use super::fail::Fail;
use super::list::Listed;
use hapax_standin::client::Call as Webhook;
use hapax_standin::{Collection, Due, Record};
use jiff::Timestamp;
use serde_json::{Value, json};

#[derive(Default)]
pub(super) struct Book {
    pub(super) messages: Collection<Message>,
    pub(super) calls: Collection<Call>,
}

#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) sid: String,
    pub(super) account: String,
    pub(super) to: String,
    pub(super) from: Option<String>,
    pub(super) service: Option<String>,
    pub(super) body: String,
    pub(super) media: usize,
    pub(super) status: &'static str,
    pub(super) error: Option<u32>,
    pub(super) callback: Option<String>,
    pub(super) created_ms: i64,
    pub(super) sent_ms: Option<i64>,
    /// When it leaves or settles, and what then becomes of it.
    pub(super) due: Due<&'static str>,
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) sid: String,
    pub(super) account: String,
    pub(super) to: String,
    pub(super) from: String,
    pub(super) status: &'static str,
    pub(super) callback: Option<String>,
    /// The events that the callback is for.
    pub(super) events: Vec<String>,
    pub(super) created_ms: i64,
    pub(super) started_ms: Option<i64>,
    pub(super) due: Due<&'static str>,
}

impl Book {
    pub(super) fn message(&mut self, sid: &str) -> Result<&mut Message, Fail> {
        self.messages.get_mut(sid).ok_or_else(Fail::missing)
    }

    /// Lets happen what time has brought about since the last request, and returns what is to be called back.
    pub(super) fn catch_up(&mut self, now_ms: i64) -> Vec<Webhook> {
        let mut reports = Vec::new();
        for message in &mut self.messages {
            if let Some((at, status)) = message.due.take(now_ms) {
                (message.status, message.sent_ms) = (status, Some(at));
                message.error = (status == "undelivered").then_some(30003);
                reports.extend(message.report());
            }
        }
        for call in &mut self.calls {
            if let Some((at, status)) = call.due.take(now_ms) {
                (call.status, call.started_ms) = (status, Some(at));
                reports.extend(call.report("completed"));
            }
        }
        reports
    }
}

impl Message {
    /// Gives it another status; what was due is not any more.
    pub(super) fn turn(&mut self, status: &'static str) {
        (self.status, self.due) = (status, Due::never());
    }

    /// The status callback that says what has become of it.
    pub(super) fn report(&self) -> Option<Webhook> {
        let error = self.error.map(|code| code.to_string());
        let mut fields = vec![
            ("MessageSid", self.sid.as_str()),
            ("MessageStatus", self.status),
            ("To", &self.to),
            ("From", self.from.as_deref().unwrap_or_default()),
            ("AccountSid", &self.account),
            ("ApiVersion", "2010-04-01"),
        ];
        fields.extend(error.as_deref().map(|code| ("ErrorCode", code)));
        self.callback.as_ref().map(|url| Webhook::post(url).form(&fields))
    }
}

impl Record for Message {
    fn id(&self) -> &str {
        &self.sid
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Listed for Message {
    const KIND: &'static str = "messages";
    const DATE: &'static str = "DateSent";

    fn dated_ms(&self) -> Option<i64> {
        self.sent_ms
    }

    fn value(&self) -> Value {
        json!({
            "account_sid": self.account,
            "api_version": "2010-04-01",
            "body": self.body,
            "date_created": written(self.created_ms),
            "date_sent": self.sent_ms.map(written),
            "date_updated": written(self.sent_ms.unwrap_or(self.created_ms)),
            "direction": "outbound-api",
            "error_code": self.error,
            "error_message": null,
            "from": self.from,
            "messaging_service_sid": self.service,
            "num_media": self.media.to_string(),
            "num_segments": self.body.chars().count().div_ceil(153).max(1).to_string(),
            "price": null,
            "price_unit": "USD",
            "sid": self.sid,
            "status": self.status,
            "to": self.to,
            "uri": format!("/2010-04-01/Accounts/{}/Messages/{}.json", self.account, self.sid),
        })
    }
}

impl Call {
    /// The status callback, if its maker wants to hear of this event.
    pub(super) fn report(&self, event: &str) -> Option<Webhook> {
        let fields = [
            ("CallSid", self.sid.as_str()),
            ("CallStatus", self.status),
            ("To", &self.to),
            ("From", &self.from),
            ("AccountSid", &self.account),
            ("ApiVersion", "2010-04-01"),
        ];
        let url = self.callback.as_ref().filter(|_| self.events.iter().any(|wanted| wanted == event));
        url.map(|url| Webhook::post(url).form(&fields))
    }
}

impl Record for Call {
    fn id(&self) -> &str {
        &self.sid
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Listed for Call {
    const KIND: &'static str = "calls";
    const DATE: &'static str = "StartTime";

    fn dated_ms(&self) -> Option<i64> {
        self.started_ms
    }

    fn value(&self) -> Value {
        json!({
            "account_sid": self.account,
            "api_version": "2010-04-01",
            "date_created": written(self.created_ms),
            "date_updated": written(self.started_ms.unwrap_or(self.created_ms)),
            "direction": "outbound-api",
            "from": self.from,
            "sid": self.sid,
            "start_time": self.started_ms.map(written),
            "status": self.status,
            "to": self.to,
            "uri": format!("/2010-04-01/Accounts/{}/Calls/{}.json", self.account, self.sid),
        })
    }
}

/// A time as Twilio writes it, RFC 2822 in GMT.
pub(super) fn written(ms: i64) -> String {
    let time = Timestamp::from_millisecond(ms).unwrap_or_default();
    time.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string()
}

/// The day of a time, in GMT.
pub(super) fn day(ms: i64) -> String {
    Timestamp::from_millisecond(ms).unwrap_or_default().strftime("%Y-%m-%d").to_string()
}
