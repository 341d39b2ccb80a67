//! What a mailbox holds, and what is done with it.

use base64::Engine;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use hapax_standin::{Collection, Context, Effect, Record, Reply, Request, World};
use serde_json::{Value, json};

use super::fail::Fail;
use super::{Gmail, heads, messages};

/// Drafts and sent mails, oldest first.
#[derive(Default)]
pub(super) struct Mailbox {
    pub(super) drafts: Collection<Draft>,
    pub(super) sent: Collection<Mail>,
}

pub(super) struct Draft {
    pub(super) id: String,
    pub(super) mail: Mail,
}

#[derive(Clone)]
pub(super) struct Mail {
    pub(super) id: String,
    pub(super) thread: String,
    pub(super) text: String,
    pub(super) label: &'static str,
    pub(super) at_ms: i64,
}

impl Record for Draft {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.mail.at_ms
    }
}

impl Record for Mail {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.at_ms
    }
}

type Visit<'a> = Context<'a, Gmail>;

pub(super) fn create_draft(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let mail = context.state.mailbox.mail_in(context.request, "DRAFT", context.world)?;
    let id = format!("r-{}", context.world.ids.letters(18));
    let value = json!({ "id": id, "message": messages::brief(&mail) });
    context.state.mailbox.drafts.add(Draft { id, mail });
    Ok(value)
}

pub(super) fn list_drafts(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let newest = context.list(&context.state.mailbox.drafts).reversed();
    messages::page(
        "drafts",
        newest,
        context.request,
        |draft| json!({ "id": draft.id, "message": messages::brief(&draft.mail) }),
    )
}

pub(super) fn show_draft(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let draft = context.state.mailbox.drafts.get(&context.path("id")).ok_or_else(Fail::not_found)?;
    Ok(json!({ "id": draft.id, "message": messages::shown(&draft.mail, context.request)? }))
}

pub(super) fn delete_draft(context: &mut Visit<'_>) -> Result<Reply, Fail> {
    let id = context.path("id");
    context.state.mailbox.drafts.remove(&id).map(|_| Reply::empty(204)).ok_or_else(Fail::not_found)
}

/// Sends a draft: it is deleted, and a new message with a new id is in SENT.
pub(super) fn send_draft(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let id = context.request.json_at("/id").as_str().unwrap_or_default();
    if id.is_empty() {
        return Err(Fail::invalid("Missing draft id"));
    }
    let drafts = &mut context.state.mailbox.drafts;
    let mail = drafts.get(id).ok_or_else(Fail::not_found)?.mail.clone();
    check(&mail)?;
    if !context.twists.key_ignored() {
        drafts.remove(id);
    }
    Ok(send(context, mail))
}

/// Sends a mail that was no draft.
pub(super) fn send_message(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let mail = context.state.mailbox.mail_in(context.request, "SENT", context.world)?;
    check(&mail)?;
    Ok(send(context, mail))
}

/// The effect, in the same step in which the state changes.
fn send(context: &mut Visit<'_>, mail: Mail) -> Value {
    let id = format!("m{}", context.world.ids.letters(16));
    let sent = Mail { id, label: "SENT", at_ms: context.now_ms, ..mail };
    let heads = heads::of(&sent.text);
    let planted = heads.iter().filter(|(name, _)| name.to_ascii_lowercase().starts_with("x-"));
    context.effect(Effect {
        kind: "mail".to_owned(),
        object: sent.id.clone(),
        metadata: planted.map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect(),
        ..Effect::default()
    });
    let value = messages::brief(&sent);
    context.state.mailbox.sent.add(sent);
    value
}

impl Mailbox {
    /// All mails: those in SENT, then those of the drafts.
    pub(super) fn mails(&self) -> impl Iterator<Item = &Mail> {
        self.sent.iter().chain(self.drafts.iter().map(|draft| &draft.mail))
    }

    /// The mail that a request carries, as JSON or as an upload of two parts.
    fn mail_in(&self, request: &Request, label: &'static str, world: &World) -> Result<Mail, Fail> {
        let (message, text) = if request.path.starts_with("/upload/") { uploaded(request)? } else { inline(request)? };
        let id = format!("m{}", world.ids.letters(16));
        let thread = match message["threadId"].as_str() {
            Some(thread) if self.knows(thread) => thread.to_owned(),
            Some(_) => return Err(Fail::not_found()),
            None => id.clone(),
        };
        Ok(Mail { id, thread, text, label, at_ms: world.now_ms() })
    }

    fn knows(&self, thread: &str) -> bool {
        self.sent.iter().any(|mail| mail.thread == thread)
    }
}

fn check(mail: &Mail) -> Result<(), Fail> {
    let people = heads::recipients(&heads::of(&mail.text));
    if people.is_empty() {
        return Err(Fail::invalid("Recipient address required"));
    }
    match people.iter().find(|person| person.ends_with(".invalid") || !person.contains('@')) {
        Some(person) => Err(Fail::invalid(&format!("Invalid To header: {person}"))),
        None => Ok(()),
    }
}

fn inline(request: &Request) -> Result<(Value, String), Fail> {
    let body = request.json.clone().unwrap_or_default();
    let message = if body["message"].is_object() { body["message"].clone() } else { body };
    let raw = message["raw"].as_str().ok_or_else(|| Fail::invalid("Missing draft message"))?;
    let bytes = URL_SAFE_NO_PAD.decode(raw).or_else(|_| URL_SAFE.decode(raw));
    let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    Ok((message, text.ok_or_else(|| Fail::invalid("Invalid value for ByteString"))?))
}

fn uploaded(request: &Request) -> Result<(Value, String), Fail> {
    let unfit = || Fail::invalid("Malformed multipart body.");
    let kind = request.header("content-type").unwrap_or_default();
    let boundary = kind.split_once("boundary=").map(|(_, boundary)| boundary.trim_matches('"')).ok_or_else(unfit)?;
    let text = String::from_utf8(request.body.clone()).map_err(|_| unfit())?;
    let fence = format!("--{boundary}");
    let mut parts = text.split(fence.as_str()).skip(1).filter_map(|part| part.split_once("\r\n\r\n"));
    let (Some((_, json)), Some((_, mail))) = (parts.next(), parts.next()) else { return Err(unfit()) };
    let body: Value = serde_json::from_str(json.trim()).map_err(|_| unfit())?;
    Ok((body["message"].clone(), mail.trim_end_matches("\r\n").to_owned()))
}
