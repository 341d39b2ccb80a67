//! `sendgrid.upsert_contact`: see to it that a marketing contact has these fields.
//!
//! Be so: fields take the place of fields, so a repeat changes nothing more. The last writer wins. SendGrid works on it
//! later, in a job whose end is the fate.

use std::collections::BTreeMap;
use std::fmt;

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Shot};
use hapax_core::mail_address::Address;
use hapax_core::transport::{Method, Request, is_plain_segment};
use hapax_core::words::{Answer, Doer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::facts;
use crate::mail::has_breaks;

/// Makes a contact, or changes these fields of one. What is not said stays as it is.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpsertContact {
    /// Its address, by which it is known.
    pub email: Address,
    /// Its first name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// Its last name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// Its city.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// Its state, province or region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_province_region: Option<String>,
    /// Its postal code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    /// Ids of lists that it is to be in. It stays in others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<String>,
}

/// A contact that SendGrid took on, or that is as it was to be. It names nobody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UpsertContactReceipt {
    /// SendGrid's id of the job; empty if the contact was found as it was to be.
    pub job: String,
    /// Whose doing it is.
    pub doer: Doer,
    /// How the job stands, once that was read: `pending`, `completed`, `errored` or `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The cell `sendgrid.upsert_contact`.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpsertContactCell;

const CONTACTS: &str = "/v3/marketing/contacts";

const SPEC: CellSpec = CellSpec::new(
    "sendgrid.upsert_contact",
    "Makes a marketing contact, or changes its fields",
    &[
        Rung::Native(facts::SAME_FIELDS),
        Rung::Query(facts::BY_ADDRESS),
        Rung::Human(Human { place: "https://mc.sendgrid.com/contacts: does the contact have these fields?" }),
    ],
)
.be_so()
.stakes(Stakes::Low)
.answers(facts::ANSWERS)
.later("GET /v3/marketing/contacts/imports/{job}: completed, errored or failed")
.reversal("sendgrid.upsert_contact with the earlier fields; a new contact by deleting it")
.residual("the job may fail after it was accepted");

impl Cell for UpsertContactCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = UpsertContact;
    type Receipt = UpsertContactReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &UpsertContact) -> Answer<UpsertContactReceipt> {
        let request = Request::new(Method::Put, CONTACTS).json(args.written());
        shot.send(request, |accepted: Accepted| match accepted.job_id {
            job if is_plain_segment(&job) => {
                Answer::Happened(UpsertContactReceipt { job, doer: Doer::Us, status: None })
            }
            _ => Answer::Unclear(Fault::Unread("an answer that names no job".to_owned())),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &UpsertContact) -> Result<Finding<UpsertContactReceipt>, Fault> {
        let search = Request::post(format!("{CONTACTS}/search/emails")).json(json!({ "emails": [args.email] }));
        let Some(listed) = cx.get::<Listed>(search).await? else { return Ok(Finding::Absent) };
        let shown = listed.result.into_iter().find(|(email, _)| email.eq_ignore_ascii_case(args.email.as_str()));
        match shown.map(|(_, shown)| shown) {
            Some(Shown { contact: Some(contact), .. }) if args.is_shown_by(&contact) => {
                Ok(Finding::Happened(UpsertContactReceipt { job: String::new(), doer: Doer::CannotTell, status: None }))
            }
            Some(Shown { contact: Some(_), .. } | Shown { error: Some(_), .. }) => Ok(Finding::Absent),
            _ => Err(Fault::Unread("an answer that doesn't speak of the address".to_owned())),
        }
    }

    async fn fetch(&self, cx: &Context, args: &UpsertContact, id: &str) -> Result<Option<UpsertContactReceipt>, Fault> {
        if !is_plain_segment(id) {
            return Err(Fault::Unread("a job is named by its id".to_owned()));
        }
        let Some(job) = cx.get::<Job>(Request::get(format!("{CONTACTS}/imports/{id}"))).await? else { return Ok(None) };
        if job.id != id || job.job_type != "upsert" {
            return Err(Fault::Echo("job".to_owned()));
        }
        // A job doesn't show whose contact it is about, so one that went well counts only if the contact is as asked.
        let came_to_nothing = is_failed(&job.status);
        if came_to_nothing || matches!(self.find(cx, args).await?, Finding::Happened(_)) {
            let doer = if came_to_nothing { Doer::Us } else { Doer::CannotTell };
            return Ok(Some(UpsertContactReceipt { job: job.id, doer, status: Some(job.status) }));
        }
        Err(Fault::Unread(format!("the job is {:?} and the contact can't be seen to be as asked", job.status)))
    }
}

fn is_failed(status: &str) -> bool {
    matches!(status, "errored" | "failed")
}

#[derive(Deserialize)]
struct Accepted {
    job_id: String,
}

#[derive(Deserialize)]
struct Job {
    id: String,
    status: String,
    job_type: String,
}

/// Contacts by the addresses that were asked for.
#[derive(Deserialize)]
struct Listed {
    result: BTreeMap<String, Shown>,
}

/// What is shown of one address: a contact, or that there is none.
#[derive(Deserialize)]
struct Shown {
    contact: Option<Map<String, Value>>,
    error: Option<String>,
}

impl UpsertContact {
    /// A contact in these lists, with nothing else said.
    pub fn of(email: Address, lists: Vec<String>) -> Self {
        Self {
            email,
            first_name: None,
            last_name: None,
            city: None,
            state_province_region: None,
            postal_code: None,
            lists,
        }
    }

    fn fields(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let fields = [
            ("first_name", &self.first_name),
            ("last_name", &self.last_name),
            ("city", &self.city),
            ("state_province_region", &self.state_province_region),
            ("postal_code", &self.postal_code),
        ];
        fields.into_iter().filter_map(|(name, value)| value.as_ref().map(|value| (name, value)))
    }

    fn written(&self) -> Value {
        let mut contact = json!({ "email": self.email });
        for (name, value) in self.fields() {
            contact[name] = value.clone().into();
        }
        let mut body = json!({ "contacts": [contact] });
        if !self.lists.is_empty() {
            body["list_ids"] = json!(self.lists);
        }
        body
    }

    /// Whether a contact has all that was asked for.
    fn is_shown_by(&self, contact: &Map<String, Value>) -> bool {
        let lists = contact.get("list_ids").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        self.fields().all(|(name, value)| contact.get(name).and_then(Value::as_str) == Some(value))
            && self.lists.iter().all(|list| lists.iter().any(|shown| shown == list.as_str()))
    }
}

impl CellArgs for UpsertContact {
    fn check(&self) -> Result<(), String> {
        if let Some((name, _)) = self.fields().find(|(_, value)| value.trim() != *value || value.is_empty()) {
            return Err(format!("{name}: it is empty, or has spaces around it"));
        }
        if let Some((name, _)) = self.fields().find(|(_, value)| has_breaks(value)) {
            return Err(format!("{name}: it is one line"));
        }
        if !self.lists.iter().all(|list| is_plain_segment(list)) {
            return Err("lists: give ids of lists".to_owned());
        }
        Ok(())
    }
}

impl CellReceipt for UpsertContactReceipt {
    /// The job, which is nobody else's.
    fn id(&self) -> &str {
        &self.job
    }

    fn fate(&self) -> Option<(String, bool)> {
        let status = self.status.clone()?;
        let failed = is_failed(&status);
        Some((status, failed))
    }
}

impl fmt::Debug for UpsertContact {
    /// Nothing of it is shown but the lists: everything else is personal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpsertContact").field("lists", &self.lists).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
