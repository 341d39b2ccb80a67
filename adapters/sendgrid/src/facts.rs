//! Facts that several cells share, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Annul, Meaning, Native, Need, Query, Repeat, Row, Source, Window};
use hapax_core::identity::Form;

const READ: &str = "2026-11-28";

const MAIL: Source =
    Source::spec("https://github.com/sendgrid/sendgrid-oai/blob/main/spec/json/tsg_mail_v3.json", READ);
const ACTIVITY: Source =
    Source::spec("https://github.com/sendgrid/sendgrid-oai/blob/main/spec/json/tsg_email_activity_v3.json", READ);
const HISTORY: Source = Source::official(
    "https://www.twilio.com/docs/sendgrid/for-developers/sending-email/getting-started-email-activity-api",
    READ,
);
const BRACKETS: Source = Source::practice("https://github.com/Jericho/StrongGrid", READ);
const EVENTS: Source =
    Source::official("https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event", READ);
const CANCEL: Source =
    Source::official("https://www.twilio.com/docs/sendgrid/api-reference/cancel-scheduled-sends", READ);
const CANCEL_ONE: Source = Source::official(
    "https://www.twilio.com/docs/sendgrid/api-reference/cancel-scheduled-sends/cancel-or-pause-a-scheduled-send",
    READ,
);
const RETRIEVE: Source = Source::official(
    "https://www.twilio.com/docs/sendgrid/api-reference/cancel-scheduled-sends/retrieve-scheduled-send",
    READ,
);
const UPSERT: Source =
    Source::official("https://www.twilio.com/docs/sendgrid/api-reference/contacts/add-or-update-a-contact", READ);
const BY_EMAILS: Source =
    Source::official("https://www.twilio.com/docs/sendgrid/api-reference/contacts/get-contacts-by-emails", READ);

/// Bound on automatic work on a mail: the three days for which one can be scheduled, and one more.
pub(crate) const PATIENCE: Duration = Duration::from_secs(4 * 24 * 3600);

/// Form of our mark; custom args have room for it.
const MARK_FORM: Form = Form::Text(32);

/// What the activity needs. It may be asked six times a minute, looks of all operations together.
pub(crate) const HISTORY_BOUGHT: Need = Need::Setting(
    "additional email activity history is bought and the API key has Email Activity access (6 requests a minute)",
);

const REACHABLE: &[Need] = &[Need::Receiver("an event webhook leads to a server of yours")];
const SCHEDULED: &[Need] = &[Need::Receiver("the mail has send_at and a batch_id of its own")];

/// The messages that carry our mark. How soon they are shown is not said, so the lag is presumed and
/// an absence only suggests.
pub(crate) const BY_MARK: Query = Query::by_mark("custom_args.hapax", MARK_FORM)
    .reaches(Window::AtLeast(Duration::from_secs(30 * 24 * 3600)))
    .needs(&[HISTORY_BOUGHT])
    .from(&[HISTORY, ACTIVITY, BRACKETS]);

/// Webhooks carry the custom args. They prove that a mail was taken on; silence proves nothing.
pub(crate) const WEBHOOK: Query =
    Query::by_mark("custom_args.hapax", MARK_FORM).reaches(Window::Ever).told().needs(REACHABLE).from(&[EVENTS, MAIL]);

/// A scheduled batch can be cancelled, whatever number of copies it holds.
pub(crate) const CANCEL_BATCH: Annul = Annul {
    until: "10 minutes before send_at",
    settle: hapax_core::capability::CellSpec::PRESUMED_SETTLE,
    needs: SCHEDULED,
    sources: &[CANCEL],
};

/// A batch is cancelled by one record; a repeat is refused while it is there.
pub(crate) const CANCELLED_ONCE: Native = Native::state("not cancelled")
    .kept(Window::Ever, "a batch that is cancelled can't be cancelled again")
    .undone_by("lets the batch go again")
    .repeat(Repeat::Refuses)
    .from(&[CANCEL_ONE]);

/// A batch is read by its id.
pub(crate) const BY_BATCH: Query = Query::by_token().reaches(Window::Unstated).from(&[RETRIEVE]);

/// Fields take the place of fields, by address.
pub(crate) const SAME_FIELDS: Native = Native::state("fields")
    .kept(Window::Ever, "an upsert puts fields in the place of fields")
    .repeat(Repeat::Converges)
    .undone_by("changes these fields")
    .from(&[UPSERT]);

/// A contact is read by its address and compared. How soon is not said, so the lag is presumed.
pub(crate) const BY_ADDRESS: Query = Query::by_token().reaches(Window::Ever).from(&[BY_EMAILS, UPSERT]);

/// Turned away before anything was looked at.
const UNAUTHORIZED: Row = Row::new(401, "*", "*", Meaning::NotDone, MAIL);
/// Cancelled or paused before, too many, or too late: the look says which.
const ON_RECORD: Row = Row::new(400, "*", "*", Meaning::Taken, CANCEL_ONE);

/// The table of sends and upserts. Limits (429) have no row: nobody says that nothing was done.
pub(crate) const ANSWERS: &[Row] = &[UNAUTHORIZED];

/// The table of cancellations.
pub(crate) const ANSWERS_OF_CANCELLATIONS: &[Row] = &[UNAUTHORIZED, ON_RECORD];

#[cfg(test)]
mod tests {
    use hapax_core::capability::{CellSpec, Completion, Lasting, SecondEffect, guarantee};
    use hapax_core::cell::Cell;

    use super::*;
    use crate::{CancelScheduledCell, SendCell, UpsertContactCell};

    #[test]
    fn guarantees_follow_from_the_facts() {
        let check = |spec: &CellSpec, effect: SecondEffect, completion: Completion| {
            let (guarantee, _) = spec.published();
            assert_eq!(guarantee.second_effect, [(effect, Lasting::Ever)], "{}: {}", spec.id, guarantee.sentence());
            assert_eq!(guarantee.completion, completion, "{}", spec.id);
            assert!(guarantee.belts.is_empty(), "{guarantee:?}");
            assert!(guarantee.assumes.iter().any(|what| what.contains("presumed")), "settle is not documented");
        };
        check(SendCell::SPEC, SecondEffect::Withheld, Completion::AutomaticIfFound);
        check(CancelScheduledCell::SPEC, SecondEffect::Enforced, Completion::Automatic);
        check(UpsertContactCell::SPEC, SecondEffect::Enforced, Completion::Automatic);
    }

    #[test]
    fn send_without_the_add_on_a_person_decides() {
        let nothing = |_: &Need| false;
        let guarantee = guarantee(SendCell::SPEC, &nothing, false);
        assert_eq!(guarantee.second_effect, [(SecondEffect::Withheld, Lasting::Ever)]);
        assert_eq!(guarantee.completion, Completion::NeedsPerson);
        assert!(SendCell::SPEC.published().1.contains(&HISTORY_BOUGHT));
    }
}
