//! `google_calendar.create_event`: create an event once, with the mails to its guests.
//!
//! We choose its id, which is taken once in a calendar. A look reads it by that id, and lists what
//! carries our mark.

use std::fmt;

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{self, Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::identity::Form;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::facts::{self, ASKED, KEY};
use crate::guests::{Guest, SendUpdates};
use crate::when::{When, check_span};
use crate::wire::{self, Event, Page};

/// Creates an event. Debug shows when it is, and nothing else of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateEvent {
    /// The calendar's id, as in `jane@example.com`; the user's own if not said.
    #[serde(default = "wire::primary")]
    pub calendar: String,
    /// Its title.
    pub summary: String,
    /// When it begins.
    pub start: When,
    /// When it ends; of whole days the first one after it.
    pub end: When,
    /// What it is about. Google shows some HTML in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Who is invited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guests: Vec<Guest>,
    /// Lines of RFC 5545, as in `RRULE:FREQ=WEEKLY;COUNT=4`. `start` and `end` then need a zone or are days.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recurrence: Vec<String>,
    /// Which guests get an invitation by mail; none if not said.
    #[serde(default)]
    pub send_updates: SendUpdates,
}

/// An event that was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreateEventReceipt {
    /// Its id in the calendar.
    pub id: String,
    /// The calendar.
    pub calendar: String,
    /// `confirmed`, or what somebody made of it before we looked: `tentative`, `cancelled`.
    pub status: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// Where Google Calendar shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html_link: Option<String>,
}

/// The cell `google_calendar.create_event`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateEventCell;

const OWN: [Row; 1] = [facts::ID_TAKEN];
const ANSWERS: [Row; facts::COMMON.len() + OWN.len()] = facts::table(&OWN);

const SPEC: CellSpec = CellSpec::new(
    "google_calendar.create_event",
    "Creates an event and invites its guests",
    &[
        Rung::Native(facts::OUR_ID),
        Rung::Query(facts::BY_ID),
        Rung::Query(facts::BY_MARK),
        Rung::Human(Human {
            place: "https://calendar.google.com, the calendar {calendar}: \"{summary}\"; the API lists ours with privateExtendedProperty=hapax={mark}",
        }),
    ],
)
.stakes(Stakes::Medium)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.later("guests answer in the event; whether mails reached them is not told")
.reversal("google_calendar.delete_event; guests that were invited can be told")
.residual("whether invitations went out can't be read; if somebody deletes the event for good while an answer is missing and Google then forgets its id, it is created again");

impl Cell for CreateEventCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CreateEvent;
    type Receipt = CreateEventReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CreateEvent) -> Answer<CreateEventReceipt> {
        let id = shot.names().token(STEP);
        let body = args.body(&id, &shot.names().mark());
        let request =
            Request::post(wire::events(&args.calendar)).query("sendUpdates", args.send_updates.word()).json(body);
        shot.send(request, |event: Event| match args.contradiction(&event, &id) {
            Some(field) => Answer::Unclear(Fault::Echo(field.to_owned())),
            None => Answer::Happened(args.receipt(event)),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CreateEvent) -> Result<Finding<CreateEventReceipt>, Fault> {
        let id = cx.names().token(STEP);
        let mut events = Vec::new();
        if let Some(event) = cx.get::<Event>(wire::read(&args.calendar, &id)).await? {
            events.push(event.named(&id)?);
        }
        for event in marked(cx, &args.calendar).await? {
            if !events.iter().any(|known| known.id == event.id) {
                events.push(event);
            }
        }
        for event in &events {
            args.is_ours(event, &id)?;
        }
        Ok(found(events.into_iter().map(|event| args.receipt(event)).collect()))
    }

    async fn fetch(&self, cx: &Context, args: &CreateEvent, id: &str) -> Result<Option<CreateEventReceipt>, Fault> {
        wire::check_event(id).map_err(Fault::Unread)?;
        let Some(event) = cx.get::<Event>(wire::read(&args.calendar, id)).await? else { return Ok(None) };
        let event = event.named(id)?;
        args.is_ours(&event, &cx.names().token(STEP))?;
        Ok(Some(args.receipt(event)))
    }
}

/// The step that the id is derived for.
const STEP: &str = "create";

/// Events that carry our mark, of this and of other epochs.
async fn marked(cx: &Context, calendar: &str) -> Result<Vec<Event>, Fault> {
    let mark = cx.names().mark();
    let first = Request::get(wire::events(calendar))
        .query("privateExtendedProperty", format!("{KEY}={mark}"))
        .query("showDeleted", "true")
        .query("maxResults", "250");
    cx.search(first.clone(), |page: Page, _| {
        let page = page.checked()?;
        // Compared here too: a server that ignores the filter lists all events.
        let is_hit = |event: &Event| event.recurring_event_id.is_none() && event.property(KEY) == Some(&mark);
        let next = page.next_page_token.map(|token| first.clone().query("pageToken", token));
        Ok(cell::Page { hits: page.items.into_iter().filter(is_hit).collect(), next })
    })
    .await
}

impl CreateEvent {
    /// An event in the user's own calendar that nobody is invited to; for more,
    /// `CreateEvent { guests, ..CreateEvent::of(..) }`.
    pub fn of(summary: impl Into<String>, start: When, end: When) -> Self {
        Self {
            calendar: wire::primary(),
            summary: summary.into(),
            start,
            end,
            description: None,
            location: None,
            guests: Vec::new(),
            recurrence: Vec::new(),
            send_updates: SendUpdates::None,
        }
    }

    fn body(&self, id: &str, mark: &str) -> Value {
        let mut body = json!({
            "id": id, "summary": self.summary, "start": self.start.value(), "end": self.end.value(),
            "extendedProperties": { "private": { KEY: mark, ASKED: self.asked() } },
        });
        for (name, text) in [("description", &self.description), ("location", &self.location)] {
            if let Some(text) = text {
                body[name] = text.clone().into();
            }
        }
        if !self.guests.is_empty() {
            body["attendees"] = self.guests.iter().map(Guest::value).collect();
        }
        if !self.recurrence.is_empty() {
            body["recurrence"] = json!(self.recurrence);
        }
        body
    }

    /// A digest of what is asked, so that people may edit the event and it is still ours.
    fn asked(&self) -> String {
        let digest: [u8; 32] = Sha256::digest(json!(self).to_string()).into();
        Form::Base32Hex(32).write(&digest)
    }

    /// What an answer to our request says otherwise than we did.
    fn contradiction(&self, event: &Event, id: &str) -> Option<&'static str> {
        if event.id != id {
            return Some("id of the event");
        }
        self.shown_otherwise(event)
    }

    fn shown_otherwise(&self, event: &Event) -> Option<&'static str> {
        match (self.start.is_shown_as(event.start.as_ref()), self.end.is_shown_as(event.end.as_ref())) {
            (false, _) => Some("start"),
            (_, false) => Some("end"),
            _ => None,
        }
    }

    /// Whether an event that bears our id or mark, or that a person names, is what was asked for. Of a deleted one only
    /// its id is sure to be there.
    fn is_ours(&self, event: &Event, id: &str) -> Result<(), Fault> {
        let contradiction = match event.property(ASKED) {
            Some(asked) if asked == self.asked() => None,
            Some(_) => Some("what was asked"),
            None if event.id == id && event.is_cancelled() => None,
            None if !wire::same_text(&self.summary, event.summary.as_deref()) => Some("summary"),
            None => self.shown_otherwise(event),
        };
        contradiction.map_or(Ok(()), |field| Err(Fault::Echo(field.to_owned())))
    }

    fn receipt(&self, event: Event) -> CreateEventReceipt {
        let status = if event.status.is_empty() { "confirmed".to_owned() } else { event.status };
        let (calendar, etag, html_link) = (self.calendar.clone(), event.etag, event.html_link);
        CreateEventReceipt { id: event.id, calendar, status, etag, html_link }
    }
}

impl CellArgs for CreateEvent {
    fn check(&self) -> Result<(), String> {
        wire::check_calendar(&self.calendar)?;
        if self.summary.trim().is_empty() {
            return Err("summary: give a title".to_owned());
        }
        check_span(&self.start, &self.end)?;
        self.guests.iter().try_for_each(Guest::check)?;
        let known = ["RRULE", "EXRULE", "RDATE", "EXDATE"];
        let is_rule = |line: &String| {
            known.iter().any(|name| line.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', ';'])))
        };
        if !self.recurrence.iter().all(is_rule) {
            return Err("recurrence: each line begins with RRULE, EXRULE, RDATE or EXDATE".to_owned());
        }
        let lacks_zone = |when: &When| when.date_time.is_some() && when.time_zone.is_none();
        if !self.recurrence.is_empty() && (lacks_zone(&self.start) || lacks_zone(&self.end)) {
            return Err("recurrence: start and end need a time_zone".to_owned());
        }
        Ok(())
    }

    fn echo(&self) -> Echo {
        vec![("calendar", self.calendar.clone())]
    }
}

impl CellReceipt for CreateEventReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("calendar", self.calendar.clone())]
    }
}

impl fmt::Debug for CreateEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreateEvent").field("start", &self.start).field("end", &self.end).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
