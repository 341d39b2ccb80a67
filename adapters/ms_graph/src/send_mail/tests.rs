use hapax_core::cell::{CellArgs, Step};
use hapax_core::testing::{Desk, body_of, word};
use hapax_core::words::{Fault, Finding};
use serde_json::{Value, json};

use crate::testing::{error, losing, properties, scripted, unclear};
use crate::wire::key_property;
use crate::{Attachment, Mailbox, SendMail};

const CELL: &str = "ms_graph.send_mail";
const DRAFT: &str = "AAkALgDraft=";

fn args() -> SendMail {
    SendMail::to(Mailbox::named("jane@example.com".parse().expect("an address"), "Jané"), "Grüße", "It is due.")
}

fn desk(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    scripted(CELL, answers)
}

fn noted(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    desk(answers).noting("draft", DRAFT)
}

/// A mail as Graph shows it.
fn mail(id: &str, is_draft: bool, to: &str, mark: &str) -> (u16, Value) {
    let people = json!([{ "emailAddress": { "name": "Jané", "address": to } }]);
    let folder = if is_draft { "drafts" } else { "sentitems" };
    let shown = json!({
        "id": id, "isDraft": is_draft, "parentFolderId": folder, "toRecipients": people, "ccRecipients": [],
        "subject": "Grüße", "bccRecipients": [],
        "singleValueExtendedProperties": properties(mark, None),
    });
    (200, shown)
}

fn draft() -> (u16, Value) {
    mail(DRAFT, true, "jane@example.com", &mark())
}

fn sent(id: &str) -> (u16, Value) {
    mail(id, false, "Jane@Example.com", &mark())
}

fn list(ids: &[&str], next: Option<&str>) -> (u16, Value) {
    let value: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    let mut list = json!({ "value": value });
    if let Some(next) = next {
        list["@odata.nextLink"] = next.into();
    }
    (200, list)
}

fn gone() -> (u16, Value) {
    error(404, "ErrorItemNotFound")
}

fn mark() -> String {
    desk([]).mark()
}

async fn check(answer: (u16, Value), expected: &str) {
    assert_eq!(word(&noted([answer.clone()]).attempt(&args()).await), expected, "{answer:?}");
}

/// A desk that is answered with just this status.
fn answered(status: u16, headers: &[(&str, &str)]) -> Desk {
    let desk = noted([]);
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    desk.script().push(Ok(hapax_core::transport::Response { status, headers, body: Vec::new() }));
    desk
}

#[tokio::test]
async fn send_mail_creates_a_draft_then_notes_it() {
    let (_, shown) = draft();
    let desk = desk([(201, shown)]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note("draft", DRAFT.to_owned())));
    assert_eq!(desk.asked(), ["POST /v1.0/me/messages"]);
    let request = desk.request(0);
    assert_eq!(request.headers, [("Prefer".to_owned(), "IdType=\"ImmutableId\"".to_owned())]);
    let body = body_of(&request);
    assert_eq!(body["singleValueExtendedProperties"], json!([{ "id": key_property(), "value": mark() }]));
    assert_eq!(body["body"], json!({ "contentType": "text", "content": "It is due." }));
    let jane = json!([{ "emailAddress": { "address": "jane@example.com", "name": "Jané" } }]);
    assert_eq!((&body["toRecipients"], &body["subject"]), (&jane, &json!("Grüße")));
    assert_eq!(noted([]).prepare(&args()).await, Ok(Step::Ready));
}

#[tokio::test]
async fn send_mail_draft_that_is_refused_refuses() {
    for answer in [error(400, "ErrorInvalidRequest"), error(403, "ErrorAccessDenied"), error(413, "TooLarge")] {
        let Ok(Step::Refused(refusal)) = desk([answer]).prepare(&args()).await else { panic!("refused") };
        assert_eq!(refusal.message, "words about ...");
    }
    for answer in [error(429, "ApplicationThrottled"), error(503, "ErrorServerBusy"), (502, json!("a gateway"))] {
        assert!(matches!(desk([answer]).prepare(&args()).await, Err(Fault::Status(..))));
    }
}

#[tokio::test]
async fn send_mail_draft_that_is_none_is_not_used() {
    let (_, no_draft) = sent(DRAFT);
    let (_, nameless) = mail("../x", true, "jane@example.com", &mark());
    for shown in [no_draft, nameless] {
        assert!(matches!(desk([(201, shown)]).prepare(&args()).await, Err(Fault::Unread(_))));
    }
}

#[tokio::test]
async fn send_mail_sends_the_noted_draft() {
    let desk = answered(202, &[]);
    let answer = desk.attempt(&args()).await;
    assert_eq!(word(&answer), "happened");
    assert!(format!("{answer:?}").contains(DRAFT), "{answer:?}");
    assert_eq!(desk.asked(), [format!("POST /v1.0/me/messages/{DRAFT}/send")]);
    assert_eq!(desk.request(0).encoded(), None);
    assert_eq!(word(&self::desk([]).attempt(&args()).await), "not done");
}

#[tokio::test]
async fn send_mail_accepted_with_retry_after_is_accepted() {
    assert_eq!(word(&answered(202, &[("retry-after", "30")]).attempt(&args()).await), "happened");
}

#[tokio::test]
async fn send_mail_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).noting("draft", DRAFT).attempt(&args()).await), "unclear");
    let desk = noted([sent(DRAFT), list(&[DRAFT], None), sent(DRAFT)]);
    let Ok(Finding::Happened(receipt)) = desk.find(&args()).await else { panic!("found") };
    assert_eq!(receipt.id, DRAFT);
    assert!(desk.asked()[0].starts_with(&format!("GET /v1.0/me/messages/{DRAFT}?%24expand=")), "{:?}", desk.asked());
}

#[tokio::test]
async fn send_mail_request_lost_before_effect() {
    let desk = noted([draft(), list(&[DRAFT], None), draft()]);
    assert_eq!(desk.find(&args()).await, Ok(Finding::Absent), "a draft with our mark was not sent");
    assert_eq!(self::desk([list(&[], None)]).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn send_mail_gone_and_unfound_is_not_yet() {
    assert!(matches!(noted([gone(), list(&[], None)]).find(&args()).await, Ok(Finding::NotYet(_))));
}

#[tokio::test]
async fn send_mail_found_by_mark_where_the_id_is_gone() {
    let desk = noted([gone(), list(&["AAkOther="], None), sent("AAkOther=")]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(receipt)) if receipt.id == "AAkOther="));
    let filter = desk.request(1).query[0].1.clone();
    let expected = format!("ep/id eq '{}' and ep/value eq '{}'", key_property(), mark());
    assert!(filter.contains(&expected), "{filter}");
    let desk = noted([draft(), list(&["AAkOther="], None), sent("AAkOther=")]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(_))), "of a draft that the ledger forgot");
}

#[tokio::test]
async fn send_mail_without_the_right_to_read_cannot_tell() {
    assert!(noted([error(403, "ErrorAccessDenied")]).find(&args()).await.is_err());
    assert!(noted([draft(), error(403, "ErrorAccessDenied")]).find(&args()).await.is_err());
}

#[tokio::test]
async fn send_mail_no_draft_any_more_is_taken() {
    check(gone(), "taken").await;
    check(error(400, "ErrorInvalidRequest"), "taken").await;
}

#[tokio::test]
async fn send_mail_wrong_recipient_is_refused() {
    check(error(400, "ErrorInvalidRecipients"), "refused").await;
    check(error(403, "ErrorSendAsDenied"), "refused").await;
}

#[tokio::test]
async fn send_mail_limits_and_timeouts_are_unclear() {
    for answer in unclear() {
        check(answer, "unclear").await;
    }
}

#[tokio::test]
async fn send_mail_credentials_are_not_done() {
    check(error(401, "InvalidAuthenticationToken"), "not done").await;
}

#[tokio::test]
async fn send_mail_other_answers_are_not_guessed() {
    check((200, json!({ "id": DRAFT })), "unclear").await;
    check((202, json!({ "id": DRAFT })), "unclear").await;
    check((401, json!("a proxy")), "unclear").await;
    assert_eq!(word(&answered(204, &[]).attempt(&args()).await), "unclear");
}

#[tokio::test]
async fn send_mail_looks_on_the_last_page() {
    let next = "https://graph.microsoft.com/v1.0/me/messages?$filter=x%20y&$skiptoken=2";
    let desk = noted([gone(), list(&[], Some(next)), list(&["AAkOther="], None), sent("AAkOther=")]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(_))));
    assert_eq!(desk.asked()[2], "GET /v1.0/me/messages?%24filter=x+y&%24skiptoken=2");
}

#[tokio::test]
async fn send_mail_failed_page_is_no_absence() {
    for bad in [error(500, "ErrorInternalServerError"), (200, json!({})), (404, json!({ "message": "Not Found" }))] {
        assert!(noted([draft(), bad]).find(&args()).await.is_err());
    }
    assert!(noted([draft(), list(&["AAk1="], None), (200, json!({ "id": "AAk1=" }))]).find(&args()).await.is_err());
    for other in [sent("AAkOther="), mail("AAkOther=", true, "jane@example.com", &mark())] {
        assert!(noted([other, list(&[], None)]).find(&args()).await.is_err(), "not the mail that was asked for");
    }
    let (status, list) = list(&[], Some("https://graph.microsoft.com/v1.0/me/messages"));
    assert!(noted([draft(), (status, list)]).find(&args()).await.is_err(), "a next page that is nowhere");
}

#[tokio::test]
async fn send_mail_filter_that_is_ignored_is_no_finding() {
    let ids: Vec<String> = (0..21).map(|number| format!("AAk{number}=")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert!(matches!(noted([draft(), list(&ids, None)]).find(&args()).await, Err(Fault::Unread(_))));
}

#[tokio::test]
async fn send_mail_other_case_is_not_our_mark() {
    let other = mail("AAk1=", false, "jane@example.com", &mark().to_uppercase());
    assert_eq!(noted([draft(), list(&["AAk1="], None), other]).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn send_mail_mark_on_a_mail_to_others_is_an_echo_fault() {
    let to_eve = |id: &str| mail(id, false, "eve@example.com", &mark());
    let echo = Err(Fault::Echo("recipients".to_owned()));
    assert_eq!(noted([to_eve(DRAFT), list(&[], None)]).find(&args()).await, echo);
    assert_eq!(noted([gone(), list(&["AAk1="], None), to_eve("AAk1=")]).find(&args()).await, echo);
}

#[tokio::test]
async fn send_mail_edited_draft_is_an_echo_fault() {
    let people = |addresses: &[&str]| -> Value {
        addresses.iter().map(|address| json!({ "emailAddress": { "address": address } })).collect()
    };
    let shown = |name: &str, value: Value| {
        let (status, mut mail) = sent(DRAFT);
        mail[name] = value;
        noted([(status, mail), list(&[], None)])
    };
    for (name, value, differs) in [
        ("toRecipients", people(&["jane@example.com", "eve@example.com"]), "recipients"),
        ("toRecipients", people(&[]), "recipients"),
        ("ccRecipients", people(&["eve@example.com"]), "recipients"),
        ("bccRecipients", people(&["eve@example.com"]), "recipients"),
        ("subject", json!("Grüße an alle"), "subject"),
        ("subject", Value::Null, "subject"),
    ] {
        assert_eq!(shown(name, value).find(&args()).await, Err(Fault::Echo(differs.to_owned())), "{name}");
    }
    let hidden = SendMail { bcc: args().to, to: Vec::new(), ..args() };
    let found = |bcc: Value| {
        let (status, mut mail) = sent(DRAFT);
        (mail["toRecipients"], mail["bccRecipients"]) = (json!([]), bcc);
        noted([(status, mail), list(&[], None)])
    };
    for bcc in [people(&["JANE@example.com"]), people(&[])] {
        assert!(matches!(found(bcc).find(&hidden).await, Ok(Finding::Happened(_))), "they need not be shown");
    }
    assert!(found(people(&["eve@example.com"])).find(&hidden).await.is_err());
}

#[tokio::test]
async fn send_mail_two_with_our_mark_are_several() {
    let desk = noted([gone(), list(&["AAk1=", "AAk2="], None), sent("AAk1="), sent("AAk2=")]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(_))));
    let desk = noted([sent(DRAFT), list(&["AAk2="], None), sent("AAk2=")]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(_))), "the noted draft and another one");
}

#[tokio::test]
async fn send_mail_deletes_the_draft_of_the_epoch_before() {
    let former = |answers: Vec<(u16, Value)>| desk(answers).superseding("draft", DRAFT);
    let made = mail("AAkNew=", true, "jane@example.com", &mark());
    let desk = former(vec![draft(), (204, Value::Null), gone(), made.clone()]);
    assert_eq!(desk.prepare(&args()).await, Ok(Step::Note("draft", "AAkNew=".to_owned())));
    assert_eq!(desk.asked()[1], format!("DELETE /v1.0/me/messages/{DRAFT}"));
    let (_, mut moved) = draft();
    moved["parentFolderId"] = "deleteditems".into();
    assert!(former(vec![draft(), (204, Value::Null), (200, moved), made]).prepare(&args()).await.is_ok());
    let stays = former(vec![draft(), error(403, "ErrorAccessDenied"), draft()]);
    assert!(matches!(stays.prepare(&args()).await, Err(Fault::Unread(_))), "nothing new while the old one can be sent");
    let went = former(vec![sent(DRAFT)]);
    assert!(matches!(went.prepare(&args()).await, Err(Fault::Unread(_))));
    assert_eq!(went.asked().len(), 1, "a mail that has gone is not deleted");
}

#[tokio::test]
async fn send_mail_persons_receipt_is_read_and_compared() {
    assert!(desk([sent("AAk1=")]).fetch(&args(), "AAk1=").await.expect("read").is_some());
    let eve = mail("AAk1=", false, "eve@example.com", "");
    assert!(matches!(desk([eve]).fetch(&args(), "AAk1=").await, Err(Fault::Echo(_))));
    // An equal mail of another operation is that one's; one by hand has no mark.
    let anothers = mail("AAk1=", false, "jane@example.com", "another");
    assert_eq!(desk([anothers]).fetch(&args(), "AAk1=").await, Err(Fault::Echo("mark".to_owned())));
    let (status, mut by_hand) = sent("AAk1=");
    by_hand["singleValueExtendedProperties"] = json!([]);
    assert!(desk([(status, by_hand.clone())]).fetch(&args(), "AAk1=").await.expect("read").is_some());
    by_hand["subject"] = "Hello".into();
    assert_eq!(desk([(status, by_hand)]).fetch(&args(), "AAk1=").await, Err(Fault::Echo("subject".to_owned())));
    assert!(matches!(desk([draft()]).fetch(&args(), DRAFT).await, Err(Fault::Unread(_))));
    assert_eq!(desk([gone()]).fetch(&args(), "AAk1=").await, Ok(None));
    assert!(desk([]).fetch(&args(), "../x").await.is_err());
}

#[test]
fn send_mail_checks_its_arguments() {
    let check = |change: &dyn Fn(&mut SendMail), says: &str| {
        let mut mail = args();
        change(&mut mail);
        assert!(mail.check().expect_err(says).starts_with(says), "{:?}", mail.check());
    };
    let file = |name: &str, kind: &str, content: &str| {
        vec![Attachment { filename: name.into(), content_type: kind.into(), content: content.into() }]
    };
    check(&|mail| mail.to.clear(), "to, cc, bcc: name");
    check(&|mail| mail.to = vec![mail.to[0].clone(); 501], "to, cc, bcc: 500");
    check(&|mail| mail.subject = "a\r\nBcc: eve@example.com".into(), "subject");
    check(&|mail| mail.to[0].name = Some("a\nb".into()), "name");
    check(&|mail| mail.html = Some("<p>".into()), "text, html");
    check(&|mail| mail.text = None, "text, html");
    check(&|mail| mail.attachments = file("", "a/b", "AAAA"), "attachments[0].filename");
    check(&|mail| mail.attachments = file("a", "pdf", "AAAA"), "attachments[0].content_type");
    check(&|mail| mail.attachments = file("a", "a/b", "no base64"), "attachments[0].content");
    check(&|mail| mail.attachments = file("a", "a/b", &"AAAA".repeat(1024 * 1024)), "attachments: together");
    assert_eq!(args().check(), Ok(()));
}
