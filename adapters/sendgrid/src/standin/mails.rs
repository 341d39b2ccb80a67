//! What sends.

use hapax_standin::{Context, Effect, Reply};
use serde_json::Value;

use super::activity::Message;
use super::{SendGrid, fail};

/// How far ahead a mail can be scheduled.
const LATEST_S: i64 = 72 * 3600;

/// Takes a mail on: this is the effect, though a scheduled one can still be cancelled.
pub(super) fn send(context: &mut Context<'_, SendGrid>) -> Result<Reply, Reply> {
    let request = context.request;
    let people = recipients(request.json_at("/personalizations/0"));
    let from = request.json_at("/from/email").as_str().unwrap_or_default().to_owned();
    check(context, &people, &from)?;
    let now_s = context.now_ms.div_euclid(1000);
    let send_at_s = request.json_at("/send_at").as_i64();
    if send_at_s.is_some_and(|at| at > now_s + LATEST_S) {
        return Err(fail(400, Some("send_at"), "A send can't be scheduled more than 72 hours in advance."));
    }
    let batch = request.json_at("/batch_id").as_str().map(str::to_owned);
    if batch.as_ref().is_some_and(|batch| !context.state.batches.contains(batch)) {
        return Err(fail(400, Some("batch_id"), "The batch id is invalid."));
    }
    let id = context.world.ids.hex(11);
    let args = request.json_at("/personalizations/0/custom_args").clone();
    let mut metadata: std::collections::BTreeMap<String, String> = args
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect();
    metadata.insert("to".to_owned(), people.join(","));
    context.effect(Effect { kind: "mail".to_owned(), object: id.clone(), metadata, ..Effect::default() });
    let leaves_ms = send_at_s.map_or(context.now_ms, |at| (at * 1000).max(context.now_ms));
    for (number, to) in people.into_iter().enumerate() {
        let message = Message {
            id: format!("{id}.recvd-{}-{number}.0", context.world.ids.hex(4)),
            from: from.clone(),
            to,
            subject: request.json_at("/subject").as_str().unwrap_or_default().to_owned(),
            args: args.clone(),
            batch: batch.clone(),
            leaves_ms,
        };
        context.state.messages.add(message);
    }
    Ok(Reply::empty(202).with_header("x-message-id", &id))
}

fn check(context: &Context<'_, SendGrid>, people: &[String], from: &str) -> Result<(), Reply> {
    let request = context.request;
    if people.is_empty() {
        return Err(fail(400, Some("personalizations.0.to"), "The to array is required and can't be empty."));
    }
    if from.is_empty() {
        return Err(fail(400, Some("from.email"), "The from email is required."));
    }
    if from.ends_with("@unverified.example") {
        return Err(fail(403, Some("from"), "The from address does not match a verified Sender Identity."));
    }
    let has_template = request.json_at("/template_id").is_string();
    let has_content = request.json_at("/content").as_array().is_some_and(|content| !content.is_empty());
    if !has_template && (!has_content || !request.json_at("/subject").is_string()) {
        return Err(fail(400, Some("content"), "Unless a template is used, subject and content are required."));
    }
    let args = request.json_at("/personalizations/0/custom_args");
    if args.as_object().is_some_and(|args| !args.values().all(Value::is_string)) {
        return Err(fail(400, Some("personalizations.0.custom_args"), "The value of a custom arg must be a string."));
    }
    Ok(())
}

fn recipients(personalization: &Value) -> Vec<String> {
    let lists = ["to", "cc", "bcc"].into_iter().filter_map(|name| personalization[name].as_array());
    lists.flatten().filter_map(|person| person["email"].as_str().map(str::to_owned)).collect()
}
