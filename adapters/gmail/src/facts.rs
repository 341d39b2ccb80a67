//! Facts about Gmail, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Failures, Meaning, Native, Need, Query, Repeat, Row, Scope, Source, Window};
use hapax_core::identity::Form;

use crate::mime::KEY;

const READ: &str = "2026-11-28";

const DRAFTS: Source = Source::official("https://developers.google.com/gmail/api/guides/drafts", READ);
const DRAFT: Source =
    Source::official("https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.drafts", READ);
const ERRORS: Source = Source::official("https://developers.google.com/gmail/api/guides/handle-errors", READ);
const MESSAGES: Source =
    Source::official("https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/get", READ);
const STALE: Source = Source::practice("https://github.com/taylorwilsdon/google_workspace_mcp/pull/1035", READ);
const HEADER: Source = Source::presumed("headers of ours stay, and SENT shows a mail within 5 minutes");
const LIMITS: Source = Source::presumed("Google says to try again later; that nothing was done is not written");

/// Reading what was sent.
pub(crate) const READS_SENT: Need = Need::Permission("gmail.readonly");

/// How long Gmail may take to answer; unstated, and more than its clients wait by default.
pub(crate) const ANSWERS_WITHIN: Duration = Duration::from_secs(80);

/// Bound on automatic work: limits on sent mail last for hours.
pub(crate) const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// The name under which the draft is journaled.
pub(crate) const DRAFT_NOTE: &str = "draft";

/// The name under which the draft's thread is journaled.
pub(crate) const THREAD_NOTE: &str = "thread";

/// A draft is deleted when it is sent, and its id is never used again. What two sends at once do is
/// not written, so both may pass.
pub(crate) const BY_DRAFT: Native = Native::handle(DRAFT_NOTE)
    .kept(Window::Ever, "somebody deletes or sends the draft")
    .then_refuses()
    .repeat(Repeat::Refuses)
    .failures(Failures::Unknown)
    .scope(&[Scope::Account])
    .from(&[DRAFTS, DRAFT]);

/// A draft that is still there was not sent. That sending and deleting are one step is not written,
/// so this suggests.
pub(crate) const DRAFT_THERE: Query =
    Query::by_token().lag(Duration::ZERO).reaches(Window::Ever).from(&[DRAFTS, DRAFT]);

/// The header that we plant, in the mails of the label SENT.
pub(crate) const IN_SENT: Query = Query::by_mark(KEY, Form::Text(32))
    .lag(Duration::from_secs(300))
    .reaches(Window::Ever)
    .needs(&[READS_SENT])
    .from(&[MESSAGES, HEADER]);

/// What answers mean. A 400 of another reason may be an id that is no draft any more.
pub(crate) const ANSWERS: &[Row] = &[
    Row::new(400, "*", "invalidArgument", Meaning::Refused, ERRORS),
    Row::new(400, "*", "*", Meaning::Taken, STALE),
    Row::new(401, "*", "*", Meaning::NotDone, ERRORS),
    Row::new(403, "*", "rateLimitExceeded", Meaning::NotDone, LIMITS),
    Row::new(403, "*", "userRateLimitExceeded", Meaning::NotDone, LIMITS),
    Row::new(403, "*", "dailyLimitExceeded", Meaning::NotDone, LIMITS),
    Row::new(404, "*", "*", Meaning::Taken, DRAFTS),
    Row::new(429, "*", "*", Meaning::NotDone, LIMITS),
];

#[cfg(test)]
mod tests {
    use hapax_core::capability::{Class, Completion, SecondEffect, guarantee};
    use hapax_core::cell::Cell;

    use crate::SendCell;

    #[test]
    fn guarantees_follow_from_the_facts() {
        let spec = SendCell::SPEC;
        let (published, needs) = spec.published();
        assert_eq!((published.class, published.best()), (Class::Native, SecondEffect::Enforced), "{}", spec.id);
        assert_eq!(published.completion, Completion::Automatic);
        assert_eq!(published.exceptions, ["the handle turns out to be spent and the effect is not found"]);
        assert_eq!(needs, [super::READS_SENT]);
        assert!(published.belts.is_empty() && published.assumes.iter().any(|what| what.contains("presumed")));
        let without = guarantee(spec, &|_| false, false);
        assert_eq!(without.best(), SecondEffect::Enforced, "the draft protects without the read scope");
    }
}
