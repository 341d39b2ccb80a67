use super::{ACCOUNT, BEGIN_MS, FROM, SERVICE, Stage, TO, code, stage, stage_of, text};
use hapax_standin::client::Call;
use hapax_standin::{Provider, Reply, Request, Server, Twists, World};
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn a_message_is_made_leaves_and_arrives() {
    let stage = stage().await;
    let made = stage.post("/Messages.json", &[TO, FROM, ("Body", "Hello")]).await;
    assert_eq!(made.status, 201);
    let made = made.value();
    assert_eq!((&made["status"], &made["date_sent"]), (&"queued".into(), &serde_json::Value::Null));
    assert_eq!(made["date_created"], "Mon, 21 Sep 2026 14:13:20 +0000");
    assert!(crate::wire::is_sid(&text(&made["sid"]), &["SM"]));
    stage.clock.advance(2_000);
    assert_eq!(stage.status(&text(&made["sid"])).await, "delivered");
    let effects = stage.server.effects().of("message");
    assert_eq!(effects.len(), 1);
    assert_eq!((effects[0].metadata["to"].as_str(), effects[0].metadata["body"].as_str()), (TO.1, "Hello"));
}

#[tokio::test]
async fn what_is_refused_has_twilios_codes_and_no_effect() {
    let stage = stage_of(|stand_in| stand_in.owns(FROM.1)).await;
    let check = async |fields: &[(&str, &str)], expected: u64| {
        let reply = stage.post("/Messages.json", fields).await;
        assert_eq!(code(&reply), (400, expected), "{fields:?}");
    };
    let body = ("Body", "Hello");
    check(&[FROM, body], 21604).await;
    check(&[TO, body], 21603).await;
    check(&[TO, FROM], 21602).await;
    check(&[("To", "+15005550001"), FROM, body], 21211).await;
    check(&[("To", "+15005550004"), FROM, body], 21610).await;
    check(&[TO, ("From", "+15550000000"), body], 21606).await;
    check(&[TO, FROM, ("Body", &"x".repeat(1601))], 21617).await;
    assert_eq!(code(&stage.post("/Calls.json", &[TO, FROM]).await), (400, 21205));
    let twiml = ("Twiml", "<Response/>");
    assert_eq!(code(&stage.post("/Calls.json", &[("To", "+15005550001"), FROM, twiml]).await), (400, 21217));
    assert_eq!(code(&stage.get("/Messages/SM00000000000000000000000000000000.json").await), (404, 20404));
    assert!(stage.server.effects().all().is_empty());
}

#[tokio::test]
async fn a_scheduled_message_can_be_canceled_once() {
    let stage = stage().await;
    let scheduled = async |at_ms: i64| {
        let at = jiff::Timestamp::from_millisecond(at_ms).expect("a time").to_string();
        stage.post("/Messages.json", &[TO, SERVICE, ("Body", "x"), ("ScheduleType", "fixed"), ("SendAt", &at)]).await
    };
    assert_eq!(code(&scheduled(BEGIN_MS + 299_000).await), (400, 35115));
    assert_eq!(code(&scheduled(BEGIN_MS + 36 * 24 * 3_600_000).await), (400, 35115));
    let (one, two) = (scheduled(BEGIN_MS + 600_000).await.value(), scheduled(BEGIN_MS + 600_000).await.value());
    let (one, two) = (text(&one["sid"]), text(&two["sid"]));
    let cancel = async |sid: &str| stage.post(&format!("/Messages/{sid}.json"), &[("Status", "canceled")]).await;
    assert_eq!(cancel(&one).await.value()["status"], "canceled");
    assert_eq!(code(&cancel(&one).await), (400, 30409));
    stage.clock.advance(600_000);
    assert_eq!((stage.status(&one).await.as_str(), stage.status(&two).await.as_str()), ("canceled", "delivered"));
    assert_eq!(code(&cancel(&two).await), (400, 30409));
    assert_eq!((stage.count("message"), stage.count("cancel")), (2, 1));
}

#[tokio::test]
async fn credentials_accounts_and_rates_are_checked() {
    let stage = stage_of(|stand_in| stand_in.accepts(ACCOUNT, "anything").requests_per_second(2)).await;
    let url = format!("{}/2010-04-01/Accounts/{ACCOUNT}/Messages.json", stage.server.url());
    assert_eq!(code(&Call::get(&url).send().await.expect("a reply")), (401, 20003));
    let wrong = Call::get(&url).header("authorization", "Basic QUM6eA==").send().await.expect("a reply");
    assert_eq!(code(&wrong), (401, 20003));
    let statuses = [stage.get("/Messages.json").await, stage.get(".json").await, stage.get("/Messages.json").await];
    assert_eq!(statuses.each_ref().map(code), [(200, 0), (200, 0), (429, 20429)]);
    stage.clock.advance(1_000);
    assert_eq!(stage.get("/Messages.json").await.status, 200);
}

#[tokio::test]
async fn a_hand_blanks_and_deletes() {
    let stage = stage_of(super::StandIn::on_trial).await;
    let sid = stage.sent("Hello").await;
    let body = async || text(&stage.get(&format!("/Messages/{sid}.json")).await.value()["body"]);
    assert_eq!(body().await, "Sent from your Twilio trial account - Hello");
    assert!(stage.hand.redact(&sid));
    assert_eq!(body().await, "");
    assert!(stage.hand.delete(&sid) && !stage.hand.delete(&sid));
    assert_eq!(code(&stage.get(&format!("/Messages/{sid}.json")).await), (404, 20404));
}

/// A server of the caller's, which keeps what it is told.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<(String, String)>>>);

#[async_trait::async_trait]
impl Provider for Listener {
    async fn handle(&self, request: &Request, _: &Twists) -> Reply {
        let status = request.field("MessageStatus").or_else(|| request.field("CallStatus")).unwrap_or_default();
        let mark = request.param("hapax").unwrap_or_default();
        self.0.lock().expect("lock").push((mark.to_owned(), status.to_owned()));
        Reply::empty(204)
    }

    fn error(&self, status: u16, _: Option<&str>) -> Reply {
        Reply::empty(status)
    }

    fn reset(&self) {}
}

impl Listener {
    async fn hears(&self, expected: &[(&str, &str)]) {
        for _ in 0..500 {
            if self.0.lock().expect("lock").len() >= expected.len() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(4)).await;
        }
        let heard = self.0.lock().expect("lock").clone();
        let heard: Vec<_> = heard.iter().map(|(mark, status)| (mark.as_str(), status.as_str())).collect();
        assert_eq!(heard, expected);
    }
}

#[tokio::test]
async fn callbacks_come_with_the_mark() {
    let (stage, listener): (Stage, _) = (stage().await, Listener::default());
    let server = Server::start(Arc::new(listener.clone()), World::new(2), 0).await.expect("a free port");
    let callback = format!("{}/cb?hapax=m1", server.url());
    let fields = [("To", "+15005550030"), FROM, ("Body", "x"), ("StatusCallback", &callback)];
    stage.post("/Messages.json", &fields).await;
    listener.hears(&[("m1", "queued")]).await;
    stage.clock.advance(2_000);
    stage.get("/Messages.json").await;
    listener.hears(&[("m1", "queued"), ("m1", "undelivered")]).await;
    assert!(stage.server.effects().of("message")[0].carries("m1"));
    let callback = format!("{}/cb?hapax=m2", server.url());
    let fields =
        [TO, FROM, ("Twiml", "<Response/>"), ("StatusCallback", &callback), ("StatusCallbackEvent", "initiated")];
    stage.post("/Calls.json", &fields).await;
    listener.hears(&[("m1", "queued"), ("m1", "undelivered"), ("m2", "queued")]).await;
}
