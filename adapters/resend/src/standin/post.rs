//! What sends: one mail, or a batch.

use super::Resend;
use super::fail::{self, Fail};
use super::mail::{Mail, fate_of};
use crate::address::bare;
use crate::wire::MARK;
use hapax_standin::{Context, Due, Request, World};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// How far ahead a mail can be scheduled.
const LATEST_MS: i64 = 30 * 24 * 3600 * 1000;
const MOST_IN_A_BATCH: usize = 100;
const MOST_RECIPIENTS: usize = 50;
const MOST_TAGS: usize = 75;

/// `POST /emails`.
pub(super) struct One(Draft);

/// `POST /emails/batch`, strict: one that can't be read rejects all.
pub(super) struct Batch(Vec<Draft>);

/// A mail that was asked for and can be read.
struct Draft {
    asked: Map<String, Value>,
    to: Vec<String>,
    tags: Vec<(String, String)>,
    scheduled_ms: Option<i64>,
}

impl One {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        Draft::read(request.json.as_ref().unwrap_or(&Value::Null)).map(Self)
    }

    /// Takes it on: this is the effect, though a scheduled one can still be canceled.
    pub(super) fn run(self, context: &mut Context<'_, Resend>) -> Result<Value, Fail> {
        self.0.check_time(context.now_ms)?;
        let mail = self.0.mail(context);
        context.effect(mail.effect("mail"));
        let id = mail.id.clone();
        context.state.mails.add(mail);
        Ok(json!({ "id": id }))
    }
}

impl Batch {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        let mails = request.json.as_ref().and_then(Value::as_array);
        let mails = mails.ok_or_else(|| Fail::invalid("The request body must be an array."))?;
        if mails.is_empty() || mails.len() > MOST_IN_A_BATCH {
            return Err(Fail::invalid("A batch has between 1 and 100 emails."));
        }
        // Both are dropped in silence.
        let without = |mail: &Value| {
            let mut mail = mail.clone();
            mail.as_object_mut().map(|fields| (fields.remove("attachments"), fields.remove("scheduled_at")));
            Draft::read(&mail)
        };
        mails.iter().map(without).collect::<Result<_, _>>().map(Self)
    }

    /// Takes all on; the batch is the effect, and its first mail stands for it.
    pub(super) fn run(self, context: &mut Context<'_, Resend>) -> Result<Value, Fail> {
        let mails: Vec<Mail> = self.0.into_iter().map(|draft| draft.mail(context)).collect();
        if let Some(first) = mails.first() {
            let mut effect = first.effect("batch");
            effect.amount = i64::try_from(mails.len()).unwrap_or(i64::MAX);
            // The mark without the place of the mail.
            if let Some(mark) = effect.metadata.get_mut(MARK) {
                *mark = mark.split('-').next().unwrap_or_default().to_owned();
            }
            context.effect(effect);
        }
        let ids: Vec<Value> = mails.iter().map(|mail| json!({ "id": mail.id })).collect();
        for mail in mails {
            context.state.mails.add(mail);
        }
        Ok(json!({ "data": ids }))
    }
}

impl Draft {
    fn read(mail: &Value) -> Result<Self, Fail> {
        let fields = mail.as_object().ok_or_else(|| Fail::invalid("The email must be an object."))?;
        let is_there = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
        let from = mail["from"].as_str().ok_or_else(|| Fail::missing("from"))?;
        let to = people(&mail["to"]).filter(|to| !to.is_empty()).ok_or_else(|| Fail::missing("to"))?;
        if !is_there("template") {
            mail["subject"].as_str().filter(|subject| !subject.is_empty()).ok_or_else(|| Fail::missing("subject"))?;
            if !is_there("html") && !is_there("text") {
                return Err(Fail::missing("html` or `text"));
            }
        }
        if to.len() > MOST_RECIPIENTS {
            return Err(Fail::invalid("The `to` field has more than 50 recipients."));
        }
        if let Some(refused) = to.iter().find(|to| bare(to).ends_with("@example.com") || !bare(to).contains('@')) {
            return Err(Fail::invalid(format!("Invalid `to` field {refused}. Please use our testing email address.")));
        }
        if bare(from).ends_with("@unverified.example") {
            return Err(fail::not_verified("unverified.example"));
        }
        let tags = tags(&mail["tags"])?;
        let scheduled_ms = match mail["scheduled_at"].as_str() {
            Some(at) => Some(at.parse::<Timestamp>().map_err(|_| Fail::invalid("`scheduled_at` is no date."))?),
            None => None,
        };
        let mut asked = fields.clone();
        asked.retain(|name, _| !matches!(name.as_str(), "tags" | "attachments" | "headers" | "template"));
        asked.insert("to".to_owned(), json!(to));
        Ok(Self { asked, to, tags, scheduled_ms: scheduled_ms.map(Timestamp::as_millisecond) })
    }

    fn check_time(&self, now_ms: i64) -> Result<(), Fail> {
        match self.scheduled_ms {
            Some(at) if !(0..=LATEST_MS).contains(&(at - now_ms)) => {
                Err(Fail::invalid("`scheduled_at` must be within the next 30 days."))
            }
            _ => Ok(()),
        }
    }

    fn mail(self, context: &Context<'_, Resend>) -> Mail {
        let fate = fate_of(&self.to);
        let (last_event, due_ms) = match self.scheduled_ms {
            Some(at) => ("scheduled", at),
            None => ("queued", context.now_ms + context.state.settles_after_ms),
        };
        Mail {
            id: id(context.world),
            asked: self.asked,
            tags: self.tags,
            last_event,
            created_ms: context.now_ms,
            due: Due::at(due_ms, fate),
        }
    }
}

/// Addresses: one text or several.
fn people(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(one) => Some(vec![one.clone()]),
        Value::Array(several) => several.iter().map(|one| one.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

fn tags(value: &Value) -> Result<Vec<(String, String)>, Fail> {
    let is_part = |text: &str| {
        (1..=256).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    let tags = value.as_array().map(Vec::as_slice).unwrap_or_default();
    if tags.len() > MOST_TAGS {
        return Err(Fail::invalid("An email has at most 75 tags."));
    }
    let read = |tag: &Value| match (tag["name"].as_str(), tag["value"].as_str()) {
        (Some(name), Some(value)) if is_part(name) && is_part(value) => Ok((name.to_owned(), value.to_owned())),
        _ => Err(Fail::invalid("Tags should only contain ASCII letters, numbers, underscores, or dashes.")),
    };
    tags.iter().map(read).collect()
}

/// A new id, a UUID.
fn id(world: &World) -> String {
    let hex = world.ids.hex(16);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
