//! Facts about Microsoft Graph, each with its source. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Failures, Meaning, Native, Need, Query, Repeat, Row, Scope, Source, Window};
use hapax_core::identity::Form;

const READ: &str = "2026-11-28";

const SEND: Source = Source::official("https://learn.microsoft.com/en-us/graph/api/message-send", READ);
const IMMUTABLE: Source = Source::official("https://learn.microsoft.com/en-us/graph/outlook-immutable-id", READ);
/// "A message is a draft if it hasn't been sent yet."
const MESSAGE: Source = Source::official("https://learn.microsoft.com/en-us/graph/api/resources/message", READ);
const PROPERTIES: Source =
    Source::official("https://learn.microsoft.com/en-us/graph/api/singlevaluelegacyextendedproperty-get", READ);
const EVENT: Source = Source::official("https://learn.microsoft.com/en-us/graph/api/resources/event", READ);
const REPLAY: Source = Source::practice("https://blog.rykoma.net/2020/10/05/1559/", READ);
const CHAT: Source = Source::official("https://learn.microsoft.com/en-us/graph/api/chat-list-messages", READ);
const CARD: Source = Source::official("https://learn.microsoft.com/en-us/graph/api/chatmessage-post", READ);
const ERRORS: Source = Source::official("https://learn.microsoft.com/en-us/graph/errors", READ);
const UNAUTHORIZED: Source = Source::official("https://www.rfc-editor.org/rfc/rfc9110#name-401-unauthorized", READ);
const SENT_ANYWAY: Source = Source::practice("https://learn.microsoft.com/en-us/answers/questions/5629476", READ);
const NO_DRAFT: Source = Source::presumed("what sending a mail answers that is no draft any more is not written");
/// Why a draft that was told to go is left alone for so long (F19).
pub(crate) const QUEUED: Source =
    Source::presumed("a queued mail still looks like a draft; how long is not written: presumed 15 min");

/// Looking at mails.
pub(crate) const READS_MAIL: Need = Need::Permission("Mail.Read");

/// Looking at a chat.
pub(crate) const READS_CHATS: Need = Need::Permission("Chat.Read");

/// How long Graph may take to answer; unstated (F19).
pub(crate) const ANSWERS_WITHIN: Duration = Duration::from_secs(80);

/// The same for an event: shorter, so that a second try surely fits into the five minutes for which the
/// key is relied on. What is answered later is lost, and looked for.
pub(crate) const EVENT_WITHIN: Duration = Duration::from_secs(40);

/// From then on a draft that is still one was not told to go (F19).
pub(crate) const LEFT_THE_QUEUE: Duration = Duration::from_secs(15 * 60);

/// Bound on automatic work: limits on sent mail last for hours.
pub(crate) const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// The name under which the draft is journaled.
pub(crate) const DRAFT_NOTE: &str = "draft";

/// Form of our mark in an extended property.
const MARK_FORM: Form = Form::Text(32);

/// What is sent is no draft any more, and its id stays. That Graph refuses to send it once more, and what two at once
/// do, is not written, and a queued one still looks like a draft: a belt.
pub(crate) const BY_DRAFT: Native = Native::handle(DRAFT_NOTE)
    .repeat(Repeat::Refuses)
    .failures(Failures::Unknown)
    .scope(&[Scope::Account])
    .from(&[SEND, IMMUTABLE, MESSAGE, NO_DRAFT]);

/// The mail with the draft's id. A queued one still looks like a draft, so an absence only suggests.
pub(crate) const BY_ID: Query =
    Query::by_token().reaches(Window::Ever).needs(&[READS_MAIL]).from(&[IMMUTABLE, MESSAGE]);

/// Mails that carry our mark. How soon a filter finds them is not said, so the lag is presumed and an
/// absence only suggests.
pub(crate) const MARKED_MAIL: Query = Query::by_mark("singleValueExtendedProperties: hapax", MARK_FORM)
    .reaches(Window::Ever)
    .needs(&[READS_MAIL])
    .from(&[PROPERTIES]);

/// A key that is made for retries, whose life is not stated. What two at once do, and what a failure
/// leaves, is not written either.
pub(crate) const TRANSACTION_ID: Native = Native::key("transactionId", Form::Uuid)
    .kept(Window::Unstated, "not stated; practice says as long as the event exists")
    .repeat(Repeat::Returns)
    .failures(Failures::Unknown)
    .scope(&[Scope::Account, Scope::Parent])
    .from(&[EVENT, REPLAY]);

/// Events that carry our mark.
pub(crate) const MARKED_EVENT: Query =
    Query::by_mark("singleValueExtendedProperties: hapax", MARK_FORM).reaches(Window::Ever).from(&[PROPERTIES]);

/// Messages of a chat with a card whose id is our mark. How soon they show and how long they are kept
/// is not said.
pub(crate) const MARKED_CARD: Query =
    Query::by_mark("attachments[].id", Form::Uuid).reaches(Window::Unstated).needs(&[READS_CHATS]).from(&[CHAT, CARD]);

/// What answers mean whatever was asked. What has been seen to follow an effect is Unclear in so many
/// words, whatever its status (F7).
pub(crate) const COMMON: [Row; 6] = [
    Row::new(401, "*", "*", Meaning::NotDone, UNAUTHORIZED),
    Row::new(429, "*", "*", Meaning::Unclear, SENT_ANYWAY),
    Row::new(0, "*", "ApplicationThrottled", Meaning::Unclear, SENT_ANYWAY),
    Row::new(0, "*", "CommandConcurrencyLimitReached", Meaning::Unclear, SENT_ANYWAY),
    Row::new(0, "*", "ErrorInternalServerError", Meaning::Unclear, SENT_ANYWAY),
    Row::new(0, "*", "UnknownError", Meaning::Unclear, SENT_ANYWAY),
];

/// A draft that is none any more: the look says by whom it was sent.
pub(crate) const DRAFT: [Row; 3] = [
    Row::new(400, "*", "ErrorInvalidRecipients", Meaning::Refused, ERRORS),
    Row::new(400, "*", "*", Meaning::Taken, NO_DRAFT),
    Row::new(404, "*", "*", Meaning::Taken, NO_DRAFT),
];

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
    use hapax_core::capability::{Class, Completion, SecondEffect, guarantee};
    use hapax_core::cell::Cell;

    use crate::{CreateEventCell, PostChatMessageCell, SendMailCell};

    #[test]
    fn guarantees_follow_from_the_facts() {
        let (mail, needs) = SendMailCell::SPEC.published();
        assert_eq!((mail.class, mail.best()), (Class::Query, SecondEffect::Withheld));
        assert_eq!((mail.completion, mail.belts.join(" ").as_str()), (Completion::AutomaticIfFound, "draft"));
        assert_eq!(needs, [super::READS_MAIL]);
        assert!(mail.assumes.iter().any(|what| what.contains("15 min")), "{:?}", mail.assumes);
        let by_policy = guarantee(SendMailCell::SPEC, &|_| true, true);
        assert_eq!(by_policy.best(), SecondEffect::Likely, "a draft that still is one only suggests");
        let blind = guarantee(SendMailCell::SPEC, &|_| false, true);
        assert_eq!(blind.best(), SecondEffect::Withheld, "nobody can say whether a draft still is one");

        let (event, needs) = CreateEventCell::SPEC.published();
        assert_eq!((event.class, needs.len()), (Class::Native, 0));
        assert!(!matches!(event.completion, Completion::Automatic), "{:?}", event.completion);

        let (chat, needs) = PostChatMessageCell::SPEC.published();
        assert_eq!((chat.class, needs.as_slice()), (Class::Query, [super::READS_CHATS].as_slice()));
        assert_ne!(chat.best(), SecondEffect::Enforced);
    }
}
