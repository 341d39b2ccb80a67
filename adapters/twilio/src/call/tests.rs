use hapax_core::cell::{Cell, CellArgs, CellReceipt};
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{AFTER, BEFORE, asked, error, losing, page, scripted, sid};
use hapax_core::testing::{form_of, json_of, word};

const CELL: &str = "twilio.call";
const TWIML: &str = "<Response><Say>Your table is ready.</Say></Response>";

fn args() -> Call {
    with(json!({}))
}

/// The arguments with other fields; null takes one away.
fn with(more: Value) -> Call {
    let mut args = json!({"to": "+15551230001", "from": "+15551234567", "twiml": TWIML});
    for (name, value) in more.as_object().expect("fields") {
        args[name] = value.clone();
    }
    args.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
    serde_json::from_value(args).expect("arguments")
}

fn stored(number: u8, more: Value) -> Value {
    let mut call = json!({"sid": sid("CA", number), "status": "completed", "direction": "outbound-api",
        "to": "+15551230001", "from": "+15551234567", "date_created": AFTER, "start_time": AFTER});
    for (name, value) in more.as_object().expect("fields") {
        call[name] = value.clone();
    }
    call
}

async fn found_among(all: Vec<Value>) -> Finding<hapax_core::protocol::Receipt> {
    scripted(CELL, [page("calls", all, None)]).find(&args()).await.expect("a finding")
}

#[tokio::test]
async fn call_sends_what_was_asked() {
    let desk = scripted(CELL, [(201, stored(1, json!({"status": "queued"})))]);
    let answer = desk.attempt(&args()).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == sid("CA", 1)), "{answer:?}");
    assert_eq!(asked(&desk), ["POST /Calls.json"]);
    let form = json!({"To": "+15551230001", "From": "+15551234567", "Twiml": TWIML});
    assert_eq!(json_of(&form_of(&desk.request(0))), form);
}

#[tokio::test]
async fn call_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let next = "/2010-04-01/Accounts/ACx/Calls.json?To=%2B15551230001&Page=1&PageToken=PACA1";
    let before = stored(2, json!({"date_created": BEFORE}));
    let desk =
        scripted(CELL, [page("calls", vec![before], Some(next)), page("calls", vec![stored(1, json!({}))], None)]);
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == sid("CA", 1)));
    let first = "GET /Calls.json?To=%2B15551230001&From=%2B15551234567&PageSize=200";
    assert_eq!(asked(&desk), [first, "GET /Calls.json?To=%2B15551230001&Page=1&PageToken=PACA1"]);
}

#[tokio::test]
async fn call_absent_is_only_suggested() {
    assert_eq!(found_among(Vec::new()).await, Finding::Absent);
    assert!(CallCell::SPEC.queries().all(|query| query.absence < hapax_core::capability::Absence::Proves));
    let desk = scripted(CELL, [error(500, 20500)]);
    assert!(desk.find(&args()).await.is_err(), "a failed page is no absence");
}

#[tokio::test]
async fn call_older_and_other_calls_are_not_ours() {
    for other in [
        json!({"date_created": BEFORE}),
        json!({"direction": "inbound"}),
        json!({"direction": "outbound-dial"}),
        json!({"to": "+15551230002"}),
        json!({"from": "+15551234568"}),
    ] {
        assert_eq!(found_among(vec![stored(1, other.clone())]).await, Finding::Absent, "{other}");
    }
}

#[tokio::test]
async fn call_two_are_several() {
    let finding = found_among(vec![stored(1, json!({})), stored(2, json!({"status": "ringing"}))]).await;
    assert!(matches!(finding, Finding::Several(hits) if hits.len() == 2));
}

#[tokio::test]
async fn call_too_many_requests_is_not_done() {
    for (status, code) in [(429, 20429), (401, 20003)] {
        let desk = scripted(CELL, [error(status, code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "not done", "{code}");
    }
}

#[tokio::test]
async fn call_undocumented_429_is_unclear() {
    let desk = scripted(CELL, [error(429, 10004)]);
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
}

#[tokio::test]
async fn call_refusals_speak_for_their_attempt() {
    for (status, code) in [(400, 21217), (400, 21215), (403, 20403)] {
        let desk = scripted(CELL, [error(status, code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "refused", "{code}");
    }
    let desk = scripted(CELL, [error(500, 20500)]);
    assert_eq!(word(&desk.attempt(&args()).await), "unclear");
}

#[tokio::test]
async fn call_url_and_callback_carry_the_mark() {
    let desk = scripted(CELL, [(201, stored(1, json!({})))]);
    let called_back = with(json!({"twiml": null, "url": "https://example.com/twiml?order=1042",
        "status_callback": "https://example.com/calls"}));
    desk.attempt(&called_back).await;
    let (form, mark) = (form_of(&desk.request(0)), desk.names().mark());
    assert_eq!(form["Url"], format!("https://example.com/twiml?order=1042&hapax={mark}"));
    assert_eq!(form["StatusCallback"], format!("https://example.com/calls?hapax={mark}"));
    let Body::Form(pairs) = desk.request(0).body else { panic!() };
    assert_eq!(pairs.iter().filter(|(name, _)| name == "StatusCallbackEvent").count(), 4);
}

#[tokio::test]
async fn call_status_is_its_fate() {
    for (status, failed) in [("completed", false), ("queued", false), ("busy", true), ("no-answer", true)] {
        let desk = scripted(CELL, [page("calls", vec![stored(1, json!({"status": status}))], None)]);
        let Ok(Finding::Happened(receipt)) = CallCell.find(&desk.context(), &args()).await else { panic!("{status}") };
        assert_eq!(receipt.fate(), Some((status.to_owned(), failed)));
    }
}

#[tokio::test]
async fn call_answer_about_another_one_is_an_echo_fault() {
    for other in [json!({"to": "+15551230002"}), json!({"from": "+15551234568"})] {
        let desk = scripted(CELL, [(201, stored(1, other.clone())), (200, stored(1, other.clone()))]);
        assert_eq!(word(&desk.attempt(&args()).await), "echo", "{other}");
        assert!(desk.fetch(&args(), &sid("CA", 1)).await.is_err(), "{other}");
    }
}

#[test]
fn call_checks_its_arguments() {
    let check = |more: Value| with(more).check().err().unwrap_or_default();
    assert_eq!(check(json!({})), "");
    assert!(check(json!({"twiml": null})).contains("exactly one"));
    assert!(check(json!({"url": "https://example.com/"})).contains("exactly one"));
    assert!(check(json!({"twiml": null, "url": "example.com"})).contains("url"));
    assert!(check(json!({"twiml": "x".repeat(4001)})).contains("4000"));
    assert!(check(json!({"twiml": null, "application_sid": "AP1"})).contains("AP"));
    assert!(check(json!({"send_digits": "12x"})).contains("send_digits"));
    assert!(check(json!({"ring_seconds": 601})).contains("ring_seconds"));
    let ignored = json!({"twiml": null, "application_sid": sid("AP", 1), "status_callback": "https://example.com/"});
    assert!(check(ignored).contains("status_callback"));
}
