//! What a mailbox holds, and what is done with it.

use base64::Engine;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use hapax_standin::{Effect, Request, Twists, World};
use serde_json::{Value, json};

use super::fail::Fail;
use super::heads;
use super::messages::{self, place};

/// Drafts and sent mails, oldest first.
#[derive(Default)]
pub(super) struct Mailbox {
    pub(super) drafts: Vec<Draft>,
    pub(super) sent: Vec<Mail>,
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

impl Mailbox {
    pub(super) fn create(&mut self, request: &Request, world: &World) -> Result<Value, Fail> {
        let mail = self.mail_in(request, "DRAFT", world)?;
        let id = world.ids.next("r-", 18).replace('_', "");
        let value = json!({ "id": id, "message": messages::brief(&mail) });
        self.drafts.push(Draft { id, mail });
        Ok(value)
    }

    pub(super) fn list_drafts(&self, request: &Request) -> Result<Value, Fail> {
        let newest = self.drafts.iter().rev();
        let entries = newest.map(|draft| json!({ "id": draft.id, "message": messages::brief(&draft.mail) })).collect();
        messages::page("drafts", entries, request)
    }

    pub(super) fn draft(&self, id: &str, request: &Request) -> Result<Value, Fail> {
        let draft = self.drafts.iter().find(|draft| draft.id == id).ok_or_else(Fail::not_found)?;
        Ok(json!({ "id": id, "message": messages::shown(&draft.mail, request)? }))
    }

    pub(super) fn delete(&mut self, id: &str) -> Result<(), Fail> {
        let place = self.place_of(id)?;
        self.drafts.remove(place);
        Ok(())
    }

    /// Sends a draft: it is deleted, and a new message with a new id is in SENT.
    pub(super) fn send(&mut self, request: &Request, twists: &Twists, world: &World) -> Result<Value, Fail> {
        let id = request.json.as_ref().and_then(|body| body["id"].as_str()).unwrap_or_default();
        if id.is_empty() {
            return Err(Fail::invalid("Missing draft id"));
        }
        let place = self.place_of(id)?;
        let mail = self.drafts[place].mail.clone();
        check(&mail)?;
        if let Some((_, false)) = twists.stored_error() {
            return Ok(Value::Null);
        }
        if !twists.key_ignored() {
            self.drafts.remove(place);
        }
        Ok(self.post(mail, world))
    }

    /// Sends a mail that was no draft.
    pub(super) fn send_at_once(&mut self, request: &Request, world: &World) -> Result<Value, Fail> {
        let mail = self.mail_in(request, "SENT", world)?;
        check(&mail)?;
        Ok(self.post(mail, world))
    }

    pub(super) fn message(&self, id: &str, request: &Request) -> Result<Value, Fail> {
        let drafts = self.drafts.iter().map(|draft| &draft.mail);
        let mail = self.sent.iter().chain(drafts).find(|mail| mail.id == id).ok_or_else(Fail::not_found)?;
        messages::shown(mail, request)
    }

    /// The effect, in the same step in which the state changes.
    fn post(&mut self, mail: Mail, world: &World) -> Value {
        let sent = Mail { id: world.ids.next("m", 16).replace('_', ""), label: "SENT", at_ms: world.now_ms(), ..mail };
        let heads = heads::of(&sent.text);
        let planted = heads.iter().filter(|(name, _)| name.to_ascii_lowercase().starts_with("x-"));
        world.effects.add(Effect {
            kind: "mail".to_owned(),
            object: sent.id.clone(),
            account: "me".to_owned(),
            metadata: planted.map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect(),
            at_ms: sent.at_ms,
            ..Effect::default()
        });
        let mut value = messages::brief(&sent);
        value["labelIds"] = json!(["SENT"]);
        self.sent.push(sent);
        value
    }

    /// The mail that a request carries, as JSON or as an upload of two parts.
    fn mail_in(&self, request: &Request, label: &'static str, world: &World) -> Result<Mail, Fail> {
        let (message, text) = if request.path.starts_with("/upload/") { uploaded(request)? } else { inline(request)? };
        let id = world.ids.next("m", 16).replace('_', "");
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

    fn place_of(&self, draft: &str) -> Result<usize, Fail> {
        place(&self.drafts, |known| known.id == draft).ok_or_else(Fail::not_found)
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
