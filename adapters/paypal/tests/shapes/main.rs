//! What PayPal's cells send, compared with the vendor's API descriptions by Prism. These are checks of shapes: Prism keeps
//! no state and its answers echo nothing, so none of them proves an effect. What they need:
//! `tests/third-party/README.md`.
#![cfg(feature = "standin")]

use std::sync::Arc;

use hapax_conformance::shapes::{Bench, Mock};
use hapax_core::cell::{Connection, Credentials};
use hapax_core::executor::{Executor, RunRequest};
use hapax_core::identity::{NamespaceSecret, OperationKey};
use hapax_core::ledger::MemoryLedger;
use hapax_core::transport::HttpTransport;
use hapax_core::words::{Next, Outcome};
use hapax_standin::client::Call;
use hapax_standin::third_party::prism::{self, Edit};
use hapax_standin::{Fault, FaultProxy, Seen, When};
use serde_json::{Value, json};

const CAPTURE: &str = "3C679366HH908993F";

const PATTERNS: Edit = Edit {
    why: "patterns that are no valid regular expressions of JavaScript switch the validation of bodies off",
    make: |description| {
        prism::each_object(description, &mut |object| {
            // An escape that isn't one, and an e-mail address with a parenthesis that nothing opens.
            let is_broken = |pattern: &str| pattern.contains(r"\!") || pattern.starts_with("(?:[a-zA-Z0-9!#");
            let breaks = object.get("pattern").and_then(Value::as_str).is_some_and(is_broken);
            breaks && object.remove("pattern").is_some()
        })
    },
};

/// What the description of invoicing has of them.
const FLAGS: Edit = Edit {
    why: "patterns that begin with a flag, which JavaScript doesn't know, switch the validation of bodies off",
    make: |description| {
        prism::each_object(description, &mut |object| {
            let is_flagged = |pattern: &str| pattern.starts_with("(?i)");
            let breaks = object.get("pattern").and_then(Value::as_str).is_some_and(is_flagged);
            breaks && object.remove("pattern").is_some()
        })
    },
};

async fn orders() -> Option<Mock> {
    Mock::of("paypal_checkout_orders_v2.json", &[PATTERNS]).await.expect("it starts")
}

async fn payments() -> Option<Mock> {
    Mock::of("paypal_payments_v2.json", &[PATTERNS]).await.expect("it starts")
}

async fn invoices() -> Option<Mock> {
    Mock::of("paypal_invoicing_v2.json", &[FLAGS]).await.expect("it starts")
}

async fn payouts() -> Option<Mock> {
    Mock::of("paypal_payouts_v1.json", &[]).await.expect("it starts")
}

fn credentials() -> Credentials {
    Credentials::none().with("client_id", "id".into()).with("client_secret", "secret".into())
}

/// A bench at which everybody gets a token: the descriptions have no such endpoint.
async fn bench(mock: &Mock) -> Bench {
    let bench = mock.bench(hapax_paypal::integration(), credentials()).await.expect("a bench");
    let token = json!({ "token_type": "Bearer", "access_token": "any", "expires_in": 32400 });
    bench.proxy().inject(When::on("POST", "/v1/oauth2/token").always(), Fault::reply(200, &token));
    bench
}

/// A cell's requests as our stand-in got them, whose answers echo the intent, so that they go all the way.
async fn sent(cell: &str, args: &Value) -> Vec<Seen> {
    let server = hapax_paypal::standin::serve(0).await.expect("a free port");
    let proxy = FaultProxy::start(&server.url()).await.expect("a free port");
    let connection = Connection::new("shapes", hapax_paypal::integration(), credentials()).expect("a connection");
    let connection = connection.at(&proxy.url()).expect("an address").stand_in();
    let (ledger, transport) = (Arc::new(MemoryLedger::new()), Arc::new(HttpTransport::new()));
    let executor = Executor::builder(ledger, transport, NamespaceSecret::generate()).connection(connection);
    let executor = executor.build().await.expect("an executor");
    let key = OperationKey::new("shape").expect("a key");
    let request = RunRequest::new("shapes", cell, key, args.clone()).wait_ms(10_000);
    let report = executor.run(request).await.expect("it is run");
    assert!(matches!(report.outcome, Outcome::Succeeded { .. }), "{report:?}");
    proxy.seen().into_iter().filter(|seen| !seen.target.starts_with("/v1/oauth2/")).collect()
}

/// Sends the same to Prism, headers and all, and returns the status of its answer.
async fn replay(bench: &Bench, seen: &Seen) -> u16 {
    let call = Call::new(&seen.method, &format!("{}{}", bench.proxy().url(), seen.target));
    let call = ["authorization", "content-type", "paypal-request-id", "prefer"]
        .iter()
        .filter_map(|wanted| seen.headers.iter().find(|(name, _)| name == wanted))
        .fold(call, |call, (name, value)| call.header(name, value));
    call.body(seen.body.clone()).send().await.expect("a reply").status
}

fn payment(source: &Value) -> Value {
    json!({
        "amount": { "amount": 1050, "currency": "EUR" }, "payment_source": source, "description": "Order 1042",
    })
}

#[tokio::test]
async fn shape_at_prism_of_pay_order() {
    let Some(mock) = orders().await else { return };
    for source in [
        json!({ "type": "paypal", "vault_id": "8kk8451t" }),
        json!({ "type": "card", "vault_id": "8kk8451t" }),
        json!({ "type": "billing_agreement", "id": "B-8DB466142G4614345" }),
    ] {
        let requests = sent("paypal.pay_order", &payment(&source)).await;
        assert_eq!(requests.len(), 2);
        let bench = bench(&mock).await;
        for seen in &requests {
            assert!(replay(&bench, seen).await < 300);
        }
        assert_eq!(bench.faults(), Vec::<String>::new());
        assert_eq!(bench.arrived().len(), 2);
    }

    // Prism's own order is another one, which is noticed before anything could be paid.
    let alarmed = bench(&mock).await;
    let report = alarmed.run("paypal.pay_order", &payment(&json!({ "type": "paypal", "vault_id": "8kk8451t" }))).await;
    assert!(!matches!(report.map(|report| report.outcome), Ok(Outcome::Succeeded { .. } | Outcome::Refused { .. })));
    assert_eq!(alarmed.faults(), Vec::<String>::new());
    assert!(alarmed.arrived().iter().all(|request| !request.ends_with("/capture")), "{:?}", alarmed.arrived());
}

fn payout() -> Value {
    let amount = json!({ "amount": 987, "currency": "EUR" });
    let receivers = [
        json!({ "type": "email", "address": "jane@example.com" }),
        json!({ "type": "phone", "number": "+49 170 1234567" }),
        json!({ "type": "paypal_id", "id": "G83JXTJ5EHCQ2" }),
    ];
    let items = receivers.map(|receiver| json!({ "receiver": receiver, "amount": amount }));
    json!({ "items": items, "email_subject": "Paid", "email_message": "For October" })
}

#[tokio::test]
async fn shape_at_prism_of_payout_batch() {
    let Some(mock) = payouts().await else { return };
    let requests = sent("paypal.payout_batch", &payout()).await;
    assert_eq!(requests.len(), 1);
    let taking = bench(&mock).await;
    assert_eq!(replay(&taking, &requests[0]).await, 201);
    assert_eq!(taking.faults(), Vec::<String>::new());

    // Prism's own batch is another one: an alarm, and nothing goes again.
    let alarmed = bench(&mock).await;
    let report = alarmed.run("paypal.payout_batch", &payout()).await.expect("it is settled");
    assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "{report:?}");
    assert_eq!(report.alarms.len(), 1, "{report:?}");
    assert_eq!(alarmed.arrived(), ["POST /v1/payments/payouts"]);
    assert_eq!(alarmed.faults(), Vec::<String>::new());

    // The look reads the batch that a refusal names.
    let looking = bench(&mock).await;
    let link = json!([{ "href": "https://api-m.paypal.com/v1/payments/payouts/CR9VS2K4X4846", "rel": "self" }]);
    let taken = json!({
        "name": "USER_BUSINESS_ERROR", "message": "User business error.", "debug_id": "1",
        "details": [{ "issue": "Batch with given sender_batch_id already exists", "link": link }],
    });
    looking.proxy().inject(When::on("POST", "/v1/payments/payouts").always(), Fault::reply(400, &taken));
    let report = looking.run("paypal.payout_batch", &payout()).await.expect("it is settled");
    assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "another batch: {report:?}");
    let (arrived, look) = (looking.arrived(), "GET /v1/payments/payouts/CR9VS2K4X4846".to_owned());
    assert!(arrived.contains(&look), "{arrived:?}");
    assert_eq!(looking.faults(), Vec::<String>::new());
}

#[tokio::test]
async fn shape_at_prism_of_refund() {
    let Some(mock) = payments().await else { return };
    let bench = bench(&mock).await;
    let args = json!({
        "capture_id": CAPTURE, "amount": { "amount": 400, "currency": "EUR" }, "note_to_payer": "Sorry",
    });
    let report = bench.run("paypal.refund", &args).await.expect("it is settled");
    assert_eq!(bench.faults(), Vec::<String>::new());
    // The canned answer is about another refund, and the canned payment names no order of PayPal's form.
    assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "{report:?}");
    let arrived = bench.arrived();
    let (refund, look) = (format!("POST /v2/payments/captures/{CAPTURE}/refund"), "GET /v2/payments/captures/");
    assert_eq!(arrived.first(), Some(&refund));
    assert!(arrived.iter().any(|request| request.starts_with(look)), "{arrived:?}");
}

#[tokio::test]
async fn shape_at_prism_of_send_invoice() {
    let Some(mock) = invoices().await else { return };
    let args = json!({
        "recipient": "jane@example.com", "due": "net30", "note": "Thank you",
        "items": [{ "name": "Advice", "amount": { "amount": 1050, "currency": "EUR" } }],
    });
    let requests = sent("paypal.send_invoice", &args).await;
    assert_eq!(requests.len(), 3, "search, create, send");
    let replayed = bench(&mock).await;
    for seen in &requests {
        assert!(replay(&replayed, seen).await < 300);
    }
    assert_eq!(replayed.faults(), Vec::<String>::new());
    assert_eq!(replayed.arrived().len(), 3);

    // Prism's own invoices are not ours, which is noticed before anything could be sent.
    let alarmed = bench(&mock).await;
    let report = alarmed.run("paypal.send_invoice", &args).await;
    assert!(!matches!(report.map(|report| report.outcome), Ok(Outcome::Succeeded { .. } | Outcome::Refused { .. })));
    assert_eq!(alarmed.faults(), Vec::<String>::new());
    assert!(alarmed.arrived().iter().all(|request| !request.ends_with("/send")), "{:?}", alarmed.arrived());
}

#[tokio::test]
async fn a_draft_that_the_description_forbids_is_noticed() {
    let Some(mock) = invoices().await else { return };
    let bench = bench(&mock).await;
    let call = Call::post(&format!("{}/v2/invoicing/invoices", bench.proxy().url()));
    call.header("authorization", "Bearer any").json(&json!({})).send().await.expect("a reply");
    assert!(!bench.faults().is_empty());
}

#[tokio::test]
async fn shape_at_prism_of_refusals() {
    let Some(mock) = payments().await else { return };
    let bench = bench(&mock).await;
    let args = json!({ "capture_id": CAPTURE });
    let refusing = When::on("POST", "/v2/payments/captures/*/refund").always();
    let denied = json!({
        "name": "UNPROCESSABLE_ENTITY", "message": "Not done.", "debug_id": "1",
        "details": [{ "issue": "REFUND_NOT_ALLOWED", "description": "Capture cannot be refunded." }],
    });
    let known = mock.description()["components"]["schemas"]["captures.refund-422"].to_string();
    assert!(known.contains("REFUND_NOT_ALLOWED"), "an issue of the description");
    bench.proxy().inject(refusing, Fault::reply(422, &denied));
    let report = bench.run("paypal.refund", &args).await.expect("it is settled");
    assert!(
        matches!(&report.outcome, Outcome::Refused { reason } if reason.code == "REFUND_NOT_ALLOWED"),
        "{report:?}"
    );
}

#[tokio::test]
async fn a_body_that_the_description_forbids_is_noticed() {
    for (mock, path) in [(orders().await, "/v2/checkout/orders"), (payouts().await, "/v1/payments/payouts")] {
        let Some(mock) = mock else { return };
        let bench = bench(&mock).await;
        let call = Call::post(&format!("{}{path}", bench.proxy().url()));
        call.header("authorization", "Bearer any").json(&json!({})).send().await.expect("a reply");
        assert!(!bench.faults().is_empty(), "{path}");
    }
}
