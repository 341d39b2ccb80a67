//! `hubspot.send_single_email`: send a mail that was made in HubSpot to one person, once.
//!
//! HubSpot sends at most one mail for a `sendId`. For how long is not said, so a repeat goes out within one retry loop
//! alone; afterwards a person decides, because nothing can be asked by it.

mod fate;

use std::collections::BTreeMap;
use std::fmt;

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::{Request, is_plain_segment};
use hapax_core::words::{Answer, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{facts, wire};

/// Sends a transactional mail to one person.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendSingleEmail {
    /// The number of the mail in HubSpot's email tool.
    pub email_id: u64,
    /// To whom: an address alone.
    pub to: String,
    /// The sender, `Name <address>`; without one the mail's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Where answers go: addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reply_to: Vec<String>,
    /// Copies: addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cc: Vec<String>,
    /// Blind copies: addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bcc: Vec<String>,
    /// Values that are set on the contact with that address, which HubSpot creates if there is none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub contact_properties: BTreeMap<String, String>,
    /// Values that the mail shows as `{{ custom.NAME }}`; no lists, which HubSpot doesn't take.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub custom_properties: BTreeMap<String, Value>,
}

/// A send that HubSpot accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SingleEmailReceipt {
    /// HubSpot's id of the request that it accepted: its `statusId`.
    pub id: String,
    /// What names the mail: at most one is sent for it, by this request or an earlier one.
    pub send_id: String,
    /// `PENDING`, `PROCESSING`, `COMPLETE` or `CANCELED`.
    pub status: String,
    /// What became of it, once that is known: `SENT`, or why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// The cell `hubspot.send_single_email`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendSingleEmailCell;

const STATUSES: [&str; 4] = ["PENDING", "PROCESSING", "COMPLETE", "CANCELED"];

const SPEC: CellSpec = CellSpec::new(
    "hubspot.send_single_email",
    "Sends a transactional mail to one person",
    &[
        Rung::Native(facts::SEND_ID),
        Rung::Human(Human { place: "HubSpot, the contact {to}: mails of that time on its timeline" }),
    ],
)
.answers(&[facts::UNAUTHORIZED])
.stakes(Stakes::High)
.answers_within(facts::ACCEPTED_WITHIN)
.later("by reading the status of the send")
.residual(
    "HubSpot doesn't say for how long it remembers a sendId: forgotten sooner than presumed, a repeat is a second mail",
);

/// The status of a send, as HubSpot shows it.
#[derive(Deserialize)]
struct SendStatus {
    #[serde(rename = "statusId")]
    id: String,
    status: String,
    #[serde(rename = "sendResult")]
    result: Option<String>,
}

impl Cell for SendSingleEmailCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = SendSingleEmail;
    type Receipt = SingleEmailReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &SendSingleEmail) -> Answer<SingleEmailReceipt> {
        let send_id = shot.names().token("send");
        let request = Request::post("/marketing/v3/transactional/single-email/send").json(args.body(&send_id));
        shot.send(request, |status: SendStatus| match receipt(status, send_id) {
            Ok(receipt) => Answer::Happened(receipt),
            Err(fault) => Answer::Unclear(fault),
        })
        .await
    }

    async fn fetch(&self, cx: &Context, _: &SendSingleEmail, id: &str) -> Result<Option<SingleEmailReceipt>, Fault> {
        if !is_plain_segment(id) {
            return Err(Fault::Unread("a send is named by its statusId".to_owned()));
        }
        let read = Request::get(format!("/marketing/v3/email/send-statuses/{id}"));
        let Some(status) = cx.get::<SendStatus>(read).await? else { return Ok(None) };
        if status.id != id {
            return Err(Fault::Echo("statusId".to_owned()));
        }
        receipt(status, cx.names().token("send")).map(Some)
    }
}

fn receipt(send: SendStatus, send_id: String) -> Result<SingleEmailReceipt, Fault> {
    if send.id.is_empty() || !STATUSES.contains(&send.status.as_str()) {
        return Err(Fault::Unread("a send without an id, or of an unknown status".to_owned()));
    }
    Ok(SingleEmailReceipt { id: send.id, send_id, status: send.status, result: send.result })
}

impl SendSingleEmail {
    /// A mail to this address; for more, `SendSingleEmail { from, ..SendSingleEmail::of(..) }`.
    pub fn of(email_id: u64, to: impl Into<String>) -> Self {
        Self {
            email_id,
            to: to.into(),
            from: None,
            reply_to: Vec::new(),
            cc: Vec::new(),
            bcc: Vec::new(),
            contact_properties: BTreeMap::new(),
            custom_properties: BTreeMap::new(),
        }
    }

    fn body(&self, send_id: &str) -> Value {
        let mut message = json!({ "to": self.to, "sendId": send_id });
        if let Some(from) = &self.from {
            message["from"] = json!(from);
        }
        for (name, list) in [("replyTo", &self.reply_to), ("cc", &self.cc), ("bcc", &self.bcc)] {
            if !list.is_empty() {
                message[name] = json!(list);
            }
        }
        let mut body = json!({ "emailId": self.email_id, "message": message });
        if !self.contact_properties.is_empty() {
            body["contactProperties"] = json!(self.contact_properties);
        }
        if !self.custom_properties.is_empty() {
            body["customProperties"] = json!(self.custom_properties);
        }
        body
    }
}

/// Addresses and what stands in the mail are never shown.
impl fmt::Debug for SendSingleEmail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendSingleEmail").field("email_id", &self.email_id).finish_non_exhaustive()
    }
}

impl CellArgs for SendSingleEmail {
    fn check(&self) -> Result<(), String> {
        if self.email_id == 0 {
            return Err("email_id: give the number of the mail in the email tool".to_owned());
        }
        if !wire::is_address(&self.to) {
            return Err("to: give one mail address, without a name".to_owned());
        }
        for (field, list) in [("reply_to", &self.reply_to), ("cc", &self.cc), ("bcc", &self.bcc)] {
            if !list.iter().all(|address| wire::is_address(address)) {
                return Err(format!("{field}: give mail addresses, without names"));
            }
        }
        if self.custom_properties.values().any(Value::is_array) {
            return Err("custom_properties: HubSpot takes no lists; write one out as HTML".to_owned());
        }
        self.contact_properties.keys().try_for_each(|name| wire::check_property("contact_properties", name))
    }

    /// Nothing: the status of a send says neither to whom nor which mail.
    fn echo(&self) -> Echo {
        Vec::new()
    }
}

impl CellReceipt for SingleEmailReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn fate(&self) -> Option<(String, bool)> {
        fate::fate(&self.status, self.result.as_deref())
    }
}

#[cfg(test)]
mod tests;
