//! What is done with events.

use hapax_standin::{Beyond, Context, Effect, PageSize, PageTokens, Reply};
use serde_json::{Map, Value, json};

use super::GoogleCalendar;
use super::event::{Event, check};
use super::fail::Fail;

type Visit<'a> = Context<'a, GoogleCalendar>;

/// Within this time it is not noticed that an id is taken.
const NOTICED_AFTER_MS: i64 = 2_000;

const SIZE: PageSize = PageSize { usual: 250, most: 2_500, beyond: Beyond::Clamped };

pub(super) fn create(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let (calendar, now_ms) = (context.path("calendar"), context.now_ms);
    let fields = body(context)?;
    check(&fields)?;
    let id = match fields.get("id").and_then(Value::as_str) {
        Some(id) if is_id(id) => id.to_owned(),
        Some(_) => return Err(Fail::invalid("Invalid resource id value.")),
        None => context.world.ids.hex(13),
    };
    let ignores = context.twists.key_ignored();
    let another = context.world.ids.hex(13);
    let events = context.state.calendar(&calendar)?;
    let is_noticed = events.get(&id).is_some_and(|known| now_ms - known.created_ms >= NOTICED_AFTER_MS);
    let id = match (is_noticed, ignores) {
        (true, false) => return Err(Fail::usual(409, None)),
        (_, true) if events.contains(&id) => another,
        _ => id,
    };
    events.remove(&id);
    let event = Event { id, fields, cancelled: false, version: 1, created_ms: now_ms };
    let (object, metadata) = (event.id.clone(), event.properties());
    let value = events.add(event).value();
    context.effect(Effect { kind: "create_event".to_owned(), object, metadata, ..Effect::default() });
    Ok(value)
}

pub(super) fn list(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let calendar = context.path("calendar");
    context.state.calendar(&calendar)?;
    let with_deleted = context.request.param("showDeleted") == Some("true");
    let wanted = context.request.param("privateExtendedProperty").and_then(|pair| pair.split_once('='));
    let shown = context
        .list(&context.state.calendars[&calendar])
        .filter(|event| with_deleted || !event.cancelled)
        .filter(|event| wanted.is_none_or(|(name, value)| event.property(name) == Some(value)));
    let tokens = PageTokens::of(&context.request.target_with(&[("pageToken", None), ("maxResults", None)]));
    let unfit = |_| Fail::invalid("Invalid page token value.");
    let cursor = tokens.cursor(context.request.param("pageToken")).map_err(unfit)?;
    let size = SIZE.read(context.request.param("maxResults")).unwrap_or(SIZE.usual);
    let page = shown.after(cursor.as_deref(), size).map_err(unfit)?;
    let title = if calendar == "primary" { "owner@example.com" } else { &calendar };
    let mut value = json!({ "kind": "calendar#events", "summary": title, "items": page.values(Event::value) });
    if let Some(token) = tokens.next(&page) {
        value["nextPageToken"] = token.into();
    }
    Ok(value)
}

/// Deleted ones are shown, too.
pub(super) fn show(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let (calendar, id) = (context.path("calendar"), context.path("event"));
    let mut shown = context.state.calendar(&calendar)?.get(&id).map(Event::value).ok_or_else(Fail::not_found)?;
    let wanted: Option<Vec<&str>> = context.request.param("fields").map(|fields| fields.split(',').collect());
    if let (Some(wanted), Some(all)) = (wanted, shown.as_object_mut()) {
        all.retain(|name, _| wanted.contains(&name.as_str()));
    }
    Ok(shown)
}

pub(super) fn change(context: &mut Visit<'_>) -> Result<Value, Fail> {
    let patch = body(context)?;
    let event = on_condition(context)?;
    let changed = event.with(&patch);
    check(&changed)?;
    event.fields = changed;
    event.version += 1;
    let value = event.value();
    noted(context, "update_event");
    Ok(value)
}

pub(super) fn delete(context: &mut Visit<'_>) -> Result<Reply, Fail> {
    let event = on_condition(context)?;
    if event.says("locked") {
        return Err(Fail::usual(403, None));
    }
    event.cancelled = true;
    event.version += 1;
    noted(context, "delete_event");
    Ok(Reply::empty(204))
}

/// The event in the path, if it is there in the version that the request depends on.
fn on_condition<'a>(context: &'a mut Visit<'_>) -> Result<&'a mut Event, Fail> {
    let (calendar, id) = (context.path("calendar"), context.path("event"));
    let wanted = context.request.header("if-match").filter(|_| !context.twists.key_ignored()).map(str::to_owned);
    let event = context.state.calendar(&calendar)?.get_mut(&id).ok_or_else(Fail::not_found)?;
    if event.cancelled {
        return Err(Fail::deleted());
    }
    match wanted {
        Some(wanted) if wanted != event.etag() => Err(Fail::usual(412, None)),
        _ => Ok(event),
    }
}

/// The effect, in the same step in which the state changes.
fn noted(context: &mut Visit<'_>, kind: &str) {
    let object = format!("{}/{}", context.path("calendar"), context.path("event"));
    context.effect(Effect { kind: kind.to_owned(), object, ..Effect::default() });
}

fn body(context: &Visit<'_>) -> Result<Map<String, Value>, Fail> {
    context.request.json.as_ref().and_then(Value::as_object).cloned().ok_or_else(|| Fail::invalid("Parse Error"))
}

fn is_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'v').contains(&byte);
    (5..=1024).contains(&id.len()) && id.bytes().all(is_plain)
}
