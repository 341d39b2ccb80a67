use hapax_core::cell::{CellArgs, CellReceipt};
use hapax_core::testing::{Desk, HandClock, Script, form_of, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{CHANNEL, TOKEN, changed, connection, error, losing, page, pending, scripted};

const CELL: &str = "slack.schedule";
/// Long after the tests' machine clock.
const AT: i64 = 4_000_000_000;
/// Long before it, and after the operation began.
const PAST: i64 = 1_700_000_600;

fn args() -> Schedule {
    with(json!({}))
}

fn with(more: Value) -> Schedule {
    changed(json!({"channel": CHANNEL, "post_at": AT, "text": "Standup in 5 minutes."}), &more)
}

fn taken(more: Value) -> (u16, Value) {
    let answer = json!({"ok": true, "channel": CHANNEL, "scheduled_message_id": "Q1298393284", "post_at": AT.to_string(),
        "message": {"text": "Standup in 5 minutes.", "type": "delayed_message"}});
    (200, changed(answer, &more))
}

/// An entry as the list has it: its id is a number.
fn entry(number: i64, more: Value) -> Value {
    let entry = json!({"id": number, "channel_id": CHANNEL, "post_at": AT, "date_created": 1_700_000_005,
        "text": "Standup in 5 minutes."});
    changed(entry, &more)
}

async fn found_among(args: &Schedule, entries: Vec<Value>) -> Finding<hapax_core::protocol::Receipt> {
    scripted(CELL, [pending(entries, "")]).find(args).await.expect("a finding")
}

#[tokio::test]
async fn schedule_sends_what_was_asked() {
    let desk = scripted(CELL, [taken(json!({}))]);
    let answer = desk.attempt(&args()).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!(*receipt.body, json!({"id": "Q1298393284", "channel": CHANNEL, "post_at": AT}));
    assert_eq!(desk.asked(), ["POST /api/chat.scheduleMessage"]);
    let form = form_of(&desk.request(0));
    // With metadata it would never be posted, and Slack has no key for it.
    let names: Vec<&str> = form.keys().map(String::as_str).collect();
    assert_eq!(names, ["channel", "post_at", "text"]);
    assert_eq!(form["post_at"], AT.to_string());
    let more = json!({"thread_ts": "1699990000.000200", "blocks": [{"type": "divider"}]});
    let desk = scripted(CELL, [taken(json!({"post_at": AT}))]);
    assert_eq!(word(&desk.attempt(&with(more)).await), "happened");
    assert_eq!(form_of(&desk.request(0))["thread_ts"], "1699990000.000200");
}

#[tokio::test]
async fn schedule_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let other = entry(7, json!({"text": "Lunch."}));
    let desk = scripted(CELL, [pending(vec![other], "bmV4dA=="), pending(vec![entry(8, json!({}))], "")]);
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == "Q8"));
    assert_eq!(desk.asked(), ["POST /api/chat.scheduledMessages.list", "POST /api/chat.scheduledMessages.list"]);
    assert_eq!(form_of(&desk.request(1))["cursor"], "bmV4dA==");
}

#[tokio::test]
async fn schedule_absent_is_only_suggested() {
    assert_eq!(found_among(&args(), Vec::new()).await, Finding::Absent);
    let worth: Vec<_> = ScheduleCell::SPEC.queries().map(|query| query.absence).collect();
    assert_eq!(worth, [hapax_core::capability::Absence::Suggests]);
    let desk = scripted(CELL, [pending(Vec::new(), "x"), error("invalid_cursor")]);
    assert!(desk.find(&args()).await.is_err(), "half a list is no absence");
    let desk = scripted(CELL, [(200, json!({"ok": true, "scheduled_messages": []}))]);
    assert!(desk.find(&args()).await.is_err(), "a page that doesn't say how it goes on");
}

#[tokio::test]
async fn schedule_older_and_other_ones_are_not_ours() {
    for other in [
        json!({"date_created": 1_699_990_000}),
        json!({"post_at": AT + 1}),
        json!({"channel_id": "C0999999999"}),
        json!({"text": "Standup in 6 minutes."}),
    ] {
        assert_eq!(found_among(&args(), vec![entry(7, other.clone())]).await, Finding::Absent, "{other}");
    }
}

#[tokio::test]
async fn schedule_text_is_compared_as_slack_stores_it() {
    let given = with(json!({"text": "R&D: see example.com"}));
    let stored = entry(7, json!({"text": "R&amp;D: see <http://example.com|example.com>"}));
    assert!(matches!(found_among(&given, vec![stored]).await, Finding::Happened(_)));
    let party = with(json!({"text": "Party 🎉"}));
    let named = entry(7, json!({"text": "Party :tada:"}));
    assert!(matches!(found_among(&party, vec![named]).await, Finding::CannotTell(why) if why.contains("Q7")));
    // One that is surely ours is not made unsure by one that isn't.
    let both = vec![entry(7, json!({"text": "R &amp; D"})), entry(8, json!({"text": "R&amp;D: see example.com"}))];
    assert!(matches!(found_among(&given, both).await, Finding::Happened(receipt) if receipt.id == "Q8"));
}

#[tokio::test]
async fn schedule_two_equal_ones_are_several() {
    let two = vec![entry(7, json!({})), entry(8, json!({}))];
    assert!(matches!(found_among(&args(), two).await, Finding::Several(two) if two.len() == 2));
}

fn past() -> Schedule {
    with(json!({"post_at": PAST}))
}

#[tokio::test]
async fn schedule_what_was_sent_is_for_a_person() {
    let sent = json!({"ts": format!("{}.000700", PAST + 2), "text": "Standup in 5 minutes.", "bot_id": "B1"});
    let desk = scripted(CELL, [pending(Vec::new(), ""), page(vec![sent], "")]);
    let finding = desk.find(&past()).await;
    assert!(matches!(&finding, Ok(Finding::CannotTell(why)) if why.contains("1700000602.000700")), "{finding:?}");
    assert_eq!(desk.asked()[1], "POST /api/conversations.history");
    assert_eq!(form_of(&desk.request(1))["oldest"], "1700000540.000000");
    let thread = "1699990000.000200";
    let desk = scripted(CELL, [pending(Vec::new(), ""), page(Vec::new(), "")]);
    let reply = with(json!({"post_at": PAST, "thread_ts": thread}));
    assert_eq!(desk.find(&reply).await, Ok(Finding::Absent));
    assert_eq!(form_of(&desk.request(1))["ts"], thread);
}

#[tokio::test]
async fn schedule_past_and_nowhere_is_absent() {
    let early = json!({"ts": format!("{}.000700", PAST - 61), "text": "Standup in 5 minutes."});
    let late = json!({"ts": format!("{}.000700", PAST + 901), "text": "Standup in 5 minutes."});
    let other = json!({"ts": format!("{PAST}.000700"), "text": "Lunch."});
    let simple = with(json!({"post_at": PAST, "text": "Standup"}));
    let desk = scripted(CELL, [pending(Vec::new(), ""), page(vec![early, late, other], "")]);
    assert_eq!(desk.find(&simple).await, Ok(Finding::Absent));
    let desk = scripted(CELL, [pending(Vec::new(), ""), error("missing_scope")]);
    assert!(desk.find(&simple).await.is_err());
    // A second request would change nothing.
    let desk = scripted(CELL, [error("time_in_past")]);
    assert_eq!(word(&desk.attempt(&simple).await), "refused");
}

#[tokio::test]
async fn schedule_without_history_the_past_is_unknown() {
    let desk = Desk::new(connection(TOKEN), CELL, Script::of([pending(Vec::new(), "")]));
    assert!(matches!(desk.find(&past()).await, Ok(Finding::CannotTell(_))));
    // What is due within ten minutes may be due by Slack's clock.
    let clock = HandClock::at((PAST - 500).unsigned_abs() * 1_000);
    let desk = Desk::by(std::sync::Arc::new(clock), connection(TOKEN), CELL, Script::of([pending(Vec::new(), "")]));
    assert!(matches!(desk.find(&past()).await, Ok(Finding::CannotTell(_))));
}

#[tokio::test]
async fn schedule_refusals_speak_for_their_attempt() {
    for code in ["time_in_past", "time_too_far", "restricted_too_many", "channel_not_found", "invalid_time"] {
        let desk = scripted(CELL, [error(code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "refused", "{code}");
    }
}

#[tokio::test]
async fn schedule_errors_that_may_have_had_an_effect_are_adrift() {
    for (code, means) in [
        ("internal_error", "adrift"),
        ("fatal_error", "adrift"),
        ("service_unavailable", "unclear"),
        ("request_timeout", "unclear"),
        ("ratelimited", "not done"),
    ] {
        let desk = scripted(CELL, [error(code)]);
        assert_eq!(word(&desk.attempt(&args()).await), means, "{code}");
    }
}

#[tokio::test]
async fn schedule_answer_about_another_one_is_an_echo_fault() {
    for (other, means) in [
        (json!({"channel": "C0999999999"}), "echo"),
        (json!({"post_at": AT + 60}), "echo"),
        (json!({"scheduled_message_id": null}), "unclear"),
    ] {
        let desk = scripted(CELL, [taken(other.clone())]);
        assert_eq!(word(&desk.attempt(&args()).await), means, "{other}");
    }
}

#[tokio::test]
async fn schedule_fetch_reads_what_a_person_names() {
    let desk = scripted(CELL, [pending(vec![entry(7, json!({})), entry(8, json!({}))], "")]);
    let receipt = desk.fetch(&args(), "Q8").await.expect("readable").expect("an entry");
    assert_eq!(receipt.id, "Q8");
    let desk = scripted(CELL, [pending(vec![entry(7, json!({"post_at": AT + 1}))], "")]);
    assert!(matches!(desk.fetch(&args(), "Q7").await, Err(Fault::Echo(_))));
    let desk = scripted(CELL, [pending(Vec::new(), "")]);
    assert_eq!(desk.fetch(&args(), "Q7").await, Ok(None));

    let ts = format!("{}.000700", PAST + 2);
    let sent = json!({"ts": ts, "text": "Standup in 5 minutes."});
    let desk = scripted(CELL, [page(vec![sent], "")]);
    let receipt = desk.fetch(&past(), &format!("{CHANNEL}/{ts}")).await.expect("readable").expect("a message");
    assert_eq!(receipt.id, format!("{CHANNEL}/{ts}"));
    let late = json!({"ts": "1800000000.000100", "text": "Standup in 5 minutes."});
    let desk = scripted(CELL, [page(vec![late], "")]);
    assert!(matches!(desk.fetch(&past(), "1800000000.000100").await, Err(Fault::Echo(_))));
    assert!(scripted(CELL, []).fetch(&past(), "yesterday").await.is_err());
}

#[test]
fn schedule_checks_its_arguments() {
    assert_eq!(args().check(), Ok(()));
    for (bad, field) in [
        (json!({"channel": "general"}), "channel"),
        (json!({"post_at": 0}), "post_at"),
        (json!({"post_at": 1_700_000_000_000_i64}), "post_at"),
        (json!({"text": ""}), "text"),
        (json!({"thread_ts": "now"}), "thread_ts"),
    ] {
        let why = with(bad).check().expect_err("refused");
        assert!(why.starts_with(field), "{why}");
    }
    let receipt = ScheduleReceipt { id: "Q1".to_owned(), channel: CHANNEL.to_owned(), post_at: AT };
    assert_eq!(receipt.echo(), args().echo());
}
