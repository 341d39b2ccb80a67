//! What `tests/third-party/README.md` says of each server, so that a new version that behaves otherwise is noticed.
//! A server that is not installed is left out.

use super::{Program, Running, available, prism, start};
use crate::client::Call;
use crate::{Fault, FaultProxy, Reply, When};
use serde_json::{Value, json};

async fn running(program: Program) -> Option<Running> {
    if !available(program) {
        return None;
    }
    Some(start(program).await.expect("it is installed, so it starts"))
}

fn call(method: &str, url: &str) -> Call {
    Call::new(method, url).header("authorization", "Bearer sk_test_12345")
}

async fn post(url: &str, key: &str, fields: &[(&str, &str)]) -> Reply {
    call("POST", url).header("idempotency-key", key).form(fields).send().await.expect("a reply")
}

async fn get(url: &str) -> Reply {
    call("GET", url).send().await.expect("a reply")
}

fn id(reply: &Reply) -> String {
    reply.value()["id"].as_str().unwrap_or_else(|| panic!("no id in {reply:?}")).to_owned()
}

fn entries(reply: &Reply) -> usize {
    reply.value()["data"].as_array().map_or(0, Vec::len)
}

const INTENT: [(&str, &str); 3] = [("amount", "2000"), ("currency", "usd"), ("payment_method", "pm_card_visa")];

#[tokio::test]
async fn emulate_confirms_an_intent_once_and_ignores_keys() {
    let Some(server) = running(Program::Emulate("stripe")).await else { return };
    let intents = format!("{}/v1/payment_intents", server.url());
    let (one, two) = (post(&intents, "k", &INTENT).await, post(&intents, "k", &INTENT).await);
    assert_ne!(id(&one), id(&two), "keys are ignored");
    let confirm = format!("{intents}/{}/confirm", id(&one));
    assert_eq!(post(&confirm, "c", &[]).await.value()["status"], "succeeded");
    let again = post(&confirm, "c", &[]).await;
    assert_eq!((again.status, &again.value()["error"]["code"]), (400, &json!("payment_intent_unexpected_state")));
    let charges = format!("{}/v1/charges?payment_intent={}", server.url(), id(&one));
    assert_eq!(entries(&get(&charges).await), 1);
    assert_eq!(post(&format!("{intents}/{}/capture", id(&one)), "x", &[]).await.status, 404);
}

#[tokio::test]
async fn emulate_behind_the_proxy_charges_once_though_the_answer_is_lost() {
    let Some(server) = running(Program::Emulate("stripe")).await else { return };
    let proxy = FaultProxy::start(server.url()).await.expect("a free port");
    let intent = id(&post(&format!("{}/v1/payment_intents", proxy.url()), "k", &INTENT).await);
    let cut = proxy.inject(When::on("POST", "*/confirm"), Fault::CutAfterCommit);
    let confirm = call("POST", &format!("{}/v1/payment_intents/{intent}/confirm", proxy.url()));
    assert!(confirm.send().await.is_err());
    assert_eq!(cut.times_reached(), 1);
    let read = get(&format!("{}/v1/payment_intents/{intent}", proxy.url())).await;
    assert_eq!(read.value()["status"], "succeeded");
}

#[tokio::test]
async fn localstripe_refunds_by_intent_and_ignores_keys() {
    let Some(server) = running(Program::Localstripe).await else { return };
    let intents = format!("{}/v1/payment_intents", server.url());
    let intent = id(&post(&intents, "k", &INTENT).await);
    let confirm = format!("{intents}/{intent}/confirm");
    let confirmed = post(&confirm, "c", &[]).await.value();
    assert_eq!(confirmed["status"], "succeeded");
    assert!(confirmed["latest_charge"].is_object(), "an object, where Stripe has an id");
    let again = post(&confirm, "c", &[]).await;
    assert_eq!((again.status, &again.value()["error"]["code"]), (400, &Value::Null));
    let refunds = format!("{}/v1/refunds", server.url());
    let part = [("payment_intent", intent.as_str()), ("amount", "500"), ("metadata[mark]", "m1")];
    assert_ne!(id(&post(&refunds, "r", &part).await), id(&post(&refunds, "r", &part).await), "keys are ignored");
    let listed = get(&format!("{refunds}?payment_intent={intent}")).await;
    assert_eq!((entries(&listed), &listed.value()["data"][0]["metadata"]["mark"]), (2, &json!("m1")));
    let over = post(&refunds, "o", &[("payment_intent", intent.as_str()), ("amount", "50000")]).await;
    assert_eq!(over.status, 200, "more than was paid is refunded");
    let missing = get(&format!("{intents}/pi_none")).await;
    assert_eq!((missing.status, &missing.value()["error"]["code"]), (404, &Value::Null));
    assert_eq!(get(&format!("{intents}?created[gte]=1")).await.status, 400);
}

#[tokio::test]
async fn localstripe_captures_a_hold_once() {
    let Some(server) = running(Program::Localstripe).await else { return };
    let intents = format!("{}/v1/payment_intents", server.url());
    let hold: Vec<_> = INTENT.into_iter().chain([("capture_method", "manual")]).collect();
    let intent = id(&post(&intents, "k", &hold).await);
    assert_eq!(post(&format!("{intents}/{intent}/confirm"), "c", &[]).await.value()["status"], "requires_capture");
    let capture = format!("{intents}/{intent}/capture");
    assert_eq!(post(&capture, "x", &[("amount_to_capture", "1500")]).await.value()["status"], "succeeded");
    assert_eq!(post(&capture, "x", &[("amount_to_capture", "1500")]).await.status, 400);
}

#[tokio::test]
async fn stripe_stateful_mock_keeps_answers_under_keys() {
    let Some(server) = running(Program::StripeStatefulMock).await else { return };
    let (charges, refunds) = (format!("{}/v1/charges", server.url()), format!("{}/v1/refunds", server.url()));
    let card = |token: &'static str| [("amount", "2000"), ("currency", "usd"), ("source", token)];
    let charge = id(&post(&charges, "k", &card("tok_visa")).await);
    let part = [("charge", charge.as_str()), ("amount", "500")];
    let (one, two) = (post(&refunds, "r", &part).await, post(&refunds, "r", &part).await);
    assert_eq!((id(&one), two.header("idempotent-replayed")), (id(&two), Some("true")));
    let other = post(&refunds, "r", &[("charge", charge.as_str()), ("amount", "600")]).await;
    assert_eq!((other.status, &other.value()["error"]["type"]), (400, &json!("idempotency_error")));
    let rest = post(&refunds, "k", &[("charge", charge.as_str())]).await;
    assert_eq!(rest.status, 200, "keys belong to the endpoint, where Stripe's belong to the account");
    let over = post(&refunds, "o", &[("charge", charge.as_str())]).await;
    assert_eq!(over.value()["error"]["code"], "charge_already_refunded");
    // In which order is luck: it sorts by whole seconds, and leaves those of one second as they came.
    let listed = get(&refunds).await;
    assert_eq!(entries(&listed), 2);
    for made in [&one, &rest] {
        assert!(listed.value()["data"].as_array().unwrap().iter().any(|entry| entry["id"] == id(made)));
    }

    let failed = post(&charges, "f", &card("tok_500")).await;
    let again = post(&charges, "f", &card("tok_500")).await;
    assert_eq!((failed.status, again.status, again.header("idempotent-replayed")), (500, 500, Some("true")));
    assert_eq!(post(&format!("{}/v1/payment_intents", server.url()), "p", &INTENT).await.status, 404);
}

/// A description of one form, which the vendor of nothing has written.
fn described() -> Value {
    let field = json!({ "type": "string", "pattern": "^[+]" });
    let schema = json!({ "type": "object", "required": ["To"], "properties": { "To": field } });
    let made = json!({ "description": "made", "content": { "application/json": { "example": { "to": "+1" } } } });
    let body = json!({ "content": { "application/x-www-form-urlencoded": { "schema": schema } } });
    json!({
        "openapi": "3.0.1", "info": { "title": "t", "version": "1" },
        "paths": { "/things": { "post": {
            "requestBody": body, "responses": { "201": made, "404": { "description": "gone" } },
        }}},
    })
}

const NO_PATTERN: prism::Edit = prism::Edit {
    why: "the pattern of To forbids what is asked here",
    make: |description| prism::each_object(description, &mut |object| object.remove("pattern").is_some()),
};

#[tokio::test]
async fn prism_says_what_is_wrong_with_a_request_and_answers_with_the_example() {
    if !prism::available() {
        return;
    }
    let server = prism::start(described(), &[]).await.expect("it is installed, so it starts");
    let things = format!("{}/things", server.url());
    let good = post(&things, "k", &[("To", "+4915")]).await;
    assert_eq!((good.status, good.value(), good.header("sl-violations")), (201, json!({ "to": "+1" }), None));
    let again = post(&things, "k", &[("To", "+4916")]).await;
    assert_eq!(again.value(), good.value(), "it is the same for every request");
    let preferred = call("POST", &things).header("prefer", "code=404").form(&[("To", "+1")]).send().await;
    assert_eq!(preferred.expect("a reply").status, 404);
    let wrong = post(&things, "k", &[("To", "4915")]).await;
    let violations = wrong.value()["validation"].clone();
    assert_eq!((wrong.status, &violations[0]["location"]), (422, &json!(["body", "To"])));

    let edited = prism::start(described(), &[NO_PATTERN]).await.expect("it starts");
    assert_eq!(post(&format!("{}/things", edited.url()), "k", &[("To", "4915")]).await.status, 201);
    let twice = prism::start(described(), &[NO_PATTERN, NO_PATTERN]).await;
    assert!(twice.is_err_and(|error| error.to_string().contains("nothing to edit")));
}

#[tokio::test]
async fn a_server_ends_with_its_handle() {
    let Some(server) = running(Program::StripeStatefulMock).await else { return };
    let url = format!("{}/v1/charges", server.url());
    assert_eq!(get(&url).await.status, 200);
    drop(server);
    while call("GET", &url).send().await.is_ok() {
        tokio::task::yield_now().await;
    }
}
