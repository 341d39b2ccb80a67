//! `google_calendar.update_event`: see to it that an event is like this.
//!
//! Be so: anybody's change satisfies. The event's version is journaled, and the change is made only on
//! that version.

use std::fmt;

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot, Step};
use hapax_core::transport::{Method, Request};
use hapax_core::words::{Answer, Doer, Fault, Finding, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::facts::{self, ETAG_NOTE};
use crate::guests::SendUpdates;
use crate::when::{When, check_span};
use crate::wire::{self, Event};

/// Changes what is named of an event, and leaves the rest. Debug shows which event, and nothing else.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateEvent {
    /// The calendar's id, as in `jane@example.com`; the user's own if not said.
    #[serde(default = "wire::primary")]
    pub calendar: String,
    /// The event's id.
    pub event: String,
    /// The version that was seen. If it has another one, nothing is changed; without this, the present one is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What it is about; empty takes it away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where it is; empty takes it away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// When it begins, with `end`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<When>,
    /// When it ends, with `start`; of whole days the first one after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<When>,
    /// Which guests get a mail about it; none if not said.
    #[serde(default)]
    pub send_updates: SendUpdates,
}

/// An event that is as it was to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UpdateEventReceipt {
    /// `CALENDAR/EVENT`
    pub id: String,
    /// The version that our change made. None if somebody else may have made it so: what they did wasn't seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// Where Google Calendar shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html_link: Option<String>,
    /// Whose doing it was.
    pub doer: Doer,
}

/// The cell `google_calendar.update_event`.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpdateEventCell;

const OWN: [Row; 2] = [facts::OTHER_VERSION, facts::DELETED];
const ANSWERS: [Row; facts::COMMON.len() + OWN.len()] = facts::table(&OWN);

const SPEC: CellSpec = CellSpec::new(
    "google_calendar.update_event",
    "Changes an event",
    &[
        Rung::Native(facts::VERSION),
        Rung::Query(facts::BY_ID),
        Rung::Human(Human { place: "https://calendar.google.com, the calendar {calendar}: the event {event}" }),
    ],
)
.be_so()
.stakes(Stakes::Medium)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.notes(&[ETAG_NOTE])
.reversal("google_calendar.update_event with the earlier values; mails to guests can't be taken back")
.residual("whether mails to guests went out can't be read; whoever changes the same fields while an answer is missing makes it a person's");

/// What is read of the event before it is changed, and what a look compares.
const BEFORE: &str = "etag,id,status,summary,description,location,start,end,htmlLink";
const AFTER: &str = "id,status,summary,description,location,start,end,htmlLink";

impl Cell for UpdateEventCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = UpdateEvent;
    type Receipt = UpdateEventReceipt;

    async fn prepare(&self, cx: &Context, args: &UpdateEvent) -> Result<Step<UpdateEventReceipt>, Fault> {
        if cx.names().note(ETAG_NOTE).is_some() {
            return Ok(Step::Ready);
        }
        let event = match cx.step::<Event>(&facts::COMMON, args.read(BEFORE)).await? {
            Ok(event) => event.named(&args.event)?,
            Err(refusal) => return Ok(Step::Refused(refusal)),
        };
        if event.is_cancelled() {
            return Ok(Step::Refused(Refusal::new("deleted", "the event is deleted")));
        }
        if args.is_so(&event) {
            return Ok(Step::Happened(args.receipt(event, Doer::CannotTell)));
        }
        let version = event.version()?;
        match &args.etag {
            Some(seen) if seen != version => {
                Ok(Step::Refused(Refusal::new("conflict", "the event has another version than the one that was seen")))
            }
            _ => Ok(Step::Note(ETAG_NOTE, version.to_owned())),
        }
    }

    async fn attempt(&self, shot: Shot<'_>, args: &UpdateEvent) -> Answer<UpdateEventReceipt> {
        let Some(etag) = shot.names().note(ETAG_NOTE) else {
            return Answer::NotDone("no version is noted".to_owned(), None);
        };
        let request = Request::new(Method::Patch, wire::event(&args.calendar, &args.event))
            .query("sendUpdates", args.send_updates.word())
            .header("If-Match", etag)
            .json(args.patch());
        shot.send(request, |event: Event| match args.contradiction(&event) {
            Some(field) => Answer::Unclear(Fault::Echo(field.to_owned())),
            None => Answer::Happened(args.receipt(event, Doer::Us)),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &UpdateEvent) -> Result<Finding<UpdateEventReceipt>, Fault> {
        let Some(event) = cx.get::<Event>(args.read(AFTER)).await? else {
            return Ok(Finding::CannotTell(
                "the event can't be seen any more; it may have been changed before".to_owned(),
            ));
        };
        let event = event.named(&args.event)?;
        Ok(match (event.is_cancelled(), args.is_so(&event)) {
            (true, _) => Finding::CannotTell("the event is deleted; it may have been changed before".to_owned()),
            (false, true) => Finding::Happened(args.receipt(event, Doer::CannotTell)),
            (false, false) => Finding::Absent,
        })
    }
}

impl UpdateEvent {
    /// An event of the user's own calendar, with nothing to change yet:
    /// `UpdateEvent { summary, ..UpdateEvent::of(..) }`.
    pub fn of(event: impl Into<String>) -> Self {
        Self { calendar: wire::primary(), event: event.into(), ..Self::default() }
    }

    fn read(&self, fields: &str) -> Request {
        wire::read_only(&self.calendar, &self.event, fields)
    }

    fn texts(&self) -> [(&'static str, Option<&String>); 3] {
        let (summary, description) = (self.summary.as_ref(), self.description.as_ref());
        [("summary", summary), ("description", description), ("location", self.location.as_ref())]
    }

    fn patch(&self) -> Value {
        let mut patch = json!({});
        for (name, text) in self.texts() {
            if let Some(text) = text {
                patch[name] = text.clone().into();
            }
        }
        for (name, when) in [("start", &self.start), ("end", &self.end)] {
            if let Some(when) = when {
                patch[name] = when.patch();
            }
        }
        patch
    }

    /// Whether the event is as asked.
    fn is_so(&self, event: &Event) -> bool {
        let shown = [&event.summary, &event.description, &event.location];
        let same = |(asked, shown): ((_, Option<&String>), &Option<String>)| {
            asked.1.is_none_or(|asked| wire::same_text(asked, shown.as_deref()))
        };
        let is = |asked: &Option<When>, shown| asked.as_ref().is_none_or(|asked| asked.is_so(shown));
        self.texts().into_iter().zip(shown).all(same)
            && is(&self.start, event.start.as_ref())
            && is(&self.end, event.end.as_ref())
    }

    /// What an answer to our request says otherwise than we did.
    fn contradiction(&self, event: &Event) -> Option<&'static str> {
        let is = |asked: &Option<When>, shown| asked.as_ref().is_none_or(|asked| asked.is_shown_as(shown));
        match (is(&self.start, event.start.as_ref()), is(&self.end, event.end.as_ref())) {
            _ if event.id != self.event => Some("event"),
            (false, _) => Some("start"),
            (_, false) => Some("end"),
            _ => None,
        }
    }

    fn receipt(&self, event: Event, doer: Doer) -> UpdateEventReceipt {
        let id = wire::name(&self.calendar, &self.event);
        let etag = event.etag.filter(|_| doer == Doer::Us);
        UpdateEventReceipt { id, etag, html_link: event.html_link, doer }
    }
}

impl CellArgs for UpdateEvent {
    fn check(&self) -> Result<(), String> {
        wire::check_calendar(&self.calendar)?;
        wire::check_event(&self.event)?;
        self.etag.as_deref().map_or(Ok(()), wire::check_etag)?;
        if self.summary.as_ref().is_some_and(|summary| summary.trim().is_empty()) {
            return Err("summary: give a title".to_owned());
        }
        match (&self.start, &self.end) {
            (Some(start), Some(end)) => check_span(start, end)?,
            (None, None) if self.texts().iter().all(|(_, text)| text.is_none()) => {
                return Err("summary: name something to change".to_owned());
            }
            (None, None) => {}
            (Some(_), None) => return Err("end: give it with start".to_owned()),
            (None, Some(_)) => return Err("start: give it with end".to_owned()),
        }
        Ok(())
    }

    fn echo(&self) -> Echo {
        vec![("event", wire::name(&self.calendar, &self.event))]
    }
}

impl CellReceipt for UpdateEventReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and create_event holds the claim on the event.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("event", self.id.clone())]
    }
}

impl fmt::Debug for UpdateEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateEvent").field("event", &self.event).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
