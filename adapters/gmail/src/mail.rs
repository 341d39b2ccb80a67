//! What a mail is made of, checked before anything is journaled.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hapax_core::cell::{CellArgs, Echo};
use hapax_core::mail_address::{Address, Mailbox};
use hapax_core::transport::is_plain_segment;
use lettre::message::header::ContentType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sends this mail. Nothing of it is volatile: another wording is another mail.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// Who gets it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<Mailbox>,
    /// Who gets a copy that everybody sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cc: Vec<Mailbox>,
    /// Who gets a copy that nobody sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bcc: Vec<Mailbox>,
    /// Who it is from; the mailbox's own address if not said. Gmail takes only addresses that the
    /// mailbox may send as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Mailbox>,
    /// Its subject, in any script.
    pub subject: String,
    /// Its text.
    pub text: String,
    /// The same as HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// Files that go with it, 25 MB together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// The mail that it answers. Gmail shows it in that thread only if the subject is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
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

/// Where a reply belongs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// Gmail's id of the thread.
    pub thread_id: String,
    /// The `Message-ID` of the mail that is answered, with its angle brackets.
    pub in_reply_to: String,
    /// The `Message-ID`s of the thread, oldest first; that of the answered mail if not said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
}

/// Attachments together, before they are encoded (<https://support.google.com/mail/answer/6584>).
const MOST_ATTACHED: usize = 25 * 1024 * 1024;

impl Mail {
    /// A mail to one person; for more, `Mail { cc, ..Mail::to(..) }`.
    pub fn to(mailbox: Mailbox, subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            to: vec![mailbox],
            cc: Vec::new(),
            bcc: Vec::new(),
            from: None,
            subject: subject.into(),
            text: text.into(),
            html: None,
            attachments: Vec::new(),
            reply: None,
        }
    }

    /// The addresses that stand in the mail for everybody to see.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &Address> {
        self.to.iter().chain(&self.cc).map(|mailbox| &mailbox.address)
    }
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachment").field("content_type", &self.content_type).finish_non_exhaustive()
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("thread_id", &self.thread_id).finish_non_exhaustive()
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
            .finish_non_exhaustive()
    }
}

impl Attachment {
    /// Its bytes.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, String> {
        STANDARD.decode(&self.content).map_err(|_| "content is no base64 with padding".to_owned())
    }

    /// Its type. A mail in a mail would have to go without base64, and parts of parts aren't files.
    pub(crate) fn kind(&self) -> Result<ContentType, String> {
        let unfit =
            ["multipart/", "message/"].iter().any(|kind| self.content_type.to_ascii_lowercase().starts_with(kind));
        match ContentType::parse(&self.content_type) {
            Ok(kind) if !unfit && !has_breaks(&self.content_type) => Ok(kind),
            _ => Err("content_type: give a media type such as application/pdf".to_owned()),
        }
    }

    fn check(&self) -> Result<usize, String> {
        self.kind()?;
        if self.filename.is_empty() || has_breaks(&self.filename) {
            return Err("filename: give a name in one line".to_owned());
        }
        self.bytes().map(|bytes| bytes.len())
    }
}

impl Reply {
    fn check(&self) -> Result<(), String> {
        if !is_plain_segment(&self.thread_id) {
            return Err("thread_id: give Gmail's id of the thread".to_owned());
        }
        let is_message_id = |id: &String| {
            id.starts_with('<')
                && id.ends_with('>')
                && id.contains('@')
                && id.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if !is_message_id(&self.in_reply_to) {
            return Err("in_reply_to: give a Message-ID with its angle brackets".to_owned());
        }
        if !self.references.iter().all(is_message_id) {
            return Err("references: give Message-IDs with their angle brackets".to_owned());
        }
        Ok(())
    }
}

/// A line break in a header would begin another header.
fn has_breaks(text: &str) -> bool {
    text.chars().any(char::is_control)
}

impl CellArgs for Mail {
    fn check(&self) -> Result<(), String> {
        if self.to.is_empty() && self.cc.is_empty() && self.bcc.is_empty() {
            return Err("to, cc, bcc: name at least one recipient".to_owned());
        }
        let people = self.to.iter().chain(&self.cc).chain(&self.bcc).chain(&self.from);
        if people.filter_map(|mailbox| mailbox.name.as_deref()).any(has_breaks) {
            return Err("name: a name is one line".to_owned());
        }
        if has_breaks(&self.subject) {
            return Err("subject: a subject is one line".to_owned());
        }
        if self.text.contains('\0') || self.html.as_ref().is_some_and(|html| html.contains('\0')) {
            return Err("text, html: no mail carries a NUL character".to_owned());
        }
        let mut attached = 0;
        for (number, attachment) in self.attachments.iter().enumerate() {
            attached += attachment.check().map_err(|why| format!("attachments[{number}].{why}"))?;
        }
        if attached > MOST_ATTACHED {
            return Err("attachments: 25 MB together are the most that Gmail sends".to_owned());
        }
        self.reply.as_ref().map_or(Ok(()), |reply| reply.check().map_err(|why| format!("reply.{why}")))
    }

    fn echo(&self) -> Echo {
        self.reply.iter().map(|reply| ("thread_id", reply.thread_id.clone())).collect()
    }
}
