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

use crate::address::{bare, written};
use crate::attachment::Attachment;
use crate::wire::{MARK, Mail as Stored};

/// Sends this mail. Nothing of it is volatile: another wording is another mail.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// Who it is from, at a domain that Resend has verified.
    pub from: Mailbox,
    /// Who gets it, up to 50.
    pub to: Vec<Mailbox>,
    /// Who gets a copy that everybody sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cc: Vec<Mailbox>,
    /// Who gets a copy that nobody sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bcc: Vec<Mailbox>,
    /// Where answers go, if not to the sender.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reply_to: Vec<Mailbox>,
    /// Its subject, in any script. A template may bring one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The same as HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// A template in place of text and HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<Template>,
    /// Further headers of the mail.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Tags of yours, up to 74; `hapax` is ours.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// Files that go with it, 40 MB together once they are encoded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// When it leaves, up to 30 days ahead; at once if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub scheduled_at: Option<Timestamp>,
}

/// A published template.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// Its id or alias.
    pub id: String,
    /// What stands for its variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, Variable>,
}

/// What stands for a variable.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Variable {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

/// Attachments together, once they are encoded (OpenAPI: 40 MB a mail).
const MOST_ATTACHED: usize = 40_000_000;
/// Recipients in `to`.
const MOST_RECIPIENTS: usize = 50;
/// Tags, with ours.
const MOST_TAGS: usize = 75;

impl Mail {
    /// A mail to one person; for more, `Mail { cc, ..Mail::text(..) }`.
    pub fn text(from: Mailbox, to: Mailbox, subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            from,
            to: vec![to],
            cc: Vec::new(),
            bcc: Vec::new(),
            reply_to: Vec::new(),
            subject: Some(subject.into()),
            text: Some(text.into()),
            html: None,
            template: None,
            headers: BTreeMap::new(),
            tags: BTreeMap::new(),
            attachments: Vec::new(),
            scheduled_at: None,
        }
    }

    /// As Resend reads it, always in the same words, with this value of our tag.
    pub(crate) fn written(&self, mark: &str) -> Value {
        let mut mail = Map::new();
        let mut put = |name: &str, value: Value| mail.insert(name.to_owned(), value);
        put("from", written(&self.from).into());
        for (name, people) in [("to", &self.to), ("cc", &self.cc), ("bcc", &self.bcc), ("reply_to", &self.reply_to)] {
            if !people.is_empty() {
                put(name, people.iter().map(written).collect());
            }
        }
        for (name, text) in [("subject", &self.subject), ("text", &self.text), ("html", &self.html)] {
            if let Some(text) = text {
                put(name, text.clone().into());
            }
        }
        if let Some(template) = &self.template {
            put("template", json!(template));
        }
        if !self.headers.is_empty() {
            put("headers", json!(self.headers));
        }
        let tags = self.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())).chain([(MARK, mark)]);
        put("tags", tags.map(|(name, value)| json!({ "name": name, "value": value })).collect());
        if !self.attachments.is_empty() {
            put("attachments", self.attachments.iter().map(Attachment::written).collect());
        }
        if let Some(at) = self.scheduled_at {
            put("scheduled_at", at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string().into());
        }
        mail.into()
    }

    /// Whether a stored mail goes to the same recipients.
    pub(crate) fn is_to(&self, stored: &Stored) -> bool {
        let wanted: BTreeSet<String> = self.to.iter().map(|mailbox| bare(mailbox.address.as_str())).collect();
        wanted == stored.to.iter().map(|written| bare(written)).collect()
    }

    /// Whether nothing that can be compared speaks against a stored mail.
    pub(crate) fn is_like(&self, stored: &Stored) -> bool {
        let subject = match (&self.subject, &stored.subject) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        };
        self.is_to(stored) && subject
    }

    fn check_people(&self) -> Result<(), String> {
        if self.to.is_empty() || self.to.len() > MOST_RECIPIENTS {
            return Err(format!("to: name 1 to {MOST_RECIPIENTS} recipients"));
        }
        let people = [&self.to, &self.cc, &self.bcc, &self.reply_to].into_iter().flatten().chain([&self.from]);
        if people.filter_map(|mailbox| mailbox.name.as_deref()).any(has_breaks) {
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
            None if bodies.iter().all(|body| body.as_ref().is_none_or(String::is_empty)) => {
                return Err("text, html: there is nothing to send".to_owned());
            }
            Some(_) if bodies.iter().any(|body| body.is_some()) => {
                return Err("template: it takes the place of text and html".to_owned());
            }
            Some(template) if !is_plain_segment(&template.id) => {
                return Err("template.id: give the id or alias of a template".to_owned());
            }
            _ => {}
        }
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
        if !self.headers.iter().all(|(name, value)| is_name(name) && !has_breaks(value)) {
            return Err("headers: a header has a name without spaces or colons, and a value in one line".to_owned());
        }
        Ok(())
    }

    fn check_tags(&self) -> Result<(), String> {
        let is_part = |text: &String| {
            (1..=256).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        };
        if self.tags.contains_key(MARK) {
            return Err(format!("tags: the tag {MARK} is hapax's own"));
        }
        if self.tags.len() >= MOST_TAGS {
            return Err(format!("tags: at most {} beside ours", MOST_TAGS - 1));
        }
        if !self.tags.iter().all(|(name, value)| is_part(name) && is_part(value)) {
            return Err("tags: names and values are 1 to 256 ASCII letters, digits, _ or -".to_owned());
        }
        Ok(())
    }

    fn check_attachments(&self) -> Result<(), String> {
        let mut attached = 0;
        for (number, attachment) in self.attachments.iter().enumerate() {
            attached += attachment.check().map_err(|why| format!("attachments[{number}].{why}"))?;
        }
        if attached > MOST_ATTACHED {
            return Err("attachments: 40 MB together, encoded, are the most that Resend sends".to_owned());
        }
        if attached > 0 && self.scheduled_at.is_some() {
            return Err("scheduled_at: a mail with attachments can't be scheduled".to_owned());
        }
        Ok(())
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
        self.check_tags()?;
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
            .field("scheduled_at", &self.scheduled_at)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Template").field("id", &self.id).finish_non_exhaustive()
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Variable")
    }
}
