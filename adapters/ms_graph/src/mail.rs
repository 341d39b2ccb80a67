//! What a mail is made of, checked before anything is journaled.

use std::collections::BTreeSet;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hapax_core::cell::CellArgs;
use hapax_core::mail_address::Mailbox;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::wire::{Recipient, key_property};

/// What a mail shows of whom it goes to, and of what it is about.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Envelope {
    #[serde(default)]
    to_recipients: Vec<Recipient>,
    #[serde(default)]
    cc_recipients: Vec<Recipient>,
    #[serde(default)]
    bcc_recipients: Vec<Recipient>,
    subject: Option<String>,
}

/// Sends this mail. Nothing of it is volatile: another wording is another mail. Debug shows counts only.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendMail {
    /// Who gets it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<Mailbox>,
    /// Who gets a copy that everybody sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cc: Vec<Mailbox>,
    /// Who gets a copy that nobody sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bcc: Vec<Mailbox>,
    /// Where answers go, if not to the mailbox.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reply_to: Vec<Mailbox>,
    /// Who it is from; the mailbox's own address if not said. Exchange takes only addresses that the
    /// mailbox may send as, or on behalf of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Mailbox>,
    /// Its subject, in any script.
    pub subject: String,
    /// Its text. Give this or `html`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its text as HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// Files that go with it, less than 3 MB together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

/// A file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Its name, in any script.
    pub filename: String,
    /// `application/pdf`.
    pub content_type: String,
    /// Its bytes in base64 (RFC 4648, with padding).
    pub content: String,
}

/// Files together, before they are encoded: larger ones need an upload session
/// (<https://learn.microsoft.com/en-us/graph/outlook-large-attachments>).
const MOST_ATTACHED: usize = 3 * 1024 * 1024 - 1;

/// Recipients of a mail from an Exchange Online mailbox
/// (<https://learn.microsoft.com/en-us/graph/api/resources/message>).
const MOST_RECIPIENTS: usize = 500;

impl SendMail {
    /// A mail to one person; for more, `SendMail { cc, ..SendMail::to(..) }`.
    pub fn to(mailbox: Mailbox, subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            to: vec![mailbox],
            cc: Vec::new(),
            bcc: Vec::new(),
            reply_to: Vec::new(),
            from: None,
            subject: subject.into(),
            text: Some(text.into()),
            html: None,
            attachments: Vec::new(),
        }
    }

    /// As a new draft has it.
    pub(crate) fn draft(&self, mark: &str) -> Value {
        let (kind, content) = match &self.html {
            Some(html) => ("html", html.as_str()),
            None => ("text", self.text.as_deref().unwrap_or_default()),
        };
        let mut draft = json!({
            "subject": self.subject, "body": { "contentType": kind, "content": content },
            "singleValueExtendedProperties": [{ "id": key_property(), "value": mark }],
        });
        let lists = [
            ("toRecipients", &self.to),
            ("ccRecipients", &self.cc),
            ("bccRecipients", &self.bcc),
            ("replyTo", &self.reply_to),
        ];
        for (name, people) in lists.into_iter().filter(|(_, people)| !people.is_empty()) {
            draft[name] = people.iter().map(person).collect();
        }
        if let Some(from) = &self.from {
            draft["from"] = person(from);
        }
        if !self.attachments.is_empty() {
            draft["attachments"] = self.attachments.iter().map(Attachment::value).collect();
        }
        draft
    }

    /// What of a mail is another than was asked for, if it is. Somebody may have edited our draft before they
    /// sent it, or a person may name another mail. Texts aren't compared: Exchange rewrites them.
    pub(crate) fn shown_otherwise(&self, shown: &Envelope) -> Option<&'static str> {
        let asked = |lists: &[&[Mailbox]]| -> BTreeSet<String> {
            lists.iter().copied().flatten().map(|mailbox| mailbox.address.as_str().to_ascii_lowercase()).collect()
        };
        let seen = |lists: &[&[Recipient]]| -> BTreeSet<String> {
            lists.iter().copied().flatten().map(|one| one.address().to_ascii_lowercase()).collect()
        };
        // Who gets a hidden copy need not be shown; if it is, it counts.
        let hidden = seen(&[&shown.bcc_recipients]);
        if seen(&[&shown.to_recipients, &shown.cc_recipients]) != asked(&[&self.to, &self.cc])
            || !hidden.is_empty() && hidden != asked(&[&self.bcc])
        {
            return Some("recipients");
        }
        match shown.subject.as_deref().unwrap_or_default().trim() == self.subject.trim() {
            true => None,
            false => Some("subject"),
        }
    }

    fn people(&self) -> impl Iterator<Item = &Mailbox> {
        self.to.iter().chain(&self.cc).chain(&self.bcc)
    }
}

/// As Graph takes a person.
pub(crate) fn person(mailbox: &Mailbox) -> Value {
    let mut address = json!({ "address": mailbox.address.as_str() });
    if let Some(name) = &mailbox.name {
        address["name"] = name.clone().into();
    }
    json!({ "emailAddress": address })
}

impl Attachment {
    fn value(&self) -> Value {
        json!({
            "@odata.type": "#microsoft.graph.fileAttachment", "name": self.filename,
            "contentType": self.content_type, "contentBytes": self.content,
        })
    }

    fn check(&self) -> Result<usize, String> {
        let is_type = |text: &str| {
            text.split_once('/').is_some_and(|(kind, of)| !kind.is_empty() && !of.is_empty())
                && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
        };
        if self.filename.is_empty() || has_breaks(&self.filename) {
            return Err("filename: give a name in one line".to_owned());
        }
        if !is_type(&self.content_type) {
            return Err("content_type: give a media type such as application/pdf".to_owned());
        }
        let bytes = STANDARD.decode(&self.content).map_err(|_| "content: is no base64 with padding".to_owned())?;
        Ok(bytes.len())
    }
}

/// A line break in a header would begin another header.
pub(crate) fn has_breaks(text: &str) -> bool {
    text.chars().any(char::is_control)
}

impl CellArgs for SendMail {
    fn check(&self) -> Result<(), String> {
        match self.people().count() {
            0 => return Err("to, cc, bcc: name at least one recipient".to_owned()),
            1..=MOST_RECIPIENTS => {}
            _ => return Err(format!("to, cc, bcc: {MOST_RECIPIENTS} recipients are the most that Exchange takes")),
        }
        let named = self.people().chain(&self.reply_to).chain(&self.from);
        if named.filter_map(|mailbox| mailbox.name.as_deref()).any(has_breaks) {
            return Err("name: a name is one line".to_owned());
        }
        if has_breaks(&self.subject) {
            return Err("subject: a subject is one line".to_owned());
        }
        if self.text.is_some() == self.html.is_some() {
            return Err("text, html: give one of them; Exchange makes the other".to_owned());
        }
        let mut attached = 0;
        for (number, attachment) in self.attachments.iter().enumerate() {
            attached += attachment.check().map_err(|why| format!("attachments[{number}].{why}"))?;
        }
        match attached > MOST_ATTACHED {
            true => Err("attachments: together they must have less than 3 MB".to_owned()),
            false => Ok(()),
        }
    }
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachment").field("content_type", &self.content_type).finish_non_exhaustive()
    }
}

impl fmt::Debug for SendMail {
    /// Counts only: everything else is personal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendMail")
            .field("to", &self.to.len())
            .field("cc", &self.cc.len())
            .field("bcc", &self.bcc.len())
            .field("attachments", &self.attachments.len())
            .finish_non_exhaustive()
    }
}
