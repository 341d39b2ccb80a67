//! Paths, and the shapes of Google's answers; only the fields that are read.

use std::collections::BTreeMap;

use hapax_core::transport::{Request, is_plain_segment};
use hapax_core::words::Fault;
use serde::Deserialize;

/// An event.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Event {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) status: String,
    pub(crate) etag: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) location: Option<String>,
    pub(crate) start: Option<Shown>,
    pub(crate) end: Option<Shown>,
    pub(crate) html_link: Option<String>,
    /// Set for a changed instance of a recurring event.
    pub(crate) recurring_event_id: Option<String>,
    #[serde(default)]
    extended_properties: Properties,
}

/// A begin or an end.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shown {
    pub(crate) date_time: Option<String>,
    pub(crate) time_zone: Option<String>,
    pub(crate) date: Option<String>,
}

#[derive(Clone, Default, Deserialize)]
struct Properties {
    #[serde(default)]
    private: BTreeMap<String, String>,
}

/// A page of a list of events.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page {
    kind: String,
    /// The calendar's title.
    pub(crate) summary: Option<String>,
    #[serde(default)]
    pub(crate) items: Vec<Event>,
    pub(crate) next_page_token: Option<String>,
}

impl Event {
    /// Whether it is deleted.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.status == "cancelled"
    }

    /// A private property.
    pub(crate) fn property(&self, name: &str) -> Option<&str> {
        self.extended_properties.private.get(name).map(String::as_str)
    }

    /// Its version, as `If-Match` takes it.
    pub(crate) fn version(&self) -> Result<&str, Fault> {
        let etag = self.etag.as_deref().filter(|etag| check_etag(etag).is_ok());
        etag.ok_or_else(|| Fault::Unread("an event without a version".to_owned()))
    }

    /// An answer about another event is no answer.
    pub(crate) fn named(self, id: &str) -> Result<Self, Fault> {
        if self.id == id { Ok(self) } else { Err(Fault::Echo("event".to_owned())) }
    }
}

impl Page {
    /// An object that isn't a list of events must not be taken for an empty one.
    pub(crate) fn checked(self) -> Result<Self, Fault> {
        match self.kind.as_str() {
            "calendar#events" => Ok(self),
            _ => Err(Fault::Unread("a body that is no list of events".to_owned())),
        }
    }
}

/// Whether two texts are the same apart from white space at the ends and from line ends (F20).
/// Without a text is as good as with an empty one.
pub(crate) fn same_text(asked: &str, shown: Option<&str>) -> bool {
    let plain = |text: &str| text.trim().replace("\r\n", "\n");
    plain(asked) == plain(shown.unwrap_or_default())
}

/// Where a calendar's events are.
pub(crate) fn events(calendar: &str) -> String {
    format!("/calendar/v3/calendars/{calendar}/events")
}

/// Where one event is.
pub(crate) fn event(calendar: &str, id: &str) -> String {
    format!("{}/{id}", events(calendar))
}

/// Reads one event, deleted or not.
pub(crate) fn read(calendar: &str, id: &str) -> Request {
    Request::get(event(calendar, id))
}

/// Reads these fields of it: guests are nobody's business here, and a look has no use for a version.
pub(crate) fn read_only(calendar: &str, id: &str, fields: &str) -> Request {
    read(calendar, id).query("fields", fields)
}

/// How receipts and arguments name an event.
pub(crate) fn name(calendar: &str, id: &str) -> String {
    format!("{calendar}/{id}")
}

/// A calendar's id as it stands in a path.
pub(crate) fn check_calendar(calendar: &str) -> Result<(), String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@._-+".contains(&byte);
    let is_path = calendar.contains("..") || calendar.starts_with('.');
    if calendar.is_empty() || calendar.len() >= 250 || is_path || !calendar.bytes().all(is_plain) {
        return Err("calendar: give primary, or the calendar's id, as in jane@example.com".to_owned());
    }
    Ok(())
}

/// An event's id as it stands in a path.
pub(crate) fn check_event(id: &str) -> Result<(), String> {
    match is_plain_segment(id) {
        true => Ok(()),
        false => Err("event: give the event's id, as in the receipt of google_calendar.create_event".to_owned()),
    }
}

/// A version as it stands in a header.
pub(crate) fn check_etag(etag: &str) -> Result<(), String> {
    let is_plain = etag.bytes().all(|byte| byte.is_ascii_graphic());
    match is_plain && etag.starts_with('"') && etag.ends_with('"') && (2..250).contains(&etag.len()) {
        true => Ok(()),
        false => Err("etag: give it as Google does, with its quotation marks".to_owned()),
    }
}

/// What `serde` uses where no calendar is named.
pub(crate) fn primary() -> String {
    "primary".to_owned()
}
