use hapax_core::cell::{CellArgs, Step};
use hapax_core::testing::{Desk, word};
use hapax_core::words::{Fault, Finding};
use serde_json::{Value, json};

use crate::mail::{Attachment, Mail, Reply};
use crate::testing::{Noted, error, losing, mail, scripted};
use crate::wire::encoded;

fn draft(id: &str) -> (u16, Value) {
    (200, json!({ "id": id, "message": { "id": "m0", "threadId": "t1", "labelIds": ["DRAFT"] } }))
}

fn accepted(thread: &str) -> (u16, Value) {
    (200, json!({ "id": "m1", "threadId": thread, "labelIds": ["SENT"] }))
}

fn page(ids: &[&str], next: Option<&str>) -> (u16, Value) {
    let messages: Vec<Value> = ids.iter().map(|id| json!({ "id": id, "threadId": "t1" })).collect();
    (200, json!({ "messages": messages, "nextPageToken": next, "resultSizeEstimate": 1 }))
}

fn empty() -> (u16, Value) {
    (200, json!({ "resultSizeEstimate": 0 }))
}

/// A mail in SENT, as `format=metadata` shows it.
fn sent(id: &str, mark: &str, to: &str, at_ms: i64) -> (u16, Value) {
    let head = |name: &str, value: &str| json!({ "name": name, "value": value });
    let headers = json!([head("MIME-Version", "1.0"), head("To", to), head("X-Hapax-Key", mark)]);
    let payload = json!({ "headers": headers });
    (
        200,
        json!({ "id": id, "threadId": "t1", "labelIds": ["SENT"], "internalDate": at_ms.to_string(), "payload": payload }),
    )
}

/// When the operation began.
const BEGAN: i64 = Desk::BEGAN_MS;
const JANE: &str = "Jané <Jane@Example.com>";

fn gone() -> (u16, Value) {
    error(404, "notFound")
}

#[tokio::test]
async fn send_creates_a_draft_then_notes_it_and_its_thread() {
    let desk = scripted([draft("r1")]);
    assert_eq!(desk.prepare(&mail()).await, Ok(Step::Note("draft", "r1".to_owned())));
    let (_, request) = desk.script().request(0);
    let body = String::from_utf8(request.encoded().expect("a body").1).expect("JSON");
    assert!(body.starts_with(r#"{"message":{"raw":""#), "{body}");
    let desk = scripted([draft("r1")]).drafted();
    assert_eq!(desk.prepare(&mail()).await, Ok(Step::Note("thread", "t1".to_owned())));
    assert_eq!(desk.script().asked(), ["GET /gmail/v1/users/me/drafts/r1?format=minimal"]);
    assert_eq!(scripted([]).noted().prepare(&mail()).await, Ok(Step::Ready));
}

#[tokio::test]
async fn send_draft_that_is_refused_refuses() {
    for answer in [error(400, "invalidArgument"), error(404, "notFound"), error(403, "forbidden")] {
        let desk = scripted([answer]);
        let Ok(Step::Refused(refusal)) = desk.prepare(&mail()).await else { panic!("refused") };
        assert_eq!(refusal.message, "words about ...");
    }
    for answer in [error(429, "rateLimitExceeded"), error(503, "backendError"), (502, json!("a gateway"))] {
        assert!(matches!(scripted([answer]).prepare(&mail()).await, Err(Fault::Status(..))));
    }
}

#[tokio::test]
async fn send_draft_in_another_thread_is_not_used() {
    let reply = Reply { thread_id: "t2".into(), in_reply_to: "<a@example.com>".into(), references: Vec::new() };
    let reply = Mail { reply: Some(reply), ..mail() };
    let desk = scripted([draft("r1")]);
    assert_eq!(desk.prepare(&reply).await, Err(Fault::Echo("thread of the new draft".to_owned())));
}

#[tokio::test]
async fn send_draft_gone_before_it_was_sent_is_not_replaced() {
    let desk = scripted([gone()]).drafted();
    assert!(matches!(desk.prepare(&mail()).await, Err(Fault::Unread(_))));
    assert_eq!(desk.script().asked().len(), 1, "no second draft");
}

#[tokio::test]
async fn send_large_mail_goes_to_the_upload_address() {
    let file = Attachment {
        filename: "Größe.bin".into(),
        content_type: "application/octet-stream".into(),
        content: "AAAA".repeat(1_500_000),
    };
    let desk = scripted([draft("r1")]);
    assert!(desk.prepare(&Mail { attachments: vec![file], ..mail() }).await.is_ok());
    assert_eq!(desk.script().asked(), ["POST /upload/gmail/v1/users/me/drafts?uploadType=multipart"]);
}

#[tokio::test]
async fn send_sends_the_noted_draft() {
    let desk = scripted([accepted("t1")]).noted();
    assert_eq!(word(&desk.attempt(&mail()).await), "happened");
    let (_, request) = desk.script().request(0);
    assert_eq!(desk.script().asked(), ["POST /gmail/v1/users/me/drafts/send"]);
    assert_eq!(request.encoded().expect("a body").1, br#"{"id":"r1"}"#);
    assert_eq!(word(&scripted([]).drafted().attempt(&mail()).await), "not done");
}

async fn check(answer: (u16, Value), expected: &str) {
    let desk = scripted([answer.clone()]).noted();
    assert_eq!(word(&desk.attempt(&mail()).await), expected, "{answer:?}");
}

#[tokio::test]
async fn send_gone_draft_is_taken() {
    check(gone(), "taken").await;
    check(error(400, "failedPrecondition"), "taken").await;
}

#[tokio::test]
async fn send_wrong_recipient_is_refused() {
    check(error(400, "invalidArgument"), "refused").await;
    check(error(403, "insufficientPermissions"), "refused").await;
}

#[tokio::test]
async fn send_limits_and_credentials_are_not_done() {
    for reason in ["rateLimitExceeded", "userRateLimitExceeded", "dailyLimitExceeded"] {
        check(error(403, reason), "not done").await;
    }
    check(error(429, "rateLimitExceeded"), "not done").await;
    check(error(401, "authError"), "not done").await;
}

#[tokio::test]
async fn send_other_answers_are_not_guessed() {
    check(error(500, "backendError"), "unclear").await;
    check((502, json!("a gateway")), "unclear").await;
    check((404, json!({ "message": "Not Found" })), "unclear").await;
    assert_eq!(word(&losing().noted().attempt(&mail()).await), "unclear");
}

#[tokio::test]
async fn send_answer_about_another_thread_is_unclear() {
    check(accepted("t2"), "unclear").await;
}

#[tokio::test]
async fn send_answer_without_sent_is_unclear() {
    check((200, json!({ "id": "m1", "threadId": "t1", "labelIds": ["DRAFT"] })), "unclear").await;
}

#[tokio::test]
async fn send_answer_lost_after_effect() {
    let mark = scripted([]).mark();
    let desk =
        scripted([gone(), page(&["m2", "m1"], None), sent("m2", "other", JANE, BEGAN), sent("m1", &mark, JANE, BEGAN)]);
    let Ok(Finding::Happened(receipt)) = desk.noted().find(&mail()).await else { panic!("found") };
    assert_eq!(receipt.id, "m1");
}

#[tokio::test]
async fn send_request_lost_before_effect() {
    let desk = scripted([draft("r1"), empty()]).noted();
    assert_eq!(desk.find(&mail()).await, Ok(Finding::Absent));
    let desk = scripted([empty()]);
    assert_eq!(desk.find(&mail()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn send_gone_and_unfound_is_not_yet() {
    let desk = scripted([gone(), empty()]).noted();
    assert!(matches!(desk.find(&mail()).await, Ok(Finding::NotYet(_))));
}

#[tokio::test]
async fn send_without_the_read_scope_cannot_tell() {
    for first in [draft("r1"), gone()] {
        let desk = scripted([first, error(403, "insufficientPermissions")]).noted();
        assert!(matches!(desk.find(&mail()).await, Ok(Finding::CannotTell(_))));
    }
}

#[tokio::test]
async fn send_finds_on_the_last_page() {
    let mark = scripted([]).mark();
    let older = BEGAN - 3_600_000;
    let answers = [
        gone(),
        page(&["m4", "m3"], Some("2")),
        sent("m4", "", JANE, BEGAN),
        sent("m3", "", JANE, older),
        page(&["m1"], None),
        sent("m1", &mark, JANE, BEGAN),
    ];
    let desk = scripted(answers).noted();
    assert!(matches!(desk.find(&mail()).await, Ok(Finding::Happened(_))), "a page that is partly older ends nothing");
    assert!(desk.script().asked()[4].ends_with("pageToken=2"));
    let desk = scripted([gone(), page(&["m3"], Some("2")), sent("m3", "", JANE, older)]).noted();
    assert!(matches!(desk.find(&mail()).await, Ok(Finding::NotYet(_))), "what is older than the operation is not ours");
}

#[tokio::test]
async fn send_failed_page_is_no_absence() {
    for bad in [error(500, "backendError"), (200, json!({})), (404, json!({ "message": "Not Found" }))] {
        let desk = scripted([draft("r1"), bad]).noted();
        assert!(desk.find(&mail()).await.is_err());
    }
    let unreadable = (200, json!({ "id": "m1", "threadId": "t1", "raw": "!" }));
    let desk = scripted([draft("r1"), page(&["m1"], None), unreadable.clone(), unreadable]).noted();
    assert!(matches!(desk.find(&mail()).await, Err(Fault::Unread(_))));
}

#[tokio::test]
async fn send_mark_is_read_from_the_raw_mail_where_headers_are_dropped() {
    let mark = scripted([]).mark();
    let few = json!({ "headers": [{ "name": "To", "value": JANE }] });
    let dropped = (200, json!({ "id": "m1", "threadId": "t1", "labelIds": ["SENT"], "payload": few }));
    let raw = encoded(format!("To: {JANE}\r\nX-Hapax-Key: {mark}\r\n\r\nbody").as_bytes());
    let whole = (200, json!({ "id": "m1", "threadId": "t1", "labelIds": ["SENT"], "raw": raw }));
    let desk = scripted([gone(), page(&["m1"], None), dropped, whole]).noted();
    assert!(matches!(desk.find(&mail()).await, Ok(Finding::Happened(_))));
    assert_eq!(desk.script().asked()[3], "GET /gmail/v1/users/me/messages/m1?format=raw");
}

#[tokio::test]
async fn send_mark_on_a_mail_to_others_is_an_echo_fault() {
    let mark = scripted([]).mark();
    // Others, one more, nobody, and an address that ours ends like.
    let more = format!("{JANE}, eve@example.com");
    for people in ["eve@example.com", &more, "", "mary-jane@example.com"] {
        let desk = scripted([gone(), page(&["m1"], None), sent("m1", &mark, people, BEGAN)]).noted();
        assert_eq!(desk.find(&mail()).await, Err(Fault::Echo("recipients".to_owned())), "{people}");
    }
    let named = "\"Doe, Jane\" <JANE@EXAMPLE.COM>";
    let desk = scripted([gone(), page(&["m1"], None), sent("m1", &mark, named, BEGAN)]).noted();
    assert!(matches!(desk.find(&mail()).await, Ok(Finding::Happened(_))), "the same address, written otherwise");
}

#[tokio::test]
async fn send_two_with_our_mark_are_several() {
    let mark = scripted([]).mark();
    let two = [sent("m2", &mark, JANE, BEGAN), sent("m1", &mark, JANE, BEGAN)];
    let desk = scripted([gone(), page(&["m2", "m1"], None)].into_iter().chain(two)).noted();
    assert!(matches!(desk.find(&mail()).await, Ok(Finding::Several(_))));
}

#[tokio::test]
async fn send_deletes_the_draft_of_the_epoch_before() {
    let desk = scripted([(204, Value::Null), gone(), draft("r1")]).superseding("draft", "r0");
    assert_eq!(desk.prepare(&mail()).await, Ok(Step::Note("draft", "r1".to_owned())));
    assert_eq!(desk.script().asked()[0], "DELETE /gmail/v1/users/me/drafts/r0");
    let desk = scripted([error(403, "forbidden"), draft("r0")]).superseding("draft", "r0");
    assert!(matches!(desk.prepare(&mail()).await, Err(Fault::Unread(_))), "nothing new while the old one can be sent");
}

#[tokio::test]
async fn send_persons_receipt_is_read_and_compared() {
    let desk = scripted([sent("m1", "", JANE, BEGAN)]);
    assert!(desk.fetch(&mail(), "m1").await.expect("read").is_some());
    let desk = scripted([sent("m1", "", "eve@example.com", BEGAN)]);
    assert!(matches!(desk.fetch(&mail(), "m1").await, Err(Fault::Echo(_))));
    let anothers = scripted([sent("m1", "another", JANE, BEGAN)]);
    assert_eq!(
        anothers.fetch(&mail(), "m1").await,
        Err(Fault::Echo("mark".to_owned())),
        "an equal mail of another key"
    );
    assert_eq!(scripted([gone()]).fetch(&mail(), "m1").await, Ok(None));
    assert!(scripted([]).fetch(&mail(), "../x").await.is_err());
}

#[test]
fn send_checks_its_arguments() {
    let check = |change: &dyn Fn(&mut Mail), says: &str| {
        let mut mail = mail();
        change(&mut mail);
        assert!(mail.check().expect_err(says).starts_with(says), "{:?}", mail.check());
    };
    let file = |kind: &str, content: &str| Attachment {
        filename: "a.pdf".into(),
        content_type: kind.into(),
        content: content.into(),
    };
    check(&|mail| mail.to.clear(), "to, cc, bcc");
    check(&|mail| mail.subject = "a\r\nBcc: eve@example.com".into(), "subject");
    check(&|mail| mail.text = "a\0b".into(), "text");
    check(&|mail| mail.to[0].name = Some("a\nb".into()), "name");
    check(&|mail| mail.attachments = vec![file("application/pdf", "no base64")], "attachments[0].content");
    check(&|mail| mail.attachments = vec![file("multipart/mixed", "AAAA")], "attachments[0].content_type");
    check(&|mail| mail.attachments = vec![file("a/b", &"AAAA".repeat(9_000_000))], "attachments: 25 MB");
    let reply = |thread: &str, id: &str| {
        Some(Reply { thread_id: thread.into(), in_reply_to: id.into(), references: Vec::new() })
    };
    check(&|mail| mail.reply = reply("a/b", "<a@b>"), "reply.thread_id");
    check(&|mail| mail.reply = reply("t1", "a@b"), "reply.in_reply_to");
    assert!(mail().check().is_ok());
    for text in
        ["kim", "kim@localhost", "j\r\n@example.com", "a@b@example.com", "\"a b\"@example.com", "jané@example.com"]
    {
        let refused = serde_json::from_value::<crate::Address>(json!(text)).expect_err(text).to_string();
        assert!(!refused.contains(text), "{refused}");
    }
}
