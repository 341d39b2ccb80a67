//! What a mail may not be, found before anything is journaled.

use std::collections::BTreeSet;

use hapax_core::cell::CellArgs;
use hapax_core::transport::is_plain_segment;

use super::Mail;
use crate::activity::MARK;

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

impl CellArgs for Mail {
    fn check(&self) -> Result<(), String> {
        self.check_people()?;
        self.check_content()?;
        self.check_marks()?;
        self.check_attachments()
    }
}

impl Mail {
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

/// A line break in a header would begin another header.
pub(crate) fn has_breaks(text: &str) -> bool {
    text.chars().any(char::is_control)
}
