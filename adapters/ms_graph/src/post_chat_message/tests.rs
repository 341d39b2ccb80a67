use hapax_core::cell::CellArgs;
use hapax_core::testing::{Desk, body_of, word};
use hapax_core::words::{Fault, Finding};
use serde_json::{Value, json};

use super::PostChatMessage;
use crate::testing::{error, losing, scripted, unclear};

const CELL: &str = "ms_graph.post_chat_message";
const CHAT: &str = "19:2da4@thread.v2";

fn args() -> PostChatMessage {
    PostChatMessage::text(CHAT, "Deploy <7> is done.")
}

fn desk(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    scripted(CELL, answers)
}

fn mark() -> String {
    desk([]).mark()
}

/// A message as Graph shows it.
fn message(id: &str, card: &str) -> Value {
    json!({ "id": id, "chatId": CHAT, "messageType": "message", "attachments": [{ "id": card, "contentType": "x" }] })
}

fn list(messages: &[Value], next: Option<&str>) -> (u16, Value) {
    let mut list = json!({ "value": messages });
    if let Some(next) = next {
        list["@odata.nextLink"] = next.into();
    }
    (200, list)
}

async fn check(answer: (u16, Value), expected: &str) {
    assert_eq!(word(&desk([answer.clone()]).attempt(&args()).await), expected, "{answer:?}");
}

#[tokio::test]
async fn post_chat_message_sends_what_was_asked() {
    let desk = desk([(201, message("1616991463150", &mark()))]);
    let answer = desk.attempt(&args()).await;
    assert!(word(&answer) == "happened" && format!("{answer:?}").contains("1616991463150"), "{answer:?}");
    assert_eq!(desk.asked(), [format!("POST /v1.0/chats/{CHAT}/messages")]);
    let body = body_of(&desk.request(0));
    assert_eq!(body["body"]["content"], format!("<attachment id=\"{}\"></attachment>", mark()));
    assert_eq!(body["attachments"][0]["id"], mark());
    let card: Value = serde_json::from_str(body["attachments"][0]["content"].as_str().expect("a card")).expect("JSON");
    assert_eq!(card["body"][0]["text"], "Deploy <7> is done.");
}

#[tokio::test]
async fn post_chat_message_keeps_a_card() {
    let card = json!({ "type": "AdaptiveCard", "version": "1.2", "body": [] });
    let args = PostChatMessage { card: Some(card.clone()), ..args() };
    let desk = desk([(201, message("1", &mark()))]);
    assert_eq!(word(&desk.attempt(&args).await), "happened");
    let body = body_of(&desk.request(0));
    let content = format!("<p>Deploy &lt;7&gt; is done.</p><attachment id=\"{}\"></attachment>", mark());
    assert_eq!(body["body"]["content"], content);
    let sent: Value = serde_json::from_str(body["attachments"][0]["content"].as_str().expect("a card")).expect("JSON");
    assert_eq!(sent, card);
}

#[tokio::test]
async fn post_chat_message_answer_lost_after_effect() {
    assert_eq!(word(&losing(CELL).attempt(&args()).await), "unclear");
    let system = json!({ "id": "3", "chatId": CHAT, "messageType": "systemEventMessage" });
    let ours = message("1", &mark().to_uppercase());
    let desk = desk([list(&[system, message("2", "other"), ours], None)]);
    let Ok(Finding::Happened(receipt)) = desk.find(&args()).await else { panic!("found") };
    assert_eq!(receipt.id, format!("{CHAT}/1"));
    let query: Vec<String> = desk.request(0).query.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    // Ten minutes before it began.
    let filter = "$filter=lastModifiedDateTime gt 2023-11-14T22:03:20Z";
    assert_eq!(query, ["$top=50", "$orderby=lastModifiedDateTime desc", filter]);
}

#[tokio::test]
async fn post_chat_message_request_lost_before_effect() {
    assert_eq!(desk([list(&[message("2", "other")], None)]).find(&args()).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn post_chat_message_answer_without_our_mark_is_unclear() {
    let answer = desk([(201, message("1", "other"))]).attempt(&args()).await;
    assert!(format!("{answer:?}").contains("Echo(\"attachments\")"), "{answer:?}");
}

#[tokio::test]
async fn post_chat_message_answer_about_another_chat_is_unclear() {
    let mut other = message("1", &mark());
    other["chatId"] = "19:other@thread.v2".into();
    let answer = desk([(201, other)]).attempt(&args()).await;
    assert!(format!("{answer:?}").contains("Echo(\"chatId\")"), "{answer:?}");
    check((201, message("x", &mark())), "unclear").await;
    check((201, json!([])), "unclear").await;
}

#[tokio::test]
async fn post_chat_message_is_refused() {
    for answer in [error(400, "BadRequest"), error(403, "Forbidden"), error(404, "NotFound")] {
        check(answer, "refused").await;
    }
}

#[tokio::test]
async fn post_chat_message_limits_and_timeouts_are_unclear() {
    for answer in unclear() {
        check(answer, "unclear").await;
    }
}

#[tokio::test]
async fn post_chat_message_credentials_are_not_done() {
    check(error(401, "InvalidAuthenticationToken"), "not done").await;
}

#[tokio::test]
async fn post_chat_message_looks_on_the_last_page() {
    let next = "https://graph.microsoft.com/v1.0/chats/x/messages?$top=50&$skiptoken=abc";
    let desk = desk([list(&[message("2", "other")], Some(next)), list(&[message("1", &mark())], None)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Happened(_))));
    assert_eq!(desk.asked()[1], format!("GET /v1.0/chats/{CHAT}/messages?%24top=50&%24skiptoken=abc"));
}

#[tokio::test]
async fn post_chat_message_failed_page_is_no_absence() {
    let next = "https://graph.microsoft.com/v1.0/chats/x/messages?$skiptoken=abc";
    for bad in [error(500, "InternalServerError"), (200, json!({})), error(404, "NotFound")] {
        assert!(desk([list(&[], Some(next)), bad]).find(&args()).await.is_err());
    }
}

#[tokio::test]
async fn post_chat_message_two_of_ours_are_several() {
    let desk = desk([list(&[message("2", &mark()), message("1", &mark()), message("1", &mark())], None)]);
    assert!(matches!(desk.find(&args()).await, Ok(Finding::Several(hits)) if hits.len() == 2));
}

#[tokio::test]
async fn post_chat_message_persons_receipt_is_read_and_compared() {
    let ours = desk([(200, message("1", &mark()))]);
    assert!(ours.fetch(&args(), &format!("{CHAT}/1")).await.expect("read").is_some());
    assert_eq!(ours.asked(), [format!("GET /v1.0/chats/{CHAT}/messages/1")]);
    assert!(matches!(desk([(200, message("1", "other"))]).fetch(&args(), "1").await, Err(Fault::Echo(_))));
    assert!(matches!(desk([]).fetch(&args(), "19:other@thread.v2/1").await, Err(Fault::Echo(_))));
    assert_eq!(desk([error(404, "itemNotFound")]).fetch(&args(), "1").await, Ok(None));
    assert!(desk([]).fetch(&args(), "../x").await.is_err());
}

#[test]
fn post_chat_message_checks_its_arguments() {
    let check = |change: &dyn Fn(&mut PostChatMessage), says: &str| {
        let mut message = args();
        change(&mut message);
        assert!(message.check().expect_err(says).starts_with(says), "{:?}", message.check());
    };
    check(&|message| message.chat = "General".into(), "chat");
    check(&|message| message.chat = "19:a/../b".into(), "chat");
    check(&|message| message.text = None, "text, card");
    check(&|message| message.text = Some(" ".into()), "text: it is empty");
    check(&|message| message.card = Some(json!({ "type": "HeroCard" })), "card");
    assert_eq!(args().check(), Ok(()));
}
