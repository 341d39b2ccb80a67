//! What an account holds, and how its records look in an answer.

use jiff::Timestamp;
use serde_json::{Value, json};

#[derive(Default)]
pub(super) struct Book {
    pub(super) messages: Vec<Message>,
    pub(super) calls: Vec<Call>,
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
    pub(super) due: Option<(i64, &'static str)>,
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
    pub(super) due: Option<(i64, &'static str)>,
}

impl Message {
    /// Gives it another status; what was due is not any more.
    pub(super) fn turn(&mut self, status: &'static str) {
        (self.status, self.due) = (status, None);
    }

    pub(super) fn value(&self) -> Value {
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
    pub(super) fn value(&self) -> Value {
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
