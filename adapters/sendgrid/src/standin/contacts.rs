//! Marketing contacts, and the jobs that make them.

use hapax_standin::{Context, Effect, Record, Reply};
use serde_json::{Map, Value, json};

use super::{SendGrid, fail};

/// How long a job takes, after which its contacts are shown as they are now.
const TAKES_MS: i64 = 5_000;

/// A contact, by its address in lower case. The last fields that are shown and the latest ones.
pub(super) struct Contact {
    email: String,
    created_ms: i64,
    fields: Map<String, Value>,
    before: Option<Map<String, Value>>,
    changed_ms: i64,
}

/// An upsert that was taken on.
pub(super) struct Job {
    id: String,
    created_ms: i64,
}

impl Record for Contact {
    fn id(&self) -> &str {
        &self.email
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Record for Job {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Contact {
    fn shown(&self, now_ms: i64) -> Option<&Map<String, Value>> {
        if now_ms - self.changed_ms >= TAKES_MS { Some(&self.fields) } else { self.before.as_ref() }
    }
}

/// Takes contacts on. It is an effect where it changes something.
pub(super) fn upsert(context: &mut Context<'_, SendGrid>) -> Result<(u16, Value), Reply> {
    let lists = context.request.json_at("/list_ids").as_array().cloned().unwrap_or_default();
    if lists.iter().any(|list| list == "unknown") {
        return Err(fail(400, Some("list_ids"), "invalid list id"));
    }
    let asked: Vec<Map<String, Value>> = context
        .request
        .json_at("/contacts")
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|contact| contact.as_object().cloned())
        .collect();
    let is_known = |contact: &Map<String, Value>| {
        contact.get("email").and_then(Value::as_str).is_some_and(|email| email.contains('@'))
    };
    if asked.is_empty() || !asked.iter().all(is_known) {
        return Err(fail(400, Some("contacts"), "each contact needs a valid identifier"));
    }
    let id = context.world.ids.hex(16);
    for contact in asked {
        change(context, contact, &lists, &id);
    }
    context.state.jobs.add(Job { id: id.clone(), created_ms: context.now_ms });
    Ok((202, json!({ "job_id": id })))
}

fn change(context: &mut Context<'_, SendGrid>, mut asked: Map<String, Value>, lists: &[Value], job: &str) {
    let now_ms = context.now_ms;
    let email = asked.get("email").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    asked.insert("email".to_owned(), email.clone().into());
    let known = context.state.contacts.get(&email);
    let mut fields = known.map(|contact| contact.fields.clone()).unwrap_or_default();
    fields.extend(asked);
    let mut in_lists = fields.get("list_ids").and_then(Value::as_array).cloned().unwrap_or_default();
    in_lists.extend(lists.iter().filter(|list| !in_lists.contains(list)).cloned().collect::<Vec<_>>());
    fields.insert("list_ids".to_owned(), in_lists.into());
    if known.is_some_and(|contact| contact.fields == fields) {
        return;
    }
    let metadata = [("email".to_owned(), email.clone())].into();
    context.effect(Effect { kind: "contact".to_owned(), object: job.to_owned(), metadata, ..Effect::default() });
    match context.state.contacts.get_mut(&email) {
        Some(contact) => {
            contact.before = contact.shown(now_ms).cloned();
            (contact.fields, contact.changed_ms) = (fields, now_ms);
        }
        None => {
            let contact = Contact { email, created_ms: now_ms, fields, before: None, changed_ms: now_ms };
            context.state.contacts.add(contact);
        }
    }
}

pub(super) fn search(context: &mut Context<'_, SendGrid>) -> Result<Value, Reply> {
    let asked = context.request.json_at("/emails").as_array().cloned().unwrap_or_default();
    let mut result = Map::new();
    let mut is_found = false;
    for email in asked.iter().filter_map(Value::as_str) {
        let contact = context.state.contacts.get(&email.to_ascii_lowercase());
        let shown = contact.and_then(|contact| contact.shown(context.now_ms));
        is_found |= shown.is_some();
        let value = shown.map_or_else(|| json!({ "error": "contact not found" }), |shown| json!({ "contact": shown }));
        result.insert(email.to_ascii_lowercase(), value);
    }
    if is_found { Ok(json!({ "result": result })) } else { Err(fail(404, None, "no contacts found")) }
}

pub(super) fn job(context: &mut Context<'_, SendGrid>) -> Result<Value, Reply> {
    let id = context.path("id");
    let job = context.state.jobs.get(&id).ok_or_else(|| fail(404, None, "import not found"))?;
    let status = if context.now_ms - job.created_ms >= TAKES_MS { "completed" } else { "pending" };
    Ok(json!({ "id": job.id, "status": status, "job_type": "upsert", "results": {} }))
}
