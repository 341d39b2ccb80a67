//! Facts that several cells share, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Meaning, Need, Query, Row, Source, Window};
use hapax_core::identity::Form;

const READ: &str = "2026-11-27";

pub(crate) const SPEC: Source =
    Source::spec("https://github.com/twilio/twilio-oai/blob/main/spec/json/twilio_api_v2010.json", READ);
const TOO_MANY: Source = Source::official("https://www.twilio.com/docs/api/errors/20429", READ);
const NOT_LET_IN: Source = Source::official("https://www.twilio.com/docs/api/errors/20003", READ);
pub(crate) const NOT_SCHEDULED: Source = Source::official("https://www.twilio.com/docs/api/errors/30409", READ);
const LOGS: Source =
    Source::practice("https://github.com/twilio/ai/blob/main/skills/twilio/twilio-compliance-traffic/SKILL.md", READ);
const WEBHOOKS: Source =
    Source::practice("https://github.com/twilio/ai/blob/main/skills/twilio/twilio-webhook-architecture/SKILL.md", READ);

/// How long Twilio's own SDKs wait for an answer (twilio-node, `src/base/RequestClient.ts`).
pub(crate) const ANSWERS_WITHIN: Duration = Duration::from_secs(30);

/// Form of our mark in the query of callbacks.
const MARK_FORM: Form = Form::Text(32);

const REACHABLE: &[Need] = &[Need::Receiver("status_callback leads to a server of yours that Twilio can reach")];

/// Twilio calls us with our mark. It proves that something happened; silence proves nothing.
pub(crate) const CALLBACK: Query = Query::by_mark("StatusCallback?hapax=", MARK_FORM)
    .reaches(Window::Ever)
    .told()
    .needs(REACHABLE)
    .from(&[WEBHOOKS, SPEC]);

/// The messages to a recipient. How soon they are listed is not said, so the lag is presumed and an
/// absence only suggests.
pub(crate) const MESSAGES: Query = Query::by_content(&["to", "from", "body", "media", "date_created"])
    .reaches(Window::AtLeast(Duration::from_secs(400 * 24 * 3600)))
    .from(&[SPEC, LOGS]);

/// The calls between two numbers. How long they are listed is not said.
pub(crate) const CALLS: Query =
    Query::by_content(&["to", "from", "date_created"]).reaches(Window::Unstated).from(&[SPEC]);

// Rows that hold for every operation here.
pub(crate) const TOO_MANY_REQUESTS: Row = Row::new(429, "*", "20429", Meaning::NotDone, TOO_MANY);
pub(crate) const UNAUTHORIZED: Row = Row::new(401, "*", "20003", Meaning::NotDone, NOT_LET_IN);
/// Where a duplicate is no more than a nuisance, any 429 is taken for what it says.
pub(crate) const ANY_429: Row =
    Row::new(429, "*", "*", Meaning::NotDone, Source::presumed("a 429 of another code than 20429: presumed not done"));

#[cfg(test)]
mod tests {
    use hapax_core::capability::{CellSpec, Completion, Lasting, SecondEffect};
    use hapax_core::cell::Cell;

    use crate::{CallCell, CancelMessageCell, SendMessageCell};

    #[test]
    fn guarantees_follow_from_the_facts() {
        let check = |spec: &CellSpec, effect: SecondEffect, completion: Completion| {
            let (guarantee, _) = spec.published();
            assert_eq!(guarantee.second_effect, [(effect, Lasting::Ever)], "{}: {}", spec.id, guarantee.sentence());
            assert_eq!(guarantee.completion, completion, "{}", spec.id);
            assert!(guarantee.belts.is_empty(), "{guarantee:?}");
            assert!(guarantee.assumes.iter().any(|what| what.contains("presumed")), "settle is not documented");
        };
        check(SendMessageCell::SPEC, SecondEffect::Withheld, Completion::AutomaticIfFound);
        check(CallCell::SPEC, SecondEffect::Withheld, Completion::AutomaticIfFound);
        check(CancelMessageCell::SPEC, SecondEffect::Enforced, Completion::Automatic);
    }
}
