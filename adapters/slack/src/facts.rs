//! Facts that several cells share, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Meaning, Native, Need, Query, Repeat, Row, Source, Window};
use hapax_core::identity::Form;

const READ: &str = "2026-11-28";

pub(crate) const POST: Source = Source::official("https://docs.slack.dev/reference/methods/chat.postMessage", READ);
pub(crate) const SCHEDULE: Source =
    Source::official("https://docs.slack.dev/reference/methods/chat.scheduleMessage", READ);
pub(crate) const UNSCHEDULE: Source =
    Source::official("https://docs.slack.dev/reference/methods/chat.deleteScheduledMessage", READ);
pub(crate) const UPDATE: Source = Source::official("https://docs.slack.dev/reference/methods/chat.update", READ);
pub(crate) const DELETE: Source = Source::official("https://docs.slack.dev/reference/methods/chat.delete", READ);
const PENDING: Source = Source::official("https://docs.slack.dev/reference/methods/chat.scheduledMessages.list", READ);
const HISTORY: Source = Source::official("https://docs.slack.dev/reference/methods/conversations.history", READ);
const REPLIES: Source = Source::official("https://docs.slack.dev/reference/methods/conversations.replies", READ);
const LIMITS: Source = Source::official("https://docs.slack.dev/apis/web-api/rate-limits", READ);
/// Others say that Slack takes it and ignores it; no document promises anything.
const IGNORED: Source = Source::practice("https://murmuration-docs.pages.dev/api/extensions/", READ);

/// How long Slack's Python SDK waits for an answer (`slack_sdk/web/client.py`, `timeout`).
pub(crate) const ANSWERS_WITHIN: Duration = Duration::from_secs(30);

/// Form of our mark in the metadata.
const MARK_FORM: Form = Form::Text(32);

/// Which of the four it takes depends on the conversation.
pub(crate) const READS_HISTORY: Need =
    Need::Permission("channels:history, groups:history, im:history and mpim:history");
/// Others may read 15 messages a minute, which is no search.
const FULL_RATE: Need = Need::Setting("internal app, or in the Slack Marketplace");

/// Messages that carry our mark. How soon they show is not said, so the lag is presumed and an
/// absence only suggests; how long they are kept is the workspace's own setting.
pub(crate) const BY_MARK: Query = Query::by_mark("metadata.event_payload.key", MARK_FORM)
    .reaches(Window::Unstated)
    .needs(&[READS_HISTORY, FULL_RATE])
    .from(&[HISTORY, REPLIES]);

/// Messages that are pending and look like ours. It needs no scope.
pub(crate) const BY_CONTENT: Query =
    Query::by_content(&["channel_id", "post_at", "text", "date_created"]).reaches(Window::Unstated).from(&[PENDING]);

/// All that is pending, by id.
pub(crate) const PENDING_BY_ID: Query = Query::by_token().reaches(Window::Ever).from(&[PENDING]);

/// One message, by its `ts`.
pub(crate) const BY_TS: Query = Query::by_token().reaches(Window::Unstated).needs(&[READS_HISTORY]).from(&[REPLIES]);

/// Sent along; nothing relies on it.
pub(crate) const CLIENT_MSG_ID: Native = Native::key("client_msg_id", Form::Uuid).from(&[IGNORED]);

/// A scheduled message is deleted once.
pub(crate) const UNTIL_GONE: Native = Native::state("pending")
    .kept(Window::Ever, "what was deleted or sent is never pending again")
    .repeat(Repeat::Refuses)
    .from(&[UNSCHEDULE]);

/// A message is deleted once.
pub(crate) const UNTIL_DELETED: Native = Native::state("exists")
    .kept(Window::Ever, "a deleted message never comes back")
    .repeat(Repeat::Refuses)
    .from(&[DELETE]);

/// The same content again is the same content.
pub(crate) const SAME_CONTENT: Native = Native::state("content")
    .kept(Window::Ever, "an update puts content in the place of content")
    .repeat(Repeat::Converges)
    .undone_by("changes the message")
    .from(&[UPDATE]);

// Errors come with status 200, so rows name them by code, whatever the status.
const fn row(code: &'static str, means: Meaning, source: Source) -> Row {
    Row::new(0, "*", code, means, source)
}

/// Described as turned away before the method did anything: the token was not accepted.
const NOT_LET_IN: [&str; 6] =
    ["not_authed", "invalid_auth", "account_inactive", "token_revoked", "token_expired", "invalid_token"];
/// Described as too much, with a wait after which the request may go again.
const TOO_MUCH: [&str; 2] = ["ratelimited", "rate_limited"];
/// Described as a lack of rights or as a request that can't be read.
const TURNED_AWAY: [&str; 17] = [
    "access_denied",
    "accesslimited",
    "deprecated_endpoint",
    "ekm_access_denied",
    "enterprise_is_restricted",
    "invalid_arg_name",
    "invalid_arguments",
    "invalid_array_arg",
    "invalid_charset",
    "invalid_form_data",
    "invalid_post_type",
    "method_deprecated",
    "missing_post_type",
    "missing_scope",
    "no_permission",
    "not_allowed_token_type",
    "two_factor_setup_required",
];

/// How many rows every table has besides its own.
pub(crate) const COMMON: usize = NOT_LET_IN.len() + TOO_MUCH.len() + TURNED_AWAY.len();

/// The rows of every method, then the method's own refusals, then its other rows.
pub(crate) const fn table<const N: usize>(own: &[&'static str], others: &[Row], source: Source) -> [Row; N] {
    let mut rows = [row("", Meaning::Unclear, source); N];
    let mut at = 0;
    at = fill(&mut rows, at, &NOT_LET_IN, Meaning::NotDone, source);
    at = fill(&mut rows, at, &TOO_MUCH, Meaning::NotDone, LIMITS);
    at = fill(&mut rows, at, &TURNED_AWAY, Meaning::Refused, source);
    at = fill(&mut rows, at, own, Meaning::Refused, source);
    let mut next = 0;
    while next < others.len() {
        rows[at] = others[next];
        (at, next) = (at + 1, next + 1);
    }
    assert!(at == N, "the table has a row that nothing fills");
    rows
}

const fn fill<const N: usize>(
    rows: &mut [Row; N],
    from: usize,
    codes: &[&'static str],
    means: Meaning,
    source: Source,
) -> usize {
    let mut next = 0;
    while next < codes.len() {
        rows[from + next] = row(codes[next], means, source);
        next += 1;
    }
    from + codes.len()
}

/// "Some aspect of the operation" may have succeeded: nothing may be concluded from an absence.
pub(crate) const fn adrift(source: Source) -> [Row; 2] {
    [row("internal_error", Meaning::Adrift, source), row("fatal_error", Meaning::Adrift, source)]
}

/// It is gone already, or never was: the look says which.
pub(crate) const fn taken(code: &'static str, source: Source) -> Row {
    row(code, Meaning::Taken, source)
}

/// Not processed; the same may go again later.
pub(crate) const fn not_done(code: &'static str, source: Source) -> Row {
    row(code, Meaning::NotDone, source)
}

#[cfg(test)]
mod tests {
    use hapax_core::capability::{CellSpec, Completion, Need, SecondEffect};
    use hapax_core::cell::Cell;

    use crate::{DeleteCell, DeleteScheduledCell, PostCell, ScheduleCell, UpdateCell};

    fn check(spec: &CellSpec, effect: SecondEffect, completion: Completion, needs: &[Need], belts: &[&str]) {
        let (guarantee, asked) = spec.published();
        let found: Vec<_> = guarantee.second_effect.iter().map(|(effect, _)| *effect).collect();
        assert_eq!(found, [effect], "{}: {}", spec.id, guarantee.sentence());
        assert_eq!(guarantee.completion, completion, "{}", spec.id);
        assert_eq!(asked, needs, "{}", spec.id);
        assert_eq!(guarantee.belts, belts, "{}", spec.id);
        assert!(guarantee.assumes.iter().any(|what| what.contains("presumed")), "settle is not documented");
    }

    #[test]
    fn guarantees_follow_from_the_facts() {
        let (withheld, if_found) = (SecondEffect::Withheld, Completion::AutomaticIfFound);
        let history = [super::READS_HISTORY, super::FULL_RATE];
        check(PostCell::SPEC, withheld, if_found, &history, &["client_msg_id"]);
        check(ScheduleCell::SPEC, withheld, if_found, &[], &[]);
        let (enforced, automatic) = (SecondEffect::Enforced, Completion::Automatic);
        check(DeleteScheduledCell::SPEC, enforced, automatic, &[], &[]);
        check(UpdateCell::SPEC, enforced, automatic, &[super::READS_HISTORY], &[]);
        check(DeleteCell::SPEC, enforced, automatic, &[super::READS_HISTORY], &[]);
    }
}
