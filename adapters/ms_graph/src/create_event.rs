//! `ms_graph.create_event`: create an event once, with the invitations that go out with it.
//!
//! A key of ours keeps a second one away, for a time that nobody states; a look finds the event by an
//! extended property.

use std::fmt;

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Shot};
use hapax_core::identity::Form;
use hapax_core::transport::Method;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::attendee::Attendee;
use crate::mail::has_breaks;
use crate::wire::{self, Marked, Properties, asked_property, key_property};
use crate::{facts, when};

/// Creates an event. Debug shows when it is, and nothing else of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateEvent {
    /// The calendar's id; the mailbox's default calendar if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<String>,
    /// Its title.
    pub subject: String,
    /// When it begins, as local time in `time_zone`: `2026-12-01T10:00:00`.
    pub start: String,
    /// When it ends; of whole days the first one after it.
    pub end: String,
    /// `UTC`, `Europe/Berlin`, `W. Europe Standard Time`: whatever Outlook knows.
    #[serde(default = "utc")]
    pub time_zone: String,
    /// Whether it takes whole days; `start` and `end` are midnights then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_day: bool,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Who is invited. Each gets an invitation when the event is created.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attendees: Vec<Attendee>,
    /// Whether there is an online meeting, with the mailbox's usual provider.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub online_meeting: bool,
    /// Graph's `patternedRecurrence`, as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<Value>,
}

/// An event that was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreateEventReceipt {
    /// Its immutable id: read it with `Prefer: IdType="ImmutableId"`.
    pub id: String,
    /// Its id in all calendars that it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ical_uid: Option<String>,
    /// Where Outlook shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web_link: Option<String>,
}

/// The cell `ms_graph.create_event`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateEventCell;

const ANSWERS: [Row; facts::COMMON.len()] = facts::table(&[]);

const SPEC: CellSpec = CellSpec::new(
    "ms_graph.create_event",
    "Creates an event in an Outlook calendar and invites its attendees",
    &[
        Rung::Native(facts::TRANSACTION_ID),
        Rung::Query(facts::MARKED_EVENT),
        Rung::Human(Human { place: "Outlook, the mailbox's calendar from {start} on: \"{subject}\"" }),
    ],
)
.stakes(Stakes::Medium)
.answers(&ANSWERS)
.answers_within(facts::EVENT_WITHIN)
.patience(facts::PATIENCE)
.later("attendees answer in the event; whether invitations reached them is not told")
.reversal("cancel or delete the event in Outlook; attendees are told")
.residual("how long Graph remembers the key is not written, so that one that it forgets within five minutes of a lost answer makes a second event; an event that somebody deletes meanwhile may be created again");

/// An event, with the fields that are read.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    id: String,
    subject: Option<String>,
    start: Option<when::Shown>,
    end: Option<when::Shown>,
    transaction_id: Option<String>,
    #[serde(rename = "iCalUId")]
    ical_uid: Option<String>,
    web_link: Option<String>,
    #[serde(default)]
    single_value_extended_properties: Properties,
}

impl Marked for Event {
    fn properties(&self) -> &Properties {
        &self.single_value_extended_properties
    }
}

/// The step that the key is derived for.
const STEP: &str = "create";

impl Cell for CreateEventCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CreateEvent;
    type Receipt = CreateEventReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CreateEvent) -> Answer<CreateEventReceipt> {
        let key = shot.names().token(STEP);
        let path = wire::events(args.calendar.as_deref());
        let body = args.body(&key, &shot.names().mark());
        let request = wire::lasting_in(Method::Post, path, &args.time_zone).json(body);
        shot.send(request, |event: Event| match args.contradiction(&event, &key) {
            Some(field) => Answer::Unclear(Fault::Echo(field.to_owned())),
            None => receipt(event).map_or_else(Answer::Unclear, Answer::Happened),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CreateEvent) -> Result<Finding<CreateEventReceipt>, Fault> {
        let events = wire::items::<Event>(cx, wire::events(args.calendar.as_deref()), wire::event).await?;
        for event in &events {
            args.is_ours(event)?;
        }
        Ok(found(events.into_iter().map(receipt).collect::<Result<_, _>>()?))
    }

    async fn fetch(&self, cx: &Context, args: &CreateEvent, id: &str) -> Result<Option<CreateEventReceipt>, Fault> {
        if !wire::is_id(id) {
            return Err(Fault::Unread("an event is named by its immutable id".to_owned()));
        }
        let read = wire::expanded_in(wire::event(id), &args.time_zone);
        let Some(event) = cx.get::<Event>(read).await? else { return Ok(None) };
        wire::check_not_anothers(cx, &event)?;
        args.is_ours(&event)?;
        receipt(event).map(Some)
    }
}

fn receipt(event: Event) -> Result<CreateEventReceipt, Fault> {
    wire::check_id(&event.id)?;
    Ok(CreateEventReceipt { id: event.id, ical_uid: event.ical_uid, web_link: event.web_link })
}

fn utc() -> String {
    "UTC".to_owned()
}

impl CreateEvent {
    /// An event in the default calendar that nobody is invited to, in UTC; for more,
    /// `CreateEvent { attendees, ..CreateEvent::of(..) }`.
    pub fn of(subject: impl Into<String>, start: impl Into<String>, end: impl Into<String>) -> Self {
        Self {
            calendar: None,
            subject: subject.into(),
            start: start.into(),
            end: end.into(),
            time_zone: utc(),
            all_day: false,
            text: None,
            location: None,
            attendees: Vec::new(),
            online_meeting: false,
            recurrence: None,
        }
    }

    fn body(&self, key: &str, mark: &str) -> Value {
        let mut body = json!({
            "subject": self.subject, "transactionId": key,
            "start": when::value(&self.start, &self.time_zone), "end": when::value(&self.end, &self.time_zone),
            "singleValueExtendedProperties": [
                { "id": key_property(), "value": mark }, { "id": asked_property(), "value": self.asked() },
            ],
        });
        if self.all_day {
            body["isAllDay"] = true.into();
        }
        if let Some(text) = &self.text {
            body["body"] = json!({ "contentType": "text", "content": text });
        }
        if let Some(location) = &self.location {
            body["location"] = json!({ "displayName": location });
        }
        if !self.attendees.is_empty() {
            body["attendees"] = self.attendees.iter().map(Attendee::value).collect();
        }
        if self.online_meeting {
            body["isOnlineMeeting"] = true.into();
        }
        if let Some(recurrence) = &self.recurrence {
            body["recurrence"] = recurrence.clone();
        }
        body
    }

    /// A digest of what is asked, so that people may edit the event and it is still ours.
    fn asked(&self) -> String {
        let digest: [u8; 32] = Sha256::digest(json!(self).to_string()).into();
        Form::Base32Hex(32).write(&digest)
    }

    /// What an answer to our request says otherwise than we did. Graph shows the key if it was set, so
    /// without it Graph took no notice of it.
    fn contradiction(&self, event: &Event, key: &str) -> Option<&'static str> {
        match event.transaction_id.as_deref() == Some(key) {
            true => self.shown_otherwise(event),
            false => Some("transactionId"),
        }
    }

    fn shown_otherwise(&self, event: &Event) -> Option<&'static str> {
        let is_other = |shown: &Option<when::Shown>, asked: &str| {
            shown.as_ref().is_none_or(|shown| shown.is_other(asked, &self.time_zone))
        };
        if event.subject.as_deref().map(str::trim) != Some(self.subject.trim()) {
            return Some("subject");
        }
        match (is_other(&event.start, &self.start), is_other(&event.end, &self.end)) {
            (true, _) => Some("start"),
            (_, true) => Some("end"),
            _ => None,
        }
    }

    /// Whether an event that bears our mark, or that a person names, is what was asked for.
    fn is_ours(&self, event: &Event) -> Result<(), Fault> {
        let contradiction = match event.properties().value(&asked_property()) {
            Some(asked) if asked == self.asked() => None,
            Some(_) => Some("what was asked"),
            None => self.shown_otherwise(event),
        };
        contradiction.map_or(Ok(()), |field| Err(Fault::Echo(field.to_owned())))
    }
}

/// Attendees of an event (<https://learn.microsoft.com/en-us/graph/api/resources/event>).
const MOST_ATTENDEES: usize = 500;

impl CellArgs for CreateEvent {
    fn check(&self) -> Result<(), String> {
        if self.calendar.as_deref().is_some_and(|calendar| !wire::is_id(calendar)) {
            return Err("calendar: give the calendar's id, as Graph lists it".to_owned());
        }
        if self.subject.trim().is_empty() || has_breaks(&self.subject) {
            return Err("subject: give a title in one line".to_owned());
        }
        when::check_span(&self.start, &self.end, &self.time_zone, self.all_day)?;
        if self.attendees.iter().filter_map(|attendee| attendee.name.as_deref()).any(has_breaks) {
            return Err("attendees: a name is one line".to_owned());
        }
        if self.attendees.len() > MOST_ATTENDEES {
            return Err(format!("attendees: {MOST_ATTENDEES} are the most that an event has"));
        }
        match &self.recurrence {
            Some(recurrence) if !recurrence["pattern"].is_object() || !recurrence["range"].is_object() => {
                Err("recurrence: give a pattern and a range, as Graph's patternedRecurrence has them".to_owned())
            }
            _ => Ok(()),
        }
    }
}

impl CellReceipt for CreateEventReceipt {
    fn id(&self) -> &str {
        &self.id
    }
}

impl fmt::Debug for CreateEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("CreateEvent");
        shown.field("start", &self.start).field("end", &self.end).field("time_zone", &self.time_zone);
        shown.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
