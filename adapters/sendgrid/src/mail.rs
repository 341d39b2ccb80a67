//! What a mail is made of, checked before anything is journaled.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hapax_core::cell::CellArgs;
use hapax_core::mail_address::Mailbox;
use hapax_core::transport::is_plain_segment;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::activity::MARK;
use crate::attachment::Attachment;

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

/// Recipients of one request.
const MOST_RECIPIENTS: usize = 1000;
/// Custom args with their names, in bytes.
const MOST_ARGS: usize = 10_000;
const MOST_CATEGORIES: usize = 10;
/// A whole message may have 30 MB.
const MOST_ATTACHED: usize = 30_000_000;
/// Headers that are SendGrid's own.
const OWN_HEADERS: [&str; 12] = [
    "x-sg-id",
    "x-sg-eid",
    "received",
    "dkim-signature",
    "content-type",
    "content-transfer-encoding",
    "to",
    "from",
    "subject",
    "reply-to",
    "cc",
    "bcc",
];

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

    fn check_people(&self) -> Result<(), String> {
        let addresses: Vec<String> =
            self.recipients().map(|mailbox| mailbox.address.as_str().to_ascii_lowercase()).collect();
        if self.to.is_empty() || addresses.len() > MOST_RECIPIENTS {
            return Err(format!("to: name 1 to {MOST_RECIPIENTS} recipients"));
        }
        if addresses.iter().collect::<BTreeSet<_>>().len() < addresses.len() {
            return Err("to, cc, bcc: name each address once".to_owned());
        }
        let mut people = self.recipients().chain(&self.reply_to).chain([&self.from]);
        if people.any(|mailbox| mailbox.name.as_deref().is_some_and(has_breaks)) {
            return Err("name: a name is one line".to_owned());
        }
        Ok(())
    }

    fn check_content(&self) -> Result<(), String> {
        let subject = self.subject.as_deref();
        if subject.is_some_and(|subject| has_breaks(subject) || subject.trim().is_empty()) {
            return Err("subject: a subject is one line, and not empty".to_owned());
        }
        let bodies = [&self.text, &self.html];
        match &self.template {
            None if subject.is_none() => return Err("subject: only a template may bring one".to_owned()),
            None if bodies.iter().all(|body| body.is_none()) => {
                return Err("text, html: there is nothing to send".to_owned());
            }
            _ if bodies.iter().any(|body| body.as_ref().is_some_and(String::is_empty)) => {
                return Err("text, html: a body is not empty".to_owned());
            }
            Some(_) if bodies.iter().any(|body| body.is_some()) => {
                return Err("template: it takes the place of text and html".to_owned());
            }
            Some(template) if !template.id.starts_with("d-") || !is_plain_segment(&template.id) => {
                return Err("template.id: give the id of a dynamic template, d-...".to_owned());
            }
            _ => {}
        }
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
        if !self.headers.iter().all(|(name, value)| is_name(name) && !has_breaks(value)) {
            return Err("headers: a header has a name without spaces or colons, and a value in one line".to_owned());
        }
        if self.headers.keys().any(|name| OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str())) {
            return Err("headers: one of these is SendGrid's own".to_owned());
        }
        Ok(())
    }

    fn check_marks(&self) -> Result<(), String> {
        if self.custom_args.contains_key(MARK) {
            return Err(format!("custom_args: the arg {MARK} is hapax's own"));
        }
        let length: usize = self.custom_args.iter().map(|(name, value)| name.len() + value.len() + 6).sum();
        if length + 64 > MOST_ARGS {
            return Err(format!("custom_args: {MOST_ARGS} bytes are the most that SendGrid carries, ours among them"));
        }
        if self.categories.len() > MOST_CATEGORIES || self.categories.iter().any(String::is_empty) {
            return Err(format!("categories: at most {MOST_CATEGORIES}, none of them empty"));
        }
        match (&self.batch_id, self.send_at) {
            (Some(batch), _) if !is_plain_segment(batch) => Err("batch_id: give a batch id of SendGrid's".to_owned()),
            (Some(_), None) => Err("batch_id: only a mail with send_at can be cancelled".to_owned()),
            (_, Some(at)) if at.subsec_nanosecond() != 0 => Err("send_at: give whole seconds".to_owned()),
            _ => Ok(()),
        }
    }

    fn check_attachments(&self) -> Result<(), String> {
        let mut attached = 0;
        for (number, attachment) in self.attachments.iter().enumerate() {
            attached += attachment.check().map_err(|why| format!("attachments[{number}].{why}"))?;
        }
        if attached > MOST_ATTACHED {
            return Err("attachments: 30 MB together, encoded, are the most that SendGrid sends".to_owned());
        }
        Ok(())
    }
}

fn person(mailbox: &Mailbox) -> Value {
    match mailbox.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => json!({ "email": mailbox.address, "name": name }),
        None => json!({ "email": mailbox.address }),
    }
}

/// A line break in a header would begin another header.
pub(crate) fn has_breaks(text: &str) -> bool {
    text.chars().any(char::is_control)
}

impl CellArgs for Mail {
    fn check(&self) -> Result<(), String> {
        self.check_people()?;
        self.check_content()?;
        self.check_marks()?;
        self.check_attachments()
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
