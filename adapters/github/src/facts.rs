//! Facts that several cells share, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Meaning, Native, Need, Query, Repeat, Row, Source, Window};
use hapax_core::identity::Form;

const READ: &str = "2026-11-28";

pub(crate) const SPEC: Source =
    Source::spec("https://github.com/octokit/openapi/blob/main/generated/api.github.com.json", READ);
const LIMITS: Source =
    Source::official("https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api", READ);
const TROUBLE: Source =
    Source::official("https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api", READ);
const AUTHENTICATING: Source =
    Source::official("https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api", READ);
const RUN_NAME: Source =
    Source::official("https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax", READ);
const COMMENTS_ARE_HIDDEN: Source = Source::official(
    "https://docs.github.com/en/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax",
    READ,
);
/// Texts of errors that every client knows and no document has.
const SEEN: Source = Source::practice("https://github.com/cli/cli/issues", READ);

/// GitHub ends a request itself after 10 seconds; the rest is the network's.
pub(crate) const ANSWERS_WITHIN: Duration = Duration::from_secs(30);

/// Form of our mark.
const MARK_FORM: Form = Form::Text(32);

/// What was made with our mark in its body. How soon it is listed is not said, so the lag is presumed and an absence
/// only suggests.
pub(crate) const BODY: Query =
    Query::by_mark("body: <!-- hapax:... -->", MARK_FORM).reaches(Window::Ever).from(&[SPEC, COMMENTS_ARE_HIDDEN]);

/// What the workflow must do, so that a run can be told from another.
pub(crate) const SHOWS_THE_MARK: Need =
    Need::Receiver("run-name of the workflow shows the input that carries the mark");

/// Runs whose name has our mark. GitHub keeps them as long as somebody set it to.
pub(crate) const RUN: Query = Query::by_mark("inputs: shown in run-name", MARK_FORM)
    .reaches(Window::Unstated)
    .needs(&[SHOWS_THE_MARK])
    .from(&[SPEC, RUN_NAME]);

/// The pull request itself.
pub(crate) const PULL_REQUEST: Query = Query::by_token().reaches(Window::Ever).from(&[SPEC]);

/// The issue itself. How soon it shows what was done is not said, and anybody can open it again, so an open one only
/// suggests that nothing happened.
pub(crate) const ISSUE: Query = Query::by_token().reaches(Window::Ever).from(&[SPEC]);
/// Closing what is closed changes no state. For how long an issue stays closed no document says: a belt.
pub(crate) const OPEN_ISSUE: Native = Native::state("open").repeat(Repeat::Converges).from(&[SPEC]);

/// Open pull requests are unique by head and base, and no document says so: a belt.
pub(crate) const OPEN_PAIR: Native = Native::state("head and base of an open pull request").from(&[SEEN]);
/// Published releases are unique by tag, and no document says so: a belt.
pub(crate) const TAG: Native = Native::state("tag of a published release").from(&[SEEN]);

// Rows that hold for every operation here. A 403 that is none of these is the refusal to fulfil the request.
pub(crate) const UNAUTHORIZED: Row = Row::new(401, "*", "*", Meaning::NotDone, AUTHENTICATING);
pub(crate) const LIMIT: Row = Row::new(403, "*", "rate_limit", Meaning::NotDone, LIMITS);
pub(crate) const LIMIT_429: Row = Row::new(429, "*", "rate_limit", Meaning::NotDone, LIMITS);
pub(crate) const SECONDARY_LIMIT: Row = Row::new(403, "*", "secondary_rate_limit", Meaning::NotDone, LIMITS);
/// It is said when much was written just now, maybe this very thing.
pub(crate) const TOO_QUICKLY: Row = Row::new(0, "*", "submitted_too_quickly", Meaning::Unclear, SEEN);
pub(crate) const GONE: Row = Row::new(410, "*", "*", Meaning::Refused, SPEC);

/// Another open pull request has this head and base.
pub(crate) const PAIR_EXISTS: Row = Row::new(422, "*", "pull_request_exists", Meaning::Taken, SEEN);
/// Another published release has this tag.
pub(crate) const TAG_EXISTS: Row = Row::new(422, "tag_name", "already_exists", Meaning::Taken, TROUBLE);

/// Complaints about labels, assignees or a milestone: that they come before the issue is made is not said.
pub(crate) const FOLLOW_UP: Row = Row::new(422, "*", "*", Meaning::Unclear, TROUBLE);
/// A complaint about the issue itself.
pub(crate) const fn about_itself(field: &'static str) -> Row {
    Row::new(422, field, "*", Meaning::Refused, TROUBLE)
}
/// The request has not the form that the endpoint takes.
pub(crate) const INVALID_REQUEST: Row = Row::new(422, "", "invalid_request", Meaning::Refused, TROUBLE);

/// "Validation failed, or the endpoint has been spammed": that the second comes before anything is done is not said.
pub(crate) const SPAMMED: Row = Row::new(422, "*", "*", Meaning::Unclear, SPEC);

/// It is merged already, or can't be: the look says which.
pub(crate) const NOT_MERGEABLE: Row = Row::new(405, "*", "*", Meaning::Taken, SPEC);
/// The head is not the one that was named.
pub(crate) const OTHER_HEAD: Row = Row::new(409, "*", "*", Meaning::Refused, SPEC);

#[cfg(test)]
mod tests {
    use hapax_core::capability::{CellSpec, Completion, Lasting, SecondEffect};
    use hapax_core::cell::Cell;

    use crate::{
        CloseIssueCell, CreateCommentCell, CreateIssueCell, CreatePullRequestCell, CreateReleaseCell,
        DispatchWorkflowCell, MergePullRequestCell,
    };

    #[test]
    fn guarantees_follow_from_the_facts() {
        let check = |spec: &CellSpec, effect: SecondEffect, completion: Completion, belts: &[&str]| {
            let (guarantee, _) = spec.published();
            assert_eq!(guarantee.second_effect, [(effect, Lasting::Ever)], "{}: {}", spec.id, guarantee.sentence());
            assert_eq!(
                (guarantee.completion, guarantee.belts.as_slice()),
                (completion, &belts.iter().map(|belt| (*belt).to_owned()).collect::<Vec<_>>()[..]),
                "{}",
                spec.id
            );
            assert!(guarantee.assumes.iter().any(|what| what.contains("presumed")), "settle is not documented");
        };
        let (withheld, found) = (SecondEffect::Withheld, Completion::AutomaticIfFound);
        check(CreateIssueCell::SPEC, withheld, found, &[]);
        check(CloseIssueCell::SPEC, withheld, found, &["open"]);
        check(CreateCommentCell::SPEC, withheld, found, &[]);
        check(CreatePullRequestCell::SPEC, withheld, found, &["head and base of an open pull request"]);
        check(CreateReleaseCell::SPEC, withheld, found, &["tag of a published release"]);
        check(DispatchWorkflowCell::SPEC, withheld, found, &[]);
        check(MergePullRequestCell::SPEC, SecondEffect::Enforced, Completion::Automatic, &[]);
    }
}
