//! `google_calendar.delete_event`: see to it that an event is deleted.
//!
//! Be so: anybody's deletion satisfies. The event's version is journaled, so that it is known to have
//! been there, and it is deleted only in that version.

use hapax_core::capability::{CellSpec, Human, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot, Step};
use hapax_core::transport::{Method, Request};
use hapax_core::words::{Answer, Doer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::{self, ETAG_NOTE};
use crate::guests::SendUpdates;
use crate::wire::{self, Event};

/// Deletes an event; of a recurring one all of it, or the instance that the id names.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteEvent {
    /// The calendar's id, as in `jane@example.com`; the user's own if not said.
    #[serde(default = "wire::primary")]
    pub calendar: String,
    /// The event's id.
    pub event: String,
    /// Which guests get a cancellation by mail; none if not said.
    #[serde(default)]
    pub send_updates: SendUpdates,
}

/// An event that is deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeleteEventReceipt {
    /// `CALENDAR/EVENT`
    pub id: String,
    /// Whose doing it was.
    pub doer: Doer,
}

/// The cell `google_calendar.delete_event`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeleteEventCell;

const OWN: [Row; 3] = [facts::OTHER_VERSION, facts::DELETED_ALREADY, facts::OUT_OF_SIGHT];
const ANSWERS: [Row; facts::COMMON.len() + OWN.len()] = facts::table(&OWN);

const SPEC: CellSpec = CellSpec::new(
    "google_calendar.delete_event",
    "Deletes an event",
    &[
        Rung::Native(facts::VERSION),
        Rung::Query(facts::BY_ID),
        Rung::Human(Human { place: "https://calendar.google.com, the calendar {calendar} and its bin: the event {event}" }),
    ],
)
.be_so()
.stakes(Stakes::Medium)
.answers(&ANSWERS)
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.notes(&[ETAG_NOTE])
.reversal("a person can restore it from the calendar's bin, while it is there; mails to guests can't be taken back")
.residual("whether cancellations went out can't be read; whoever changes or restores the event while an answer is missing makes it a person's");

impl Cell for DeleteEventCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = DeleteEvent;
    type Receipt = DeleteEventReceipt;

    async fn prepare(&self, cx: &Context, args: &DeleteEvent) -> Result<Step<DeleteEventReceipt>, Fault> {
        if cx.names().note(ETAG_NOTE).is_some() {
            return Ok(Step::Ready);
        }
        let event = match cx.step::<Event>(&facts::COMMON, args.read("etag,id,status")).await? {
            Ok(event) => event.named(&args.event)?,
            Err(refusal) => return Ok(Step::Refused(refusal)),
        };
        if event.is_cancelled() {
            return Ok(Step::Happened(args.receipt(Doer::CannotTell)));
        }
        Ok(Step::Note(ETAG_NOTE, event.version()?.to_owned()))
    }

    async fn attempt(&self, shot: Shot<'_>, args: &DeleteEvent) -> Answer<DeleteEventReceipt> {
        let Some(etag) = shot.names().note(ETAG_NOTE) else {
            return Answer::NotDone("no version is noted".to_owned(), None);
        };
        let request = Request::new(Method::Delete, wire::event(&args.calendar, &args.event))
            .query("sendUpdates", args.send_updates.word())
            .header("If-Match", etag);
        shot.send_for_status(request, 204, |_| Answer::Happened(args.receipt(Doer::Us))).await
    }

    async fn find(&self, cx: &Context, args: &DeleteEvent) -> Result<Finding<DeleteEventReceipt>, Fault> {
        let Some(event) = cx.get::<Event>(args.read("id,status")).await? else {
            let why = "the event can't be seen any more: it is gone for good, or the calendar isn't shared any more";
            return Ok(Finding::CannotTell(why.to_owned()));
        };
        Ok(match event.named(&args.event)?.is_cancelled() {
            true => Finding::Happened(args.receipt(Doer::CannotTell)),
            false => Finding::Absent,
        })
    }
}

impl DeleteEvent {
    /// Deletes this event of the user's own calendar, and tells nobody by mail.
    pub fn of(event: impl Into<String>) -> Self {
        Self { calendar: wire::primary(), event: event.into(), send_updates: SendUpdates::None }
    }

    fn read(&self, fields: &str) -> Request {
        wire::read_only(&self.calendar, &self.event, fields)
    }

    fn receipt(&self, doer: Doer) -> DeleteEventReceipt {
        DeleteEventReceipt { id: wire::name(&self.calendar, &self.event), doer }
    }
}

impl CellArgs for DeleteEvent {
    fn check(&self) -> Result<(), String> {
        wire::check_calendar(&self.calendar)?;
        wire::check_event(&self.event)
    }

    fn echo(&self) -> Echo {
        vec![("event", wire::name(&self.calendar, &self.event))]
    }
}

impl CellReceipt for DeleteEventReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and create_event holds the claim on the event.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("event", self.id.clone())]
    }
}

#[cfg(test)]
mod tests;
