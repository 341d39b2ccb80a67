use hapax_core::cell::CellArgs;
use hapax_core::testing::{Desk, body_of, response, word};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{BEFORE, error, id, losing, mail, mailbox, page, scripted, shown};
use crate::{Attachment, Template, Variable};

const CELL: &str = "resend.send";
const TO: &str = "jane@example.org";

fn desk(answers: Vec<(u16, Value)>) -> Desk {
    scripted(CELL, answers)
}

fn mark() -> String {
    desk(vec![]).mark()
}

async fn answered(status: u16, name: &str) -> &'static str {
    word(&desk(vec![error(status, name)]).attempt(&mail(TO)).await)
}

async fn found(answers: Vec<(u16, Value)>) -> Result<Finding<hapax_core::protocol::Receipt>, Fault> {
    desk(answers).find(&mail(TO)).await
}

fn header(desk: &Desk, name: &str) -> Option<String> {
    let request = desk.last();
    request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
}

#[tokio::test]
async fn send_sends_what_was_asked() {
    let desk = desk(vec![(200, json!({"id": id(1)}))]);
    let asked = Mail {
        cc: vec![mailbox("cc@example.org")],
        reply_to: vec![mailbox("desk@example.org")],
        html: Some("<p>It is due.</p>".to_owned()),
        headers: [("X-Order".to_owned(), "1042".to_owned())].into(),
        tags: [("category".to_owned(), "invoice".to_owned())].into(),
        scheduled_at: Some("2023-11-15T00:00:00Z".parse().expect("a time")),
        ..mail(TO)
    };
    let answer = desk.attempt(&asked).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    assert_eq!((receipt.id.as_str(), &*receipt.body), (id(1).as_str(), &json!({"id": id(1)})));
    assert_eq!(desk.asked(), ["POST /emails"]);
    assert_eq!(header(&desk, "Idempotency-Key"), Some(desk.names().token("send")));
    let expected = json!({
        "from": "shop@example.org", "to": [TO], "cc": ["cc@example.org"], "reply_to": ["desk@example.org"],
        "subject": "Invoice 1042", "text": "It is due.", "html": "<p>It is due.</p>",
        "headers": {"X-Order": "1042"}, "scheduled_at": "2023-11-15T00:00:00.000Z",
        "tags": [{"name": "category", "value": "invoice"}, {"name": "hapax", "value": desk.mark()}],
    });
    assert_eq!(body_of(&desk.last()), expected);
}

#[tokio::test]
async fn send_repeats_the_same_words() {
    let asked = Mail {
        subject: None,
        text: None,
        template: Some(Template {
            id: "invoice".to_owned(),
            variables: [("b".to_owned(), Variable::Number(2)), ("a".to_owned(), Variable::Text("Jané".to_owned()))]
                .into(),
        }),
        attachments: vec![Attachment {
            filename: "účet.pdf".to_owned(),
            content: "aGFwYXg=".to_owned(),
            content_type: Some("application/pdf".to_owned()),
            content_id: None,
        }],
        ..mail(TO)
    };
    let desk = desk(vec![error(429, "rate_limit_exceeded"), (200, json!({"id": id(1)}))]);
    // As the ledger gives them back: written and read again.
    let again: Mail = serde_json::from_value(serde_json::to_value(&asked).expect("JSON")).expect("arguments");
    desk.attempt(&asked).await;
    desk.attempt(&again).await;
    let (first, second) = (desk.request(0), desk.request(1));
    assert_eq!(first.encoded(), second.encoded());
    assert_eq!(first.headers, second.headers);
    let body = body_of(&second);
    assert_eq!(body["template"], json!({"id": "invoice", "variables": {"a": "Jané", "b": 2}}));
    let file = json!([{"filename": "účet.pdf", "content": "aGFwYXg=", "content_type": "application/pdf"}]);
    assert_eq!(body["attachments"], file);
}

#[tokio::test]
async fn send_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&mail(TO)).await), "unclear");
    let first = page(vec![shown(1, "else@example.org", None)], true);
    let second = page(vec![shown(2, TO, None)], false);
    let desk = desk(vec![first, second, (200, shown(2, "Jane <Jane@example.org>", Some(&mark())))]);
    let finding = desk.find(&mail(TO)).await.expect("a finding");
    let Finding::Happened(receipt) = finding else { panic!("{finding:?}") };
    assert_eq!(receipt.id, id(2));
    assert_eq!(*receipt.body, json!({"id": id(2), "last_event": "delivered"}));
    let asked = [
        "GET /emails?limit=100".to_owned(),
        format!("GET /emails?limit=100&after={}", id(1)),
        format!("GET /emails/{}", id(2)),
    ];
    assert_eq!(desk.asked(), asked);
}

#[tokio::test]
async fn send_absent_is_only_suggested() {
    assert_eq!(found(vec![page(vec![], false)]).await, Ok(Finding::Absent));
    let absence = SendCell::SPEC.queries().map(|query| query.absence).max();
    assert_eq!(absence, Some(hapax_core::capability::Absence::Suggests));
}

#[tokio::test]
async fn send_others_are_not_ours() {
    let mut old = shown(3, TO, None);
    old["created_at"] = BEFORE.into();
    let listed = vec![shown(1, "else@example.org", None), shown(2, TO, None), old];
    let another = "0".repeat(32);
    let desk = desk(vec![page(listed, false), (200, shown(2, TO, Some(&another)))]);
    assert_eq!(desk.find(&mail(TO)).await, Ok(Finding::Absent));
    assert_eq!(desk.asked().len(), 2, "neither other recipients nor older mails are read");
}

#[tokio::test]
async fn send_without_tags_could_be_ours() {
    let listed = || page(vec![shown(1, TO, None)], false);
    let finding = found(vec![listed(), (200, shown(1, TO, None))]).await;
    assert!(matches!(finding, Ok(Finding::CannotTell(_))), "{finding:?}");
    let mut other = shown(1, TO, None);
    other["subject"] = "Another one".into();
    assert_eq!(found(vec![listed(), (200, other)]).await, Ok(Finding::Absent));
    let mut tagged = shown(1, TO, None);
    tagged["tags"] = json!([]);
    assert_eq!(found(vec![listed(), (200, tagged)]).await, Ok(Finding::Absent));
    let gone = (404, json!({"statusCode": 404, "name": "not_found", "message": "Email not found"}));
    assert!(matches!(found(vec![listed(), gone]).await, Ok(Finding::CannotTell(_))), "gone between list and read");
}

#[tokio::test]
async fn send_two_with_our_tag_are_several() {
    let (one, two) = ((200, shown(1, TO, Some(&mark()))), (200, shown(2, TO, Some(&mark()))));
    let listed = page(vec![shown(1, TO, None), shown(2, TO, None)], false);
    let finding = found(vec![listed, one, two]).await;
    assert!(matches!(&finding, Ok(Finding::Several(both)) if both.len() == 2), "{finding:?}");
}

#[tokio::test]
async fn send_failed_page_is_no_absence() {
    let first = || page(vec![shown(1, "else@example.org", None)], true);
    let mut answers = vec![
        vec![error(500, "internal_server_error")],
        vec![first(), error(500, "internal_server_error")],
        vec![(200, json!({"object": "list", "data": []}))],
        vec![(404, json!({"message": "Not Found"}))],
        vec![(
            404,
            json!({"statusCode": 404, "name": "not_found", "message": "The requested endpoint does not exist"}),
        )],
        vec![error(401, "restricted_api_key")],
        vec![page(vec![shown(1, TO, None)], false), error(500, "application_error")],
    ];
    let mut unnamed = shown(1, TO, None);
    unnamed["id"] = "../domains".into();
    answers.push(vec![page(vec![unnamed], false)]);
    for answers in answers {
        let finding = found(answers.clone()).await;
        assert!(finding.is_err(), "{answers:?}: {finding:?}");
    }
}

#[tokio::test]
async fn send_key_with_another_payload_is_taken() {
    assert_eq!(answered(409, "invalid_idempotent_request").await, "taken");
}

#[tokio::test]
async fn send_key_in_use_is_not_done() {
    assert_eq!(answered(409, "concurrent_idempotent_requests").await, "not done");
}

#[tokio::test]
async fn send_wrong_credentials_are_not_done() {
    assert_eq!(answered(401, "missing_api_key").await, "not done");
    assert_eq!(answered(403, "invalid_api_key").await, "not done");
    for (status, name) in [(401, "validation_error"), (400, "validation_error"), (403, "invalid_api_key")] {
        let wrong = (status, json!({"statusCode": status, "name": name, "message": "API key is invalid"}));
        assert_eq!(word(&desk(vec![wrong]).attempt(&mail(TO)).await), "not done", "{status} {name}");
    }
}

#[tokio::test]
async fn send_limits_are_unclear() {
    for name in ["rate_limit_exceeded", "daily_quota_exceeded", "monthly_quota_exceeded"] {
        assert_eq!(answered(429, name).await, "unclear", "{name}");
    }
}

#[tokio::test]
async fn send_refusals_speak_for_their_attempt() {
    let refusals = [
        (422, "validation_error"),
        (422, "missing_required_field"),
        (422, "invalid_from_address"),
        (403, "validation_error"),
        (400, "validation_error"),
        (400, "invalid_idempotency_key"),
        (404, "not_found"),
    ];
    for (status, name) in refusals {
        assert_eq!(answered(status, name).await, "refused", "{status} {name}");
    }
}

#[tokio::test]
async fn send_other_answers_are_not_guessed() {
    let answers = [
        (500, "application_error"),
        (500, "internal_server_error"),
        (503, "internal_server_error"),
        (451, "security_error"),
        (409, "conflict"),
    ];
    for (status, name) in answers {
        assert_eq!(answered(status, name).await, "unclear", "{status} {name}");
    }
    let foreign = desk(vec![]);
    let mut page = response(403, &json!(null));
    page.body = b"error code: 1010".to_vec();
    foreign.script().push(Ok(page));
    assert_eq!(word(&foreign.attempt(&mail(TO)).await), "unclear", "not in Resend's envelope");
}

#[tokio::test]
async fn send_answer_about_something_else_is_unread() {
    let answers = [
        json!({"object": "contact", "id": id(1)}),
        json!({"id": "string"}),
        json!({"data": [{"id": id(1)}]}),
        json!({}),
    ];
    for answer in answers {
        assert_eq!(word(&desk(vec![(200, answer.clone())]).attempt(&mail(TO)).await), "unclear", "{answer}");
    }
}

#[test]
fn send_last_event_is_its_fate() {
    let fate = |event: &str| {
        MailReceipt { id: id(1), last_event: Some(event.to_owned()), scheduled_at: None }
            .fate()
            .map(|(_, failed)| failed)
    };
    for event in ["bounced", "failed", "suppressed", "canceled"] {
        assert_eq!(fate(event), Some(true), "{event}");
    }
    for event in ["queued", "scheduled", "sent", "delivered", "delivery_delayed", "opened", "clicked", "complained"] {
        assert_eq!(fate(event), Some(false), "{event}");
    }
    assert_eq!(
        MailReceipt { id: id(1), last_event: None, scheduled_at: None }.fate(),
        None,
        "an answer says nothing of it"
    );
}

#[tokio::test]
async fn send_webhook_carries_the_mark() {
    // What a webhook names is read and compared; that it carries the mark is the tag that was sent.
    let told = SendCell::SPEC.queries().find(|query| query.told).expect("a webhook");
    assert_eq!(told.absence, hapax_core::capability::Absence::Nothing);
    let desk = desk(vec![(200, json!({"id": id(1)})), (200, shown(1, TO, None))]);
    desk.attempt(&mail(TO)).await;
    assert_eq!(body_of(&desk.request(0))["tags"], json!([{"name": "hapax", "value": desk.mark()}]));
    assert!(matches!(desk.fetch(&mail(TO), &id(1)).await, Ok(Some(receipt)) if receipt.id == id(1)));
}

#[tokio::test]
async fn send_fetch_reads_what_is_named() {
    let by_hand = desk(vec![(200, shown(1, TO, None))]);
    assert!(matches!(by_hand.fetch(&mail(TO), &id(1)).await, Ok(Some(receipt)) if receipt.id == id(1)));
    let other_people = desk(vec![(200, shown(1, "else@example.org", None))]);
    assert_eq!(other_people.fetch(&mail(TO), &id(1)).await, Err(Fault::Echo("to".to_owned())));
    let mut subject = shown(1, TO, None);
    subject["subject"] = "Another one".into();
    assert_eq!(desk(vec![(200, subject)]).fetch(&mail(TO), &id(1)).await, Err(Fault::Echo("subject".to_owned())));
    let gone = (404, json!({"statusCode": 404, "name": "not_found", "message": "Email not found"}));
    assert_eq!(desk(vec![gone]).fetch(&mail(TO), &id(1)).await, Ok(None));
    assert!(desk(vec![]).fetch(&mail(TO), "../domains").await.is_err(), "never part of a path");
}

#[test]
fn send_checks_its_arguments() {
    let ok = mail(TO);
    assert_eq!(ok.check(), Ok(()));
    let says = |mail: Mail, field: &str| {
        let said = mail.check().expect_err(field);
        assert!(said.starts_with(field), "{said}");
    };
    says(Mail { to: vec![], ..ok.clone() }, "to:");
    says(Mail { to: vec![mailbox(TO); 51], ..ok.clone() }, "to:");
    says(
        Mail { from: Mailbox::named("a@example.org".parse().expect("an address"), "a\r\nBcc: x"), ..ok.clone() },
        "name:",
    );
    says(Mail { subject: Some("a\nb".to_owned()), ..ok.clone() }, "subject:");
    says(Mail { subject: None, ..ok.clone() }, "subject:");
    says(Mail { text: None, ..ok.clone() }, "text, html:");
    let template = Some(Template { id: "invoice".to_owned(), variables: [].into() });
    says(Mail { template: template.clone(), ..ok.clone() }, "template:");
    assert_eq!(Mail { template, text: None, subject: None, ..ok.clone() }.check(), Ok(()));
    let headers =
        |name: &str, value: &str| Mail { headers: [(name.to_owned(), value.to_owned())].into(), ..ok.clone() };
    says(headers("X Order", "1"), "headers:");
    says(headers("X-Order", "1\r\nBcc: x@example.org"), "headers:");
    let tags = |name: &str, value: &str| Mail { tags: [(name.to_owned(), value.to_owned())].into(), ..ok.clone() };
    says(tags("hapax", "mine"), "tags:");
    says(tags("a b", "c"), "tags:");
    says(tags("a", "é"), "tags:");
    says(tags("a", &"x".repeat(257)), "tags:");
    let many =
        |count: u32| Mail { tags: (0..count).map(|tag| (format!("t{tag}"), "x".to_owned())).collect(), ..ok.clone() };
    assert_eq!(many(74).check(), Ok(()));
    says(many(75), "tags:");
    let file = |content: &str| Attachment {
        filename: "a.txt".to_owned(),
        content: content.to_owned(),
        content_type: None,
        content_id: None,
    };
    says(Mail { attachments: vec![file("no base64")], ..ok.clone() }, "attachments[0].content:");
    says(Mail { attachments: vec![file(&"AAAA".repeat(10_000_001))], ..ok.clone() }, "attachments: 40 MB");
    let soon = Some("2023-11-15T00:00:00Z".parse().expect("a time"));
    says(Mail { attachments: vec![file("aGFwYXg=")], scheduled_at: soon, ..ok }, "scheduled_at:");
}

#[test]
fn send_mails_are_never_shown() {
    let mut asked = mail("secret-person@example.org");
    asked.attachments.push(Attachment {
        filename: "secret-name.pdf".to_owned(),
        content: "c2VjcmV0".to_owned(),
        content_type: None,
        content_id: None,
    });
    let shown = format!("{asked:?} {:?} {:?} {:?}", asked.to, asked.attachments, Variable::Text("secret".to_owned()));
    assert!(!shown.contains("secret") && !shown.contains("Invoice") && !shown.contains("due"), "{shown}");
}

use crate::Mailbox;
