use hapax_core::cell::{Cell, CellArgs, CellReceipt};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::alike::TRIAL_PREFIX;
use crate::testing::{AFTER, BEFORE, asked, error, losing, page, scripted, sid};
use hapax_core::testing::{form_of, json_of, word};

const CELL: &str = "twilio.send_message";
const LIST: &str = "GET /Messages.json?To=%2B15551230001&From=%2B15551234567&PageSize=200";

fn args() -> SendMessage {
    with(json!({}))
}

/// The arguments with other fields; null takes one away.
fn with(more: Value) -> SendMessage {
    let mut args = json!({"to": "+15551230001", "from": "+15551234567", "body": "Your table is ready."});
    for (name, value) in more.as_object().expect("fields") {
        args[name] = value.clone();
    }
    args.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
    serde_json::from_value(args).expect("arguments")
}

/// A message of the list, with other fields.
fn stored(number: u8, more: Value) -> Value {
    let mut message = json!({"sid": sid("SM", number), "status": "delivered", "direction": "outbound-api",
        "to": "+15551230001", "from": "+15551234567", "body": "Your table is ready.", "num_media": "0",
        "num_segments": "1", "messaging_service_sid": null, "date_created": AFTER, "date_sent": AFTER,
        "error_code": null});
    for (name, value) in more.as_object().expect("fields") {
        message[name] = value.clone();
    }
    message
}

fn messages(all: Vec<Value>) -> (u16, Value) {
    page("messages", all, None)
}

async fn found_among(args: &SendMessage, all: Vec<Value>) -> Finding<hapax_core::protocol::Receipt> {
    scripted(CELL, [messages(all)]).find(args).await.expect("a finding")
}

#[tokio::test]
async fn send_message_sends_what_was_asked() {
    let desk = scripted(CELL, [(201, stored(1, json!({"status": "queued"})))]);
    let answer = desk.attempt(&args()).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == sid("SM", 1)), "{answer:?}");
    assert_eq!(asked(&desk), ["POST /Messages.json"]);
    let form = json!({"To": "+15551230001", "From": "+15551234567", "Body": "Your table is ready."});
    assert_eq!(json_of(&form_of(&desk.request(0))), form);
    // Twilio has no key; a made-up one would only look like one.
    assert!(desk.request(0).headers.is_empty());

    let service = sid("MG", 7);
    let more = with(json!({"from": null, "messaging_service_sid": service, "send_at": "2026-12-01T10:00:00+01:00",
        "body": null, "content": {"sid": sid("HX", 1), "variables": {"1": "Anna"}}, "validity_seconds": 600}));
    let desk = scripted(CELL, [(201, stored(1, json!({"status": "scheduled", "from": null, "body": "Hello Anna"})))]);
    assert_eq!(word(&desk.attempt(&more).await), "happened");
    let form = json!({"To": "+15551230001", "MessagingServiceSid": service, "ScheduleType": "fixed",
        "SendAt": "2026-12-01T09:00:00Z", "ContentSid": sid("HX", 1), "ContentVariables": "{\"1\":\"Anna\"}",
        "ValidityPeriod": "600", "SmartEncoded": "false"});
    assert_eq!(json_of(&form_of(&desk.request(0))), form);
}

#[tokio::test]
async fn send_message_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let next = "/2010-04-01/Accounts/ACx/Messages.json?To=%2B15551230001&Page=1&PageToken=PASM1";
    let other = stored(2, json!({"body": "Your table is gone."}));
    let desk = scripted(CELL, [page("messages", vec![other], Some(next)), messages(vec![stored(1, json!({}))])]);
    let finding = desk.find(&args()).await.expect("a finding");
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == sid("SM", 1)));
    let second = "GET /Messages.json?To=%2B15551230001&Page=1&PageToken=PASM1";
    assert_eq!(asked(&desk), [LIST, second]);
}

#[tokio::test]
async fn send_message_absent_is_only_suggested() {
    assert_eq!(found_among(&args(), Vec::new()).await, Finding::Absent);
    let asked = SendMessageCell::SPEC.queries().filter(|query| !query.told);
    let worth: Vec<_> = asked.map(|query| query.absence).collect();
    assert_eq!(worth, [hapax_core::capability::Absence::Suggests]);
}

#[tokio::test]
async fn send_message_queued_and_scheduled_are_found() {
    for status in ["accepted", "scheduled", "queued", "sending"] {
        let waiting = stored(1, json!({"status": status, "date_sent": null}));
        assert!(matches!(found_among(&args(), vec![waiting]).await, Finding::Happened(_)), "{status}");
    }
}

#[tokio::test]
async fn send_message_older_ones_are_not_ours() {
    assert_eq!(found_among(&args(), vec![stored(1, json!({"date_created": BEFORE}))]).await, Finding::Absent);
    // One that doesn't say when can't be left out, and can't be taken.
    let timeless = stored(1, json!({"date_created": null}));
    assert!(matches!(found_among(&args(), vec![timeless]).await, Finding::CannotTell(_)));
}

#[tokio::test]
async fn send_message_others_are_not_ours() {
    for other in [
        json!({"body": "Your table is ready"}),
        json!({"to": "+15551230002"}),
        json!({"from": "+15551234568"}),
        json!({"direction": "inbound"}),
        json!({"direction": "outbound-reply"}),
        json!({"num_media": "1"}),
    ] {
        assert_eq!(found_among(&args(), vec![stored(1, other.clone())]).await, Finding::Absent, "{other}");
    }
    let by_service = with(json!({"from": null, "messaging_service_sid": sid("MG", 7)}));
    let another = stored(1, json!({"messaging_service_sid": sid("MG", 8)}));
    assert_eq!(found_among(&by_service, vec![another]).await, Finding::Absent);
    let pooled = stored(1, json!({"messaging_service_sid": sid("MG", 7), "from": "+15551239999"}));
    assert!(matches!(found_among(&by_service, vec![pooled]).await, Finding::Happened(_)));
}

#[tokio::test]
async fn send_message_redacted_could_be_ours() {
    let redacted = || stored(1, json!({"body": ""}));
    assert!(matches!(found_among(&args(), vec![redacted()]).await, Finding::CannotTell(_)));
    let finding = found_among(&args(), vec![redacted(), stored(2, json!({}))]).await;
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == sid("SM", 2)));
}

#[tokio::test]
async fn send_message_template_is_found_by_its_rendered_text() {
    let template =
        |rendered: Value| with(json!({"body": null, "content": {"sid": sid("HX", 1), "rendered": rendered}}));
    let all = || vec![stored(1, json!({"body": "Hello Anna"})), stored(2, json!({"body": "Hello Bert"}))];
    let finding = found_among(&template(json!("Hello Anna")), all()).await;
    assert!(matches!(finding, Finding::Happened(receipt) if receipt.id == sid("SM", 1)));
    assert!(matches!(found_among(&template(Value::Null), all()).await, Finding::CannotTell(_)));
    assert_eq!(found_among(&template(Value::Null), Vec::new()).await, Finding::Absent);
}

#[tokio::test]
async fn send_message_media_are_counted() {
    let two = with(json!({"media_urls": ["https://example.com/1.png", "https://example.com/2.png"]}));
    let with_media = |count: &str| vec![stored(1, json!({"num_media": count}))];
    assert!(matches!(found_among(&two, with_media("2")).await, Finding::Happened(_)));
    assert!(matches!(found_among(&two, with_media("1")).await, Finding::CannotTell(_)));
    let linked = stored(1, json!({"body": "Your table is ready. https://twl.io/x"}));
    assert!(matches!(found_among(&two, vec![linked]).await, Finding::CannotTell(_)));
    let Body::Form(pairs) = two.create("m").body else { panic!() };
    let media: Vec<_> = pairs.iter().filter(|(name, _)| name == "MediaUrl").map(|(_, url)| url.as_str()).collect();
    assert_eq!(media, two.media_urls);
}

#[tokio::test]
async fn send_message_trial_prefix_is_taken_off() {
    let on_trial = || stored(1, json!({"body": format!("{TRIAL_PREFIX}Your table is ready.")}));
    assert!(matches!(found_among(&args(), vec![on_trial()]).await, Finding::Happened(_)));
    let desk = scripted(CELL, [(201, on_trial())]);
    assert_eq!(word(&desk.attempt(&args()).await), "happened");
}

#[tokio::test]
async fn send_message_two_equal_ones_are_several() {
    let finding = found_among(&args(), vec![stored(1, json!({})), stored(2, json!({}))]).await;
    assert!(matches!(finding, Finding::Several(hits) if hits.len() == 2));
}

#[tokio::test]
async fn send_message_failed_page_is_no_absence() {
    let next = "/2010-04-01/Accounts/ACx/Messages.json?PageToken=PASM1";
    for broken in [error(500, 20500), (200, json!({"messages": []})), (404, json!({"message": "Not Found"}))] {
        let desk = scripted(CELL, [page("messages", Vec::new(), Some(next)), broken]);
        assert!(desk.find(&args()).await.is_err());
    }
}

#[tokio::test]
async fn send_message_too_many_requests_is_not_done() {
    for code in [20429, 14107] {
        let desk = scripted(CELL, [error(429, code)]);
        assert_eq!(word(&desk.attempt(&args()).await), "not done", "{code}");
    }
}

#[tokio::test]
async fn send_message_wrong_credentials_are_not_done() {
    let desk = scripted(CELL, [error(401, 20003)]);
    assert_eq!(word(&desk.attempt(&args()).await), "not done");
}

#[tokio::test]
async fn send_message_refusals_speak_for_their_attempt() {
    for (status, code) in [(400, 21211), (400, 21610), (400, 21408), (403, 20403), (404, 20404)] {
        let desk = scripted(CELL, [error(status, code)]);
        let answer = desk.attempt(&args()).await;
        let Answer::Refused(refusal, covers) = answer else { panic!("{answer:?}") };
        assert_eq!((refusal.code, covers), (code.to_string(), hapax_core::words::Covers::Attempt));
    }
}

#[tokio::test]
async fn send_message_other_answers_are_not_guessed() {
    for answer in [
        error(500, 20500),
        error(503, 20503),
        error(409, 20409),
        (502, json!("<html>")),
        (400, json!({"message": "no code"})),
        (200, json!({})),
    ] {
        let desk = scripted(CELL, [answer.clone()]);
        assert_eq!(word(&desk.attempt(&args()).await), "unclear", "{answer:?}");
    }
}

#[tokio::test]
async fn send_message_answer_about_another_one_is_an_echo_fault() {
    for other in [json!({"to": "+15551230002"}), json!({"from": "+15551234568"}), json!({"body": "Something else"})] {
        let desk = scripted(CELL, [(201, stored(1, other.clone()))]);
        assert_eq!(word(&desk.attempt(&args()).await), "echo", "{other}");
    }
}

#[tokio::test]
async fn send_message_status_is_its_fate() {
    for (status, failed) in [("sent", false), ("failed", true), ("undelivered", true), ("canceled", true)] {
        let desk = scripted(CELL, [messages(vec![stored(1, json!({"status": status, "error_code": 30003}))])]);
        let Ok(Finding::Happened(receipt)) = SendMessageCell.find(&desk.context(), &args()).await else {
            panic!("{status}")
        };
        assert_eq!(receipt.fate(), Some((status.to_owned(), failed)));
        assert_eq!(receipt.error_code, Some(30003));
    }
}

#[tokio::test]
async fn send_message_callback_carries_the_mark() {
    let desk = scripted(CELL, [(201, stored(1, json!({})))]);
    let called_back = with(json!({"status_callback": "https://example.com/twilio?order=1042"}));
    desk.attempt(&called_back).await;
    let expected = format!("https://example.com/twilio?order=1042&hapax={}", desk.names().mark());
    assert_eq!(form_of(&desk.request(0))["StatusCallback"], expected);
    assert!(SendMessage::VOLATILE.contains(&"status_callback"));
}

#[tokio::test]
async fn send_message_fetch_reads_what_a_person_names() {
    let read = async |answer, id: String| {
        let desk = scripted(CELL, [answer]);
        desk.fetch(&args(), &id).await.map(|found| found.map(|receipt| receipt.id))
    };
    assert_eq!(read((200, stored(1, json!({}))), sid("SM", 1)).await, Ok(Some(sid("SM", 1))));
    assert_eq!(read(error(404, 20404), sid("SM", 1)).await, Ok(None));
    let other = json!({"body": "Something else"});
    assert_eq!(read((200, stored(1, other)), sid("SM", 1)).await, Err(Fault::Echo("body".to_owned())));
    let other = json!({"to": "+15551230002"});
    assert_eq!(read((200, stored(1, other)), sid("SM", 1)).await, Err(Fault::Echo("to".to_owned())));
    assert!(read((200, json!({})), "SM1/../x".to_owned()).await.is_err());
}

#[test]
fn send_message_checks_its_arguments() {
    let check = |more: Value| with(more).check().err().unwrap_or_default();
    assert_eq!(check(json!({})), "");
    assert!(check(json!({"from": null})).contains("from"));
    assert!(check(json!({"to": "whatsapp:+15551230001"})).contains("whatsapp"));
    assert_eq!(check(json!({"to": "whatsapp:+15551230001", "from": "whatsapp:+15551234567"})), "");
    assert!(check(json!({"messaging_service_sid": "MG1"})).contains("MG"));
    assert!(check(json!({"body": null})).contains("nothing to send"));
    assert!(check(json!({"body": " \n"})).contains("empty"));
    assert!(check(json!({"body": "x".repeat(1601)})).contains("1600"));
    assert!(check(json!({"content": {"sid": sid("HX", 1)}})).contains("template"));
    assert!(check(json!({"body": null, "content": {"sid": "HX1"}})).contains("HX"));
    assert!(check(json!({"media_urls": ["file:///etc/passwd"]})).contains("media_urls"));
    assert!(check(json!({"send_at": "2026-12-01T10:00:00Z"})).contains("Messaging Service"));
    assert!(check(json!({"validity_seconds": 0})).contains("validity_seconds"));
    assert!(check(json!({"status_callback": "https://my_host/"})).contains("status_callback"));
    let erased = hapax_core::cell::erase(SendMessageCell);
    let said = erased.check(&json!({"to": "0151 2345678", "from": "Acme", "body": "x"})).expect_err("no number");
    assert!(said.starts_with("to: ") && !said.contains("2345678"), "{said}");
}
