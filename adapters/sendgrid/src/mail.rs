//! What a mail is made of, and how SendGrid reads it.

mod check;

use std::collections::BTreeMap;
use std::fmt;

use hapax_core::mail_address::Mailbox;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::activity::MARK;
use crate::attachment::Attachment;

pub(crate) use check::has_breaks;

/// Sends this mail. Nothing of it is volatile: another wording is another mail.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// Who it is from: an address or a domain that SendGrid has verified.
    pub from: Mailbox,
    /// Who gets it; they see each other. At most 1000 with those in copy.
    pub to: Vec<Mailbox>,
    /// Who gets a copy that everybody sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cc: Vec<Mailbox>,
    /// Who gets a copy that nobody sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bcc: Vec<Mailbox>,
    /// Where answers go, if not to the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<Mailbox>,
    /// Its subject, in any script. A template may bring one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The same as HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// A dynamic template in place of text and HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<Template>,
    /// Further headers of the mail.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Custom args of yours, which webhooks carry; `hapax` is ours.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub custom_args: BTreeMap<String, String>,
    /// Up to 10 categories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Files that go with it, 30 MB together once they are encoded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// When it leaves, up to 72 hours ahead, in whole seconds; at once if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub send_at: Option<Timestamp>,
    /// A batch id of SendGrid's (`POST /v3/mail/batch`), by which `sendgrid.cancel_scheduled` cancels it. Give each mail
    /// one of its own: all mails of a batch are cancelled together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<String>,
}

/// A dynamic template.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// Its id, `d-...`.
    pub id: String,
    /// What it is filled with.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

impl Mail {
    /// A mail to one person; for more, `Mail { cc, ..Mail::text(..) }`.
    pub fn text(from: Mailbox, to: Mailbox, subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            from,
            to: vec![to],
            cc: Vec::new(),
            bcc: Vec::new(),
            reply_to: None,
            subject: Some(subject.into()),
            text: Some(text.into()),
            html: None,
            template: None,
            headers: BTreeMap::new(),
            custom_args: BTreeMap::new(),
            categories: Vec::new(),
            attachments: Vec::new(),
            send_at: None,
            batch_id: None,
        }
    }

    /// As SendGrid reads it, always in the same words, with our mark among the custom args.
    pub(crate) fn written(&self, mark: &str) -> Value {
        let mut mail = Map::new();
        let mut put = |name: &str, value: Value| mail.insert(name.to_owned(), value);
        put("personalizations", json!([self.personalization(mark)]));
        put("from", person(&self.from));
        if let Some(reply_to) = &self.reply_to {
            put("reply_to", person(reply_to));
        }
        if let Some(subject) = &self.subject {
            put("subject", subject.clone().into());
        }
        // SendGrid wants the plain text first.
        let bodies = [("text/plain", &self.text), ("text/html", &self.html)];
        let content: Vec<Value> = bodies
            .into_iter()
            .filter_map(|(kind, body)| body.as_ref().map(|body| json!({ "type": kind, "value": body })))
            .collect();
        if !content.is_empty() {
            put("content", content.into());
        }
        if let Some(template) = &self.template {
            put("template_id", template.id.clone().into());
        }
        if !self.headers.is_empty() {
            put("headers", json!(self.headers));
        }
        if !self.categories.is_empty() {
            put("categories", json!(self.categories));
        }
        if !self.attachments.is_empty() {
            put("attachments", self.attachments.iter().map(Attachment::written).collect());
        }
        if let Some(at) = self.send_at {
            put("send_at", at.as_second().into());
        }
        if let Some(batch) = &self.batch_id {
            put("batch_id", batch.clone().into());
        }
        mail.into()
    }

    fn personalization(&self, mark: &str) -> Value {
        let mut one = Map::new();
        for (name, people) in [("to", &self.to), ("cc", &self.cc), ("bcc", &self.bcc)] {
            if !people.is_empty() {
                one.insert(name.to_owned(), people.iter().map(person).collect());
            }
        }
        let mut args = self.custom_args.clone();
        args.insert(MARK.to_owned(), mark.to_owned());
        one.insert("custom_args".to_owned(), json!(args));
        if let Some(template) = self.template.as_ref().filter(|template| !template.data.is_empty()) {
            one.insert("dynamic_template_data".to_owned(), template.data.clone().into());
        }
        one.into()
    }

    /// Whether somebody with this address gets it.
    pub(crate) fn is_to(&self, address: &str) -> bool {
        self.recipients().any(|mailbox| mailbox.address.as_str().eq_ignore_ascii_case(address))
    }

    fn recipients(&self) -> impl Iterator<Item = &Mailbox> {
        [&self.to, &self.cc, &self.bcc].into_iter().flatten()
    }
}

fn person(mailbox: &Mailbox) -> Value {
    match mailbox.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => json!({ "email": mailbox.address, "name": name }),
        None => json!({ "email": mailbox.address }),
    }
}

impl fmt::Debug for Mail {
    /// Counts only: everything else is personal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mail")
            .field("to", &self.to.len())
            .field("cc", &self.cc.len())
            .field("bcc", &self.bcc.len())
            .field("attachments", &self.attachments.len())
            .field("send_at", &self.send_at)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Template").field("id", &self.id).finish_non_exhaustive()
    }
}
