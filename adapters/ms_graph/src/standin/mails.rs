//! Drafts and sent mails.

use hapax_standin::{Context, Effect, Record, Reply};
use serde_json::{Value, json};

use super::MsGraph;
use super::fail::Fail;
use super::properties::{Properties, page};

type Visit<'a> = Context<'a, MsGraph>;

/// For so long a mail that was told to go still looks like a draft.
const QUEUED_MS: i64 = 2_000;

#[derive(Clone)]
pub(super) struct Mail {
    id: String,
    fields: Value,
    properties: Properties,
    told_to_go_ms: Option<i64>,
    created_ms: i64,
}

impl Record for Mail {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Mail {
    fn is_draft(&self, now_ms: i64) -> bool {
        self.told_to_go_ms.is_none_or(|told_ms| now_ms - told_ms < QUEUED_MS)
    }

    fn value(&self, now_ms: i64) -> Value {
        let list = |name: &str| self.fields[name].as_array().cloned().unwrap_or_default();
        json!({
            "id": self.id, "isDraft": self.is_draft(now_ms), "subject": self.fields["subject"],
            "parentFolderId": if self.is_draft(now_ms) { "drafts" } else { "sentitems" },
            "toRecipients": list("toRecipients"), "ccRecipients": list("ccRecipients"),
            "bccRecipients": list("bccRecipients"),
        })
    }

    fn addresses(&self) -> Vec<&str> {
        let lists = ["toRecipients", "ccRecipients", "bccRecipients"];
        let people = lists.iter().filter_map(|name| self.fields[*name].as_array()).flatten();
        people.filter_map(|person| person["emailAddress"]["address"].as_str()).collect()
    }
}

fn may_read(context: &Visit<'_>) -> Result<(), Fail> {
    if context.state.hides_mails { Err(Fail::usual(403, None)) } else { Ok(()) }
}

pub(super) fn create(context: &mut Visit<'_>) -> Result<(u16, Value), Fail> {
    let fields = context.request.json.clone().filter(Value::is_object).ok_or_else(|| Fail::invalid("No message."))?;
    if fields["subject"].as_str().is_some_and(|subject| subject.contains("refused")) {
        return Err(Fail::invalid("The message can't be stored."));
    }
    let properties = Properties::of(&fields);
    // Ids that stay are asked for in each request; others would change when the mail is sent.
    let lasts = context.request.header("prefer").is_some_and(|prefer| prefer.contains("IdType=\"ImmutableId\""));
    let id = format!("{}{}=", if lasts { "AAkALg" } else { "AAMkAD" }, context.world.ids.letters(30));
    let mail = Mail { id, fields, properties, told_to_go_ms: None, created_ms: context.now_ms };
    Ok((201, context.state.mails.add(mail).value(context.now_ms)))
}

pub(super) fn list(context: &mut Visit<'_>) -> Result<Value, Fail> {
    may_read(context)?;
    let filter = context.request.param("$filter");
    let listing = context.list(&context.state.mails).reversed();
    let listing = listing.filter(|mail| mail.properties.match_filter(filter));
    page(context.request, listing, 1_000, |mail| mail.value(context.now_ms))
}

pub(super) fn show(context: &mut Visit<'_>) -> Result<Value, Fail> {
    may_read(context)?;
    let mail = context.state.mails.get(&context.path("message")).ok_or_else(Fail::not_found)?;
    let mut value = mail.value(context.now_ms);
    mail.properties.shown(context.request, &mut value);
    Ok(value)
}

pub(super) fn delete(context: &mut Visit<'_>) -> Result<Reply, Fail> {
    let id = context.path("message");
    context.state.mails.remove(&id).map(|_| Reply::empty(204)).ok_or_else(Fail::not_found)
}

/// Tells a draft to go: this is the effect. What was told before, and looks like a draft, goes once more, and leaves a
/// copy of its own.
pub(super) fn send(context: &mut Visit<'_>) -> Result<Reply, Fail> {
    let (id, now_ms, ignores) = (context.path("message"), context.now_ms, context.twists.key_ignored());
    let mail = context.state.mails.get_mut(&id).ok_or_else(Fail::not_found)?;
    if !mail.is_draft(now_ms) && !ignores {
        return Err(Fail::invalid("The message is no draft."));
    }
    if mail.addresses().iter().any(|address| address.ends_with(".invalid")) {
        return Err(Fail::new(400, "ErrorInvalidRecipients", "At least one recipient is not valid."));
    }
    let is_again = mail.told_to_go_ms.is_some();
    mail.told_to_go_ms.get_or_insert(now_ms);
    let mut gone = mail.clone();
    if is_again {
        gone.id = format!("AAkALg{}=", context.world.ids.letters(30));
        gone.created_ms = now_ms;
        context.state.mails.add(gone.clone());
    }
    let (kind, metadata) = ("mail".to_owned(), gone.properties.metadata());
    context.effect(Effect { kind, object: gone.id, metadata, ..Effect::default() });
    Ok(Reply::empty(202))
}
