use hapax_core::cell::CellArgs;
use hapax_core::testing::{Desk, body_of, response, word};
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{error, losing, mail, mailbox, scripted};
use crate::{Attachment, Template};

const CELL: &str = "sendgrid.send";
const ID: &str = "LfcLDJTPQ-Ws9YtTdVF4gQ";

fn accepted(id: Option<&str>) -> Response {
    let mut response = response(202, &Value::Null);
    response.headers.extend(id.map(|id| ("X-Message-Id".to_owned(), id.to_owned())));
    response
}

fn accepting(response: Response) -> Desk {
    let desk = scripted(CELL, []);
    desk.script().push(Ok(response));
    desk
}

fn mark() -> String {
    scripted(CELL, []).mark()
}

fn message(id: &str, to: &str, status: &str) -> Value {
    json!({ "from_email": "shop@example.org", "msg_id": id, "subject": "x", "to_email": to, "status": status })
}

fn list(messages: &[Value]) -> (u16, Value) {
    (200, json!({ "messages": messages }))
}

fn whole(mark: &str) -> (u16, Value) {
    (200, json!({ "msg_id": "x", "unique_args": json!({ "hapax": mark, "order": "1042" }).to_string() }))
}

fn first(number: usize) -> String {
    format!("{ID}.recvd-57dd-1-67A-{number}.0")
}

#[tokio::test]
async fn send_sends_what_was_asked() {
    let desk = accepting(accepted(Some(ID)));
    let mut asked = mail("jane@example.org");
    asked.cc = vec![crate::Mailbox::named("kim@example.org".parse().expect("an address"), "Doe, Kim")];
    asked.html = Some("<p>It is due.</p>".to_owned());
    asked.custom_args.insert("order".to_owned(), "1042".to_owned());
    asked.send_at = Some("2023-11-15T00:00:00Z".parse().expect("a time"));
    asked.batch_id = Some("b1".to_owned());
    asked.attachments = vec![Attachment {
        filename: "účet.pdf".to_owned(),
        content_type: "application/pdf".to_owned(),
        content: "aGFwYXg=".to_owned(),
        content_id: None,
    }];
    let answer = desk.attempt(&asked).await;
    assert!(matches!(&answer, Answer::Happened(receipt) if receipt.id == ID), "{answer:?}");
    assert_eq!(desk.asked(), ["POST /v3/mail/send"]);
    let request = desk.last();
    assert!(!request.headers.iter().any(|(name, _)| name.to_ascii_lowercase().contains("idempotency")));
    let expected = json!({
        "personalizations": [{
            "to": [{ "email": "jane@example.org" }],
            "cc": [{ "email": "kim@example.org", "name": "Doe, Kim" }],
            "custom_args": { "order": "1042", "hapax": mark() },
        }],
        "from": { "email": "shop@example.org" },
        "subject": "Invoice 1042",
        "content": [
            { "type": "text/plain", "value": "It is due." },
            { "type": "text/html", "value": "<p>It is due.</p>" },
        ],
        "attachments": [{
            "content": "aGFwYXg=", "filename": "účet.pdf", "type": "application/pdf", "disposition": "attachment",
        }],
        "send_at": 1_700_006_400,
        "batch_id": "b1",
    });
    assert_eq!(body_of(&request), expected);
}

#[tokio::test]
async fn send_repeats_the_same_words() {
    let bytes = |_| async {
        let desk = accepting(accepted(Some(ID)));
        desk.attempt(&mail("jane@example.org")).await;
        desk.last().encoded().expect("a body").1
    };
    assert_eq!(bytes(1).await, bytes(2).await);
}

#[tokio::test]
async fn send_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&mail("jane@example.org")).await), "unclear");
    let desk = scripted(CELL, [list(&[message(&first(0), "jane@example.org", "processed")]), whole(&mark())]);
    let finding = desk.find(&mail("jane@example.org")).await;
    assert!(matches!(&finding, Ok(Finding::Happened(receipt)) if receipt.id == ID), "{finding:?}");
    let asked = desk.request(0);
    let query = ("query".to_owned(), format!("(unique_args['hapax']=\"{}\")", mark()));
    assert!(asked.query.contains(&query), "{:?}", asked.query);
    assert_eq!(desk.asked()[1], format!("GET /v3/messages/{}", first(0)));
}

#[tokio::test]
async fn send_absent_is_only_suggested() {
    assert_eq!(scripted(CELL, [list(&[])]).find(&mail("jane@example.org")).await, Ok(Finding::Absent));
    let asked: Vec<_> = SPEC.queries().filter(|query| !query.told).map(|query| query.absence).collect();
    assert_eq!(asked, [hapax_core::capability::Absence::Suggests]);
}

#[tokio::test]
async fn send_scheduled_is_not_absent_before_it_leaves() {
    let now = jiff::Timestamp::now().as_second();
    let at = |seconds: i64| {
        let mut asked = mail("jane@example.org");
        asked.send_at = Some(jiff::Timestamp::from_second(now + seconds).expect("a time"));
        asked
    };
    for (seconds, is_absent) in [(3_600, false), (-300, false), (-900, true)] {
        let finding = scripted(CELL, [list(&[])]).find(&at(seconds)).await.expect("a finding");
        assert_eq!(finding == Finding::Absent, is_absent, "{seconds}: {finding:?}");
        assert!(is_absent || matches!(finding, Finding::CannotTell(_)), "{finding:?}");
    }
}

#[tokio::test]
async fn send_one_mail_to_several_people_is_one() {
    let messages =
        [message(&first(0), "jane@example.org", "delivered"), message(&first(1), "kim@example.org", "processed")];
    let desk = scripted(CELL, [list(&messages), whole(&mark())]);
    let finding = desk.find(&mail("jane@example.org")).await;
    assert!(matches!(&finding, Ok(Finding::Happened(receipt)) if receipt.id == ID), "{finding:?}");
}

#[tokio::test]
async fn send_two_with_our_mark_are_several() {
    let messages =
        [message(&first(0), "jane@example.org", "delivered"), message("other.1", "jane@example.org", "processed")];
    let desk = scripted(CELL, [list(&messages), whole(&mark()), whole(&mark())]);
    assert!(matches!(desk.find(&mail("jane@example.org")).await, Ok(Finding::Several(both)) if both.len() == 2));
}

#[tokio::test]
async fn send_what_is_found_is_read_and_compared() {
    let listed = || list(&[message(&first(0), "jane@example.org", "delivered")]);
    let desk = scripted(CELL, [listed(), whole("another")]);
    assert_eq!(desk.find(&mail("jane@example.org")).await, Ok(Finding::Absent));
    for unreadable in
        [(404, error(404).1), (200, json!({ "unique_args": null })), (200, json!({ "unique_args": "Null" }))]
    {
        let finding = scripted(CELL, [listed(), unreadable]).find(&mail("jane@example.org")).await;
        assert!(finding.is_err(), "{finding:?}");
    }
    let finding = scripted(CELL, [list(&[message("../scopes", "jane@example.org", "delivered")])]);
    assert!(finding.find(&mail("jane@example.org")).await.is_err(), "an id that is none is no path");
}

#[tokio::test]
async fn send_failed_look_is_no_absence() {
    let full: Vec<Value> = (0..1000).map(|_| message("a.1", "jane@example.org", "processed")).collect();
    for answer in [error(429), error(404), error(500), (200, json!({})), (200, json!([])), list(&full)] {
        let status = answer.0;
        let finding = scripted(CELL, [answer]).find(&mail("jane@example.org")).await;
        assert!(finding.is_err(), "{status}: {finding:?}");
    }
}

#[tokio::test]
async fn send_refusals_speak_for_their_attempt() {
    for status in [400, 403, 413] {
        assert_eq!(word(&scripted(CELL, [error(status)]).attempt(&mail("jane@example.org")).await), "refused");
    }
}

#[tokio::test]
async fn send_wrong_credentials_are_not_done() {
    assert_eq!(word(&scripted(CELL, [error(401)]).attempt(&mail("jane@example.org")).await), "not done");
}

#[tokio::test]
async fn send_other_answers_are_not_guessed() {
    let page = (400, json!({ "message": "bad gateway" }));
    for answer in [error(429), error(500), error(503), error(409), page] {
        assert_eq!(word(&scripted(CELL, [answer]).attempt(&mail("jane@example.org")).await), "unclear");
    }
}

#[tokio::test]
async fn send_answer_that_names_no_request_is_unread() {
    let mut with_body = response(202, &json!({ "ok": true }));
    with_body.headers.push(("X-Message-Id".to_owned(), ID.to_owned()));
    let mut another_success = accepted(Some(ID));
    another_success.status = 200;
    for answer in [accepted(None), accepted(Some("")), accepted(Some("no id")), with_body, another_success] {
        assert_eq!(word(&accepting(answer).attempt(&mail("jane@example.org")).await), "unclear");
    }
}

#[test]
fn send_fate_is_that_of_all_recipients() {
    let read = |statuses: &[&str]| {
        let messages: Vec<Message> = statuses
            .iter()
            .map(|status| serde_json::from_value(message("a.1", "jane@example.org", status)).expect("a message"))
            .collect();
        receipt("a".to_owned(), &messages).fate().expect("a fate")
    };
    assert_eq!(read(&["delivered", "not_delivered", "processed"]), ("not_delivered".to_owned(), true));
    assert_eq!(read(&["delivered", "processed"]), ("processed".to_owned(), false));
    assert_eq!(read(&["delivered"]), ("delivered".to_owned(), false));
}

#[tokio::test]
async fn send_fetch_reads_what_is_named() {
    let asked = mail("jane@example.org");
    let listed = || list(&[message(&first(0), "Jane@example.org", "delivered")]);
    let desk = scripted(CELL, [listed(), whole(&mark())]);
    let read = desk.fetch(&asked, &first(0)).await.expect("it is read").expect("it is there");
    assert_eq!(read.id, ID);
    assert!(desk.request(0).query.contains(&("query".to_owned(), format!("msg_id LIKE '{ID}%'"))));
    assert!(matches!(scripted(CELL, [list(&[])]).fetch(&asked, ID).await, Ok(None)));
    assert!(scripted(CELL, [listed(), whole("another")]).fetch(&asked, ID).await.is_err());
    let to_others = list(&[message(&first(0), "kim@example.org", "delivered")]);
    assert!(scripted(CELL, [to_others]).fetch(&asked, ID).await.is_err());
    assert!(scripted(CELL, []).fetch(&asked, "x%' OR '1").await.is_err(), "an id that is none is no query");
}

#[test]
fn send_checks_its_arguments() {
    let refused = |change: &dyn Fn(&mut Mail)| {
        let mut asked = mail("jane@example.org");
        change(&mut asked);
        asked.check().expect_err("it is refused")
    };
    assert_eq!(mail("jane@example.org").check(), Ok(()));
    let whole_second = || Some("2023-11-15T00:00:00Z".parse().expect("a time"));
    let mut scheduled = mail("jane@example.org");
    (scheduled.send_at, scheduled.batch_id) = (whole_second(), Some("b1".to_owned()));
    assert_eq!(scheduled.check(), Ok(()));
    assert!(refused(&|mail| mail.to.clear()).starts_with("to:"));
    assert!(refused(&|mail| mail.cc = vec![mailbox("JANE@example.org")]).starts_with("to, cc, bcc:"));
    assert!(refused(&|mail| mail.from.name = Some("a\r\nBcc: x".to_owned())).starts_with("name:"));
    assert!(refused(&|mail| mail.subject = None).starts_with("subject:"));
    assert!(refused(&|mail| mail.subject = Some("a\nb".to_owned())).starts_with("subject:"));
    assert!(refused(&|mail| mail.text = None).starts_with("text, html:"));
    assert!(refused(&|mail| mail.text = Some(String::new())).starts_with("text, html:"));
    let template = |id: &str| Some(Template { id: id.to_owned(), data: serde_json::Map::new() });
    assert!(refused(&|mail| mail.template = template("d-1")).starts_with("template:"));
    assert!(refused(&|mail| (mail.text, mail.template) = (None, template("1"))).starts_with("template.id:"));
    assert!(refused(&|mail| drop(mail.headers.insert("BCC".to_owned(), "x".to_owned()))).starts_with("headers:"));
    assert!(refused(&|mail| drop(mail.headers.insert("X-A".to_owned(), "a\nb".to_owned()))).starts_with("headers:"));
    assert!(
        refused(&|mail| drop(mail.custom_args.insert("hapax".to_owned(), "x".to_owned()))).starts_with("custom_args:")
    );
    assert!(
        refused(&|mail| drop(mail.custom_args.insert("a".to_owned(), "x".repeat(9_990)))).starts_with("custom_args:")
    );
    assert!(refused(&|mail| mail.categories = vec!["a".to_owned(); 11]).starts_with("categories:"));
    assert!(refused(&|mail| mail.batch_id = Some("b1".to_owned())).starts_with("batch_id:"));
    assert!(
        refused(&|mail| (mail.batch_id, mail.send_at) = (Some("b/1".to_owned()), whole_second()))
            .starts_with("batch_id:")
    );
    let half = "2023-11-15T00:00:00.5Z".parse().expect("a time");
    assert!(refused(&|mail| mail.send_at = Some(half)).starts_with("send_at:"));
    let file = |filename: &str, content_type: &str, content: &str| Attachment {
        filename: filename.to_owned(),
        content_type: content_type.to_owned(),
        content: content.to_owned(),
        content_id: None,
    };
    for bad in [file("", "a/b", "aGFwYXg="), file("a", "pdf", "aGFwYXg="), file("a", "a/b", "?")] {
        assert!(refused(&|mail| mail.attachments = vec![bad.clone()]).starts_with("attachments[0]."));
    }
}

#[test]
fn send_mails_are_never_shown() {
    let mut asked = mail("jane@example.org");
    asked.template = Some(Template { id: "d-1".to_owned(), data: serde_json::Map::new() });
    let shown = format!("{asked:?} {:?}", asked.template);
    assert!(!shown.contains("jane") && !shown.contains("Invoice") && !shown.contains("due"), "{shown}");
}
