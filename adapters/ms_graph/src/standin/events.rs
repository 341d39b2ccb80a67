//! Calendars and their events.

use hapax_standin::{Context, Effect, Record, Reply};
use serde_json::{Value, json};

use super::MsGraph;
use super::fail::Fail;
use super::properties::{Properties, page};

type Visit<'a> = Context<'a, MsGraph>;

/// Within this time it is not noticed that a key was used.
const NOTICED_AFTER_MS: i64 = 2_000;
/// For so long a key is remembered. Nobody says how long Graph does.
const REMEMBERED_MS: i64 = 600_000;

#[derive(Clone)]
pub(super) struct Event {
    id: String,
    fields: Value,
    properties: Properties,
    created_ms: i64,
}

impl Record for Event {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Event {
    /// Times are shown as they were given: requests ask for the zone that they name.
    fn value(&self) -> Value {
        let mut value = json!({
            "id": self.id, "iCalUId": format!("0400{}", self.id), "webLink": "https://outlook.office365.com/owa/",
        });
        for name in ["subject", "start", "end", "transactionId", "isAllDay", "attendees", "recurrence"] {
            if !self.fields[name].is_null() {
                value[name] = self.fields[name].clone();
            }
        }
        value
    }
}

/// The calendar in the path; the default one is there always, and every other but those that are missing.
fn calendar(context: &Visit<'_>) -> Result<String, Fail> {
    let has_one = context.request.path.contains("/calendars/");
    let id = if has_one { context.path("calendar") } else { "default".to_owned() };
    if id.contains("missing") { Err(Fail::not_found()) } else { Ok(id) }
}

pub(super) fn create(context: &mut Visit<'_>) -> Result<(u16, Value), Fail> {
    let calendar = calendar(context)?;
    let fields = context.request.json.clone().filter(Value::is_object).ok_or_else(|| Fail::invalid("No event."))?;
    if !fields["start"]["dateTime"].is_string() || !fields["end"]["dateTime"].is_string() {
        return Err(Fail::new(400, "ErrorPropertyValidationFailure", "At least one property failed validation."));
    }
    if fields["subject"].as_str().is_some_and(|subject| subject.contains("refused")) {
        return Err(Fail::invalid("The event can't be stored."));
    }
    let (now_ms, ignores) = (context.now_ms, context.twists.key_ignored());
    let events = context.state.calendars.entry(calendar).or_default();
    let is_repeat = |event: &&Event| {
        let age_ms = now_ms - event.created_ms;
        event.fields["transactionId"].is_string()
            && event.fields["transactionId"] == fields["transactionId"]
            && (NOTICED_AFTER_MS..REMEMBERED_MS).contains(&age_ms)
    };
    if let Some(known) = events.iter().find(is_repeat).filter(|_| !ignores) {
        return Ok((201, known.value()));
    }
    let properties = Properties::of(&fields);
    let id = format!("AAkALg{}=", context.world.ids.letters(30));
    let metadata = properties.metadata();
    let value = events.add(Event { id: id.clone(), fields, properties, created_ms: now_ms }).value();
    context.effect(Effect { kind: "event".to_owned(), object: id, metadata, ..Effect::default() });
    Ok((201, value))
}

pub(super) fn list(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let calendar = calendar(context)?;
    context.state.calendars.entry(calendar.clone()).or_default();
    let filter = context.request.param("$filter");
    let listing = context.list(&context.state.calendars[&calendar]);
    let listing = listing.filter(|event| event.properties.match_filter(filter));
    page(context.request, listing, 1_000, Event::value)
}

/// Whatever its calendar.
pub(super) fn show(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let id = context.path("event");
    let event = context.state.calendars.values().find_map(|events| events.get(&id)).ok_or_else(Fail::not_found)?;
    let mut value = event.value();
    event.properties.shown(context.request, &mut value);
    Ok(value)
}

pub(super) fn delete(context: &mut Visit<'_>) -> Result<Reply, Fail> {
    let id = context.path("event");
    let removed = context.state.calendars.values_mut().find_map(|events| events.remove(&id));
    removed.map(|_| Reply::empty(204)).ok_or_else(Fail::not_found)
}
