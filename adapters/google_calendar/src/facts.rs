//! Facts about Google Calendar, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Meaning, Native, Query, Repeat, Row, Scope, Source, Window};
use hapax_core::identity::Form;

const READ: &str = "2026-11-28";

const EVENT: Source = Source::spec("https://www.googleapis.com/discovery/v1/apis/calendar/v3/rest", READ);
const VERSIONS: Source =
    Source::official("https://developers.google.com/workspace/calendar/api/guides/version-resources", READ);
const CREATING: Source =
    Source::official("https://developers.google.com/workspace/calendar/api/guides/create-events", READ);
const PROPERTIES: Source =
    Source::official("https://developers.google.com/workspace/calendar/api/guides/extended-properties", READ);
const ERRORS: Source = Source::official("https://developers.google.com/workspace/calendar/api/guides/errors", READ);
const FORBIDDEN: Source = Source::official("https://www.rfc-editor.org/rfc/rfc9110#name-403-forbidden", READ);
const GONE: Source = Source::official("https://www.rfc-editor.org/rfc/rfc9110#name-410-gone", READ);

/// How long Google may take to answer; unstated, and more than its clients wait by default.
pub(crate) const ANSWERS_WITHIN: Duration = Duration::from_secs(80);

/// Bound on automatic work: limits on writing to a calendar last for hours.
pub(crate) const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// The private property that carries our mark.
pub(crate) const KEY: &str = "hapax";

/// The private property that carries a digest of what was asked.
pub(crate) const ASKED: &str = "hapaxAsked";

/// The name under which the version of an event is journaled.
pub(crate) const ETAG_NOTE: &str = "etag";

/// An id is taken once in a calendar. That a collision is noticed at once can't be guaranteed, so of
/// two at once both may pass (F3).
pub(crate) const OUR_ID: Native = Native::client_id("id", Form::Base32Hex(32))
    .kept(Window::Ever, "a deleted event is purged in the end; whether its id is free then is not written")
    .repeat(Repeat::Refuses)
    .scope(&[Scope::Account, Scope::Parent])
    .from(&[VERSIONS, CREATING, EVENT]);

/// The event with our id. How soon it shows is not said, so the lag is presumed and an absence only
/// suggests.
pub(crate) const BY_ID: Query = Query::by_token().reaches(Window::Ever).from(&[EVENT]);

/// What carries our mark, whatever its id: that of another epoch, too.
pub(crate) const BY_MARK: Query =
    Query::by_mark("extendedProperties.private.hapax", Form::Text(32)).reaches(Window::Ever).from(&[PROPERTIES]);

/// Every change makes another version, and what is conditional on an old one is not made (F10). What
/// two at once do is not written, so both may pass.
pub(crate) const VERSION: Native = Native::state(ETAG_NOTE)
    .kept(Window::Ever, "every change of the event makes another version")
    .repeat(Repeat::Refuses)
    .scope(&[Scope::Account, Scope::Parent])
    .from(&[VERSIONS, ERRORS]);

/// What answers mean whatever was asked. A 403 is refused and not fulfilled, and Google treats both
/// statuses of its limits alike (F16).
pub(crate) const COMMON: [Row; 5] = [
    Row::new(401, "*", "*", Meaning::NotDone, ERRORS),
    Row::new(403, "*", "quotaExceeded", Meaning::NotDone, FORBIDDEN),
    Row::new(403, "*", "rateLimitExceeded", Meaning::NotDone, FORBIDDEN),
    Row::new(403, "*", "userRateLimitExceeded", Meaning::NotDone, FORBIDDEN),
    Row::new(429, "*", "rateLimitExceeded", Meaning::NotDone, ERRORS),
];

pub(crate) const ID_TAKEN: Row = Row::new(409, "*", "duplicate", Meaning::Taken, ERRORS);
pub(crate) const OTHER_VERSION: Row = Row::new(412, "*", "conditionNotMet", Meaning::Refused, VERSIONS);
/// For a change: there is nothing left that could be changed.
pub(crate) const DELETED: Row = Row::new(410, "*", "deleted", Meaning::Refused, GONE);
/// For a deletion: the look says that it is so.
pub(crate) const DELETED_ALREADY: Row = Row::new(410, "*", "deleted", Meaning::Taken, ERRORS);
/// For a deletion, after the event was seen: purged, or out of sight.
pub(crate) const OUT_OF_SIGHT: Row = Row::new(404, "*", "notFound", Meaning::Taken, ERRORS);

/// The rows of every cell, then its own.
pub(crate) const fn table<const N: usize>(own: &[Row]) -> [Row; N] {
    let mut rows = [COMMON[0]; N];
    let mut at = 0;
    while at < N {
        rows[at] = if at < COMMON.len() { COMMON[at] } else { own[at - COMMON.len()] };
        at += 1;
    }
    assert!(COMMON.len() + own.len() == N, "the table has a row too many or too few");
    rows
}

#[cfg(test)]
mod tests {
    use hapax_core::capability::{CellSpec, Class, Completion, SecondEffect};
    use hapax_core::cell::Cell;

    use crate::{CreateEventCell, DeleteEventCell, UpdateEventCell};

    #[test]
    fn guarantees_follow_from_the_facts() {
        let check = |spec: &CellSpec, exception: &str| {
            let (published, needs) = spec.published();
            assert_eq!((published.class, published.best()), (Class::Native, SecondEffect::Enforced), "{}", spec.id);
            assert_eq!(published.completion, Completion::Automatic, "{}", spec.id);
            assert_eq!(published.exceptions, [exception], "{}", spec.id);
            assert!(needs.is_empty() && published.belts.is_empty(), "{}", spec.id);
            assert!(published.assumes.iter().any(|what| what.contains("presumed")), "settle is not documented");
        };
        check(CreateEventCell::SPEC, "the id turns out to be taken and the effect is not found");
        let changed = "somebody else changes it after its version was noted and it is not found as asked";
        check(UpdateEventCell::SPEC, changed);
        check(DeleteEventCell::SPEC, changed);
    }
}
