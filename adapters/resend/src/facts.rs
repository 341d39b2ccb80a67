//! Facts that several cells share, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Meaning, Native, Need, Query, Repeat, Row, Scope, Source, Window};
use hapax_core::identity::Form;

const READ: &str = "2026-11-28";

const KEYS: Source = Source::official("https://resend.com/docs/dashboard/emails/idempotency-keys", READ);
const ERRORS: Source = Source::official("https://resend.com/docs/api-reference/errors", READ);
const OPENAPI: Source = Source::spec("https://github.com/resend/resend-openapi/blob/main/resend.yaml", READ);
const TAGS: Source = Source::official("https://resend.com/docs/dashboard/emails/tags", READ);
const LIST: Source = Source::official("https://resend.com/docs/api-reference/emails/list-emails", READ);
const SHOWN_TAGS: Source = Source::sdk(
    "https://github.com/resend/resend-node/blob/main/src/emails/interfaces/get-email-options.interface.ts",
    READ,
);
const SCHEDULES: Source = Source::official("https://resend.com/docs/dashboard/emails/schedule-email", READ);

/// Bound on automatic work: the life of a key.
pub(crate) const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// Form of our mark; tags have room for 256 letters and digits, and a batch adds a place.
const MARK_FORM: Form = Form::Text(32);

const FULL_ACCESS: Need = Need::Permission("the API key has full access");

const REACHABLE: &[Need] = &[Need::Receiver("a webhook of email events leads to a server of yours")];

/// The key of sends. How keys are scoped is not said, so the narrowest counts; nor is what an error
/// leaves of it, so that stays at its worst.
pub(crate) const KEY: Native = Native::key("Idempotency-Key", Form::Uuid)
    .kept(Window::AtLeast(Duration::from_secs(24 * 3600)), "forgotten")
    .one_wins()
    .repeat(Repeat::Replays)
    .scope(&[Scope::Account, Scope::Credential, Scope::Endpoint])
    .from(&[KEYS, ERRORS, OPENAPI]);

/// The mails to the same recipients, each read for its tags. How soon and how long they are listed
/// is not said, so the lag is presumed and an absence only suggests.
pub(crate) const BY_TAG: Query = Query::by_mark("tags.hapax", MARK_FORM)
    .reaches(Window::Unstated)
    .needs(&[FULL_ACCESS])
    .from(&[LIST, TAGS, SHOWN_TAGS]);

/// Webhooks carry the tags. They prove that a mail was taken on; silence proves nothing.
pub(crate) const WEBHOOK: Query =
    Query::by_mark("tags.hapax", MARK_FORM).reaches(Window::Ever).told().needs(REACHABLE).from(&[TAGS, OPENAPI]);

/// A mail is read by its id.
pub(crate) const BY_ID: Query = Query::by_token().reaches(Window::Unstated).needs(&[FULL_ACCESS]).from(&[OPENAPI]);

/// Only a scheduled mail can be canceled, and it is never scheduled again.
pub(crate) const UNTIL_CANCELED: Native = Native::state("scheduled")
    .kept(Window::Ever, "a canceled mail is never scheduled again")
    .repeat(Repeat::Refuses)
    .from(&[SCHEDULES]);

const OTHER_PAYLOAD: Row = Row::new(409, "*", "invalid_idempotent_request", Meaning::Taken, ERRORS);
const IN_USE: Row = Row::new(409, "*", "concurrent_idempotent_requests", Meaning::NotDone, KEYS);
const MISSING_KEY: Row = Row::new(401, "*", "missing_api_key", Meaning::NotDone, ERRORS);
/// The status differs by endpoint and by the age of the page; the client gives it this one name.
const INVALID_KEY: Row = Row::new(0, "*", "invalid_api_key", Meaning::NotDone, ERRORS);

/// Canceled already, or gone: what that gets is not documented, so a look decides.
const fn not_scheduled(status: u16) -> Row {
    let source = Source::presumed("what a second or late cancellation gets is unstated: looked for before judging");
    Row::new(status, "*", "*", Meaning::Taken, source)
}

/// The table of sends. Limits (429) have no row: nobody says that nothing was done.
pub(crate) const ANSWERS_OF_SENDS: &[Row] = &[OTHER_PAYLOAD, IN_USE, MISSING_KEY, INVALID_KEY];

/// The table of cancellations.
pub(crate) const ANSWERS_OF_CANCELLATIONS: &[Row] =
    &[not_scheduled(400), not_scheduled(409), not_scheduled(422), MISSING_KEY, INVALID_KEY];

/// Whether this is the need of a key that may read.
pub(crate) fn is_full_access(need: Need) -> bool {
    need == FULL_ACCESS
}

#[cfg(test)]
mod tests {
    use hapax_core::capability::{Completion, Guarantee, Lasting, SecondEffect, guarantee};
    use hapax_core::cell::Cell;

    use super::*;
    use crate::{CancelScheduledCell, SendBatchCell, SendCell};

    const A_DAY: u64 = 24 * 3600;

    fn settle_is_presumed(guarantee: &Guarantee) {
        assert!(guarantee.belts.is_empty(), "{guarantee:?}");
        assert!(guarantee.assumes.iter().any(|what| what.contains("presumed")), "settle is not documented");
    }

    #[test]
    fn guarantees_follow_from_the_facts() {
        for spec in [SendCell::SPEC, SendBatchCell::SPEC] {
            let (guarantee, needs) = spec.published();
            assert_eq!(
                guarantee.second_effect,
                [(SecondEffect::Enforced, Lasting::Seconds(A_DAY)), (SecondEffect::Withheld, Lasting::Ever)],
                "{}: {}",
                spec.id,
                guarantee.sentence()
            );
            assert_eq!(guarantee.completion, Completion::AutomaticWithin(A_DAY), "{}", spec.id);
            assert!(needs.contains(&FULL_ACCESS), "{needs:?}");
            assert!(guarantee.exceptions.iter().any(|what| what.contains("server error")), "{guarantee:?}");
            settle_is_presumed(&guarantee);
        }
        let (guarantee, _) = CancelScheduledCell::SPEC.published();
        assert_eq!(guarantee.second_effect, [(SecondEffect::Enforced, Lasting::Ever)]);
        assert_eq!(guarantee.completion, Completion::Automatic);
        settle_is_presumed(&guarantee);
    }

    #[test]
    fn a_key_that_may_only_send_still_has_its_day() {
        let nothing = |_: &Need| false;
        let guarantee = guarantee(SendCell::SPEC, &nothing, false);
        assert_eq!(guarantee.second_effect[0], (SecondEffect::Enforced, Lasting::Seconds(A_DAY)));
        assert_eq!(guarantee.completion, Completion::AutomaticWithin(A_DAY));
    }
}
