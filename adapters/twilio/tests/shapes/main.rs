//! What Twilio's cells send and read, compared with Twilio's own API description by Prism. These are checks of shapes:
//! Prism keeps no state, so none of them proves an effect. What each one needs: `tests/third-party/README.md`.

mod names;

use hapax_conformance::shapes::{Bench, Mock, preferring};
use hapax_core::cell::Credentials;
use hapax_core::executor::RunReport;
use hapax_core::words::{Next, Outcome};
use hapax_standin::client::Call;
use hapax_standin::third_party::prism::{self, Edit};
use hapax_standin::{Fault, When};
use serde_json::{Value, json};

const ACCOUNT: &str = "AC00000000000000000000000000000000";
const SERVICE: &str = "MG00000000000000000000000000000000";
const MESSAGES: &str = "/2010-04-01/Accounts/AC00000000000000000000000000000000/Messages.json";
const CALLS: &str = "/2010-04-01/Accounts/AC00000000000000000000000000000000/Calls.json";
/// The texts of the description's examples.
const BODY: &str = "Hello! 👍";

/// Every test has a Prism of its own, which reads the whole description before it listens.
const OURS: Edit = Edit {
    why: "the other hundred paths take seconds to read and are never asked",
    make: |description| {
        let Some(paths) = description["paths"].as_object_mut() else { return false };
        let all = paths.len();
        let ours = |path: &str| ["/Messages", "/Calls"].iter().any(|list| path.contains(&format!("}}{list}")));
        paths.retain(|path, _| ours(path));
        (1..all).contains(&paths.len())
    },
};

/// The one edit that the description needs to be true.
const LISTS: Edit = Edit {
    why: "a list in a form is a name that is repeated, by the text of the description and by OpenAPI's default, and Prism \
          applies the default only where it is stated",
    make: state_lists,
};

fn state_lists(description: &mut Value) -> bool {
    prism::each_object(description, &mut |object| {
        let Some(form) = object.get_mut("application/x-www-form-urlencoded") else { return false };
        let properties = form["schema"]["properties"].as_object().into_iter().flatten();
        let lists = properties.filter(|(_, schema)| schema["type"] == "array");
        let encoding: serde_json::Map<String, Value> =
            lists.map(|(name, _)| (name.clone(), json!({ "style": "form", "explode": true }))).collect();
        let any = !encoding.is_empty();
        if any {
            form["encoding"] = Value::Object(encoding);
        }
        any
    })
}

async fn mock() -> Option<Mock> {
    Mock::of("twilio_api_v2010.json", &[OURS, LISTS]).await.expect("it starts")
}

async fn bench(mock: &Mock) -> Bench {
    let credentials = Credentials::none().with("account_sid", ACCOUNT.into()).with("auth_token", "any".into());
    mock.bench(hapax_twilio::integration(), credentials).await.expect("a bench")
}

/// Runs a cell whose shot is answered with one of the description's examples.
async fn answered(mock: &Mock, cell: &str, shot: &str, example: &str, args: &Value) -> (Bench, RunReport) {
    let bench = bench(mock).await;
    bench.proxy().inject(When::on("POST", shot).always(), preferring(&format!("example={example}")));
    let report = bench.run(cell, args).await.expect("it is settled");
    valid(mock, &bench);
    (bench, report)
}

/// Runs a cell whose answer is lost, and which then looks through a list of two pages. A person has it, as the examples
/// are years old, and names the record of the description's example.
async fn looked_for(mock: &Mock, cell: &str, list: &str, last_page: &str, args: &Value, id: &str) -> (Bench, Value) {
    let bench = bench(mock).await;
    bench.proxy().inject(When::on("POST", list), Fault::CutAfterCommit);
    let next = When::on("GET", &format!("{list}?*PageToken=*")).always();
    bench.proxy().inject(next, preferring(&format!("example={last_page}")));
    let report = bench.run(cell, args).await.expect("it is settled");
    assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "{report:?}");
    let report = bench.named(&report, id).await.expect("it is read and compared");
    valid(mock, &bench);
    (bench, receipt(&report))
}

/// Every request is valid by the description, and has no name that the description doesn't have.
#[track_caller]
fn valid(mock: &Mock, bench: &Bench) {
    assert_eq!(bench.faults(), Vec::<String>::new());
    let unknown: Vec<String> =
        bench.proxy().seen().iter().flat_map(|seen| names::unknown(mock.description(), seen)).collect();
    assert_eq!(unknown, Vec::<String>::new());
}

#[track_caller]
fn receipt(report: &RunReport) -> Value {
    match &report.outcome {
        Outcome::Succeeded { receipt } => receipt.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn shape_at_prism_of_send_message() {
    let Some(mock) = mock().await else { return };
    let sms = json!({
        "to": "+14155552345", "from": "+14155552345", "body": BODY, "validity_seconds": 600,
        "status_callback": "https://example.com/reports?order=1042",
    });
    let mms = json!({
        "to": "+15558675310", "messaging_service_sid": SERVICE, "body": BODY, "send_at": "2037-01-01T00:00:00Z",
        "media_urls": ["https://example.com/1.png", "https://example.com/2.png"],
    });
    let whatsapp = json!({ "to": "whatsapp:+15558675310", "from": "whatsapp:+14155552345", "body": BODY });
    let template = json!({
        "to": "+14155552345", "messaging_service_sid": SERVICE,
        "content": { "sid": "HX00000000000000000000000000000000", "variables": { "1": "Jane" } },
    });
    for (args, example, status) in [
        (sms, "create", "queued"),
        (mms, "createScheduledMessageMms", "accepted"),
        (whatsapp, "createScheduledMessageWhatsapp", "scheduled"),
        (template, "createWithMessagingService", "queued"),
    ] {
        let (bench, report) = answered(&mock, "twilio.send_message", MESSAGES, example, &args).await;
        let receipt = receipt(&report);
        assert_eq!((&receipt["to"], &receipt["status"]), (&args["to"], &json!(status)), "{example}");
        assert_eq!(bench.arrived(), [format!("POST {MESSAGES}")], "{example}");
    }
}

#[tokio::test]
async fn shape_at_prism_of_looking_for_a_message() {
    let Some(mock) = mock().await else { return };
    let args = json!({ "to": "+18182008801", "from": "+12019235161", "body": "testing" });
    let (id, last) = ("SMb7c0a2ce80504485a6f653a7110836f5", "readEmptySentdateEquals");
    let (bench, receipt) = looked_for(&mock, "twilio.send_message", MESSAGES, last, &args, id).await;
    assert_eq!((&receipt["id"], &receipt["status"]), (&json!(id), &json!("sent")));
    pages_and_one_shot(&bench, MESSAGES, &MESSAGES.replace(".json", &format!("/{id}.json")));
}

#[tokio::test]
async fn shape_at_prism_of_cancel_message() {
    let Some(mock) = mock().await else { return };
    let id = "SMb7c0a2ce80504485a6f653a7110836f5";
    let one = MESSAGES.replace(".json", &format!("/{id}.json"));
    let args = json!({ "message": id });
    let (bench, report) = answered(&mock, "twilio.cancel_message", &one, "cancelMessage", &args).await;
    assert_eq!(receipt(&report)["status"], "canceled");
    assert_eq!(bench.arrived(), [format!("POST {one}")]);

    // The description's other example is of a message that was sent, and so is the one that a look reads.
    let (bench, report) = answered(&mock, "twilio.cancel_message", &one, "redactBody", &args).await;
    assert!(matches!(&report.outcome, Outcome::Refused { reason } if reason.code == "30409"), "{report:?}");
    assert!(bench.proxy().count("GET", &one) > 0, "{:?}", bench.arrived());
}

#[tokio::test]
async fn shape_at_prism_of_call() {
    let Some(mock) = mock().await else { return };
    let between = json!({ "to": "+14158675309", "from": "+14158675308" });
    let with = |more: Value| {
        let all = between.as_object().into_iter().chain(more.as_object()).flatten();
        Value::Object(all.map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    let twiml = with(json!({ "twiml": "<Response><Say>Your table is ready.</Say></Response>" }));
    let url = with(json!({
        "url": "https://example.com/twiml", "send_digits": "1234#", "ring_seconds": 30, "record": true,
        "status_callback": "https://example.com/reports",
    }));
    let application = with(json!({ "application_sid": "AP00000000000000000000000000000000" }));
    for (args, example) in [(twiml, "createWithTwiml"), (url, "create"), (application, "create")] {
        let (bench, report) = answered(&mock, "twilio.call", CALLS, example, &args).await;
        let receipt = receipt(&report);
        assert_eq!((&receipt["to"], &receipt["from"]), (&args["to"], &args["from"]));
        assert_eq!(bench.arrived(), [format!("POST {CALLS}")], "{example}");
    }
}

#[tokio::test]
async fn shape_at_prism_of_looking_for_a_call() {
    let Some(mock) = mock().await else { return };
    let args = json!({ "to": "+13051913581", "from": "+13051416799", "twiml": "<Response/>" });
    let (id, last) = ("CAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "readEmptyDatesLess");
    let (bench, receipt) = looked_for(&mock, "twilio.call", CALLS, last, &args, id).await;
    assert_eq!((&receipt["id"], &receipt["status"]), (&json!(id), &json!("completed")));
    pages_and_one_shot(&bench, CALLS, &CALLS.replace(".json", &format!("/{id}.json")));
}

/// One shot, looks of two pages each, and in the end the record that the person named.
#[track_caller]
fn pages_and_one_shot(bench: &Bench, list: &str, named: &str) {
    let (get, post) = (format!("GET {list}"), format!("POST {list}"));
    let arrived = bench.arrived();
    let pages = arrived.iter().filter(|request| **request == get).count();
    assert!(pages >= 2 && pages.is_multiple_of(2), "{arrived:?}");
    assert_eq!(arrived.iter().filter(|request| **request == post).count(), 1, "{arrived:?}");
    assert_eq!(arrived.last(), Some(&format!("GET {named}")), "{arrived:?}");
}

#[tokio::test]
async fn an_answer_of_prisms_own_is_no_refusal() {
    let Some(mock) = mock().await else { return };
    let bench = bench(&mock).await;
    // The description has no failures, so Prism answers with a 404 of its own, which is not Twilio's envelope.
    bench.proxy().inject(When::on("POST", MESSAGES), preferring("code=400"));
    let next = When::on("GET", &format!("{MESSAGES}?*PageToken=*")).always();
    bench.proxy().inject(next, preferring("example=readEmptySentdateEquals"));
    let args = json!({ "to": "+14155552345", "from": "+14155552345", "body": BODY });
    let report = bench.run("twilio.send_message", &args).await.expect("it is settled");
    assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "{report:?}");
    assert_eq!(bench.proxy().count("POST", MESSAGES), 1);
    assert_eq!(bench.faults().len(), 1, "{:?}", bench.faults());
}

#[tokio::test]
async fn a_request_that_the_description_forbids_is_noticed() {
    let Some(mock) = mock().await else { return };
    let bench = bench(&mock).await;
    let post = |fields: &[(&str, &str)]| {
        let call = Call::post(&format!("{}{MESSAGES}", bench.proxy().url())).form(fields);
        call.header("authorization", "Basic QUM6eA==").send()
    };
    post(&[("From", "+14155552345")]).await.expect("a reply");
    assert_eq!(bench.faults().len(), 1, "no recipient: {:?}", bench.faults());
    post(&[("To", "+14155552345"), ("Bodi", "x")]).await.expect("a reply");
    assert_eq!(bench.faults().len(), 1, "Prism lets unknown names pass");
    let unknown: Vec<String> =
        bench.proxy().seen().iter().flat_map(|seen| names::unknown(mock.description(), seen)).collect();
    assert_eq!(unknown, ["POST Bodi"]);
}
