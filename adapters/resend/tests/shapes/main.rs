//! What Resend's cells send and read, compared with Resend's own API description by Prism. These are checks of shapes:
//! Prism keeps no state, so none of them proves an effect. What each one needs: `tests/third-party/README.md`.

use hapax_conformance::shapes::{Bench, Mock};
use hapax_core::cell::Credentials;
use hapax_core::words::{Next, Outcome};
use hapax_standin::client::Call;
use hapax_standin::third_party::prism::Edit;
use hapax_standin::{Fault, When};
use serde_json::{Value, json};

/// The id of the description's examples.
const ID: &str = "4ef9a417-02e9-4d39-ad75-9611e0fcc33c";

/// The one edit that the answers need to be read.
const IDS: Edit = Edit {
    why: "the id in the answers to sends has no example, so Prism makes up the word `string`, which is no id",
    make: |description| {
        let schemas = &mut description["components"]["schemas"];
        let mut made = 0;
        for pointer in
            ["/SendEmailResponse/properties/id", "/CreateBatchEmailsResponse/properties/data/items/properties/id"]
        {
            if let Some(id) = schemas.pointer_mut(pointer) {
                id["example"] = ID.into();
                made += 1;
            }
        }
        made == 2
    },
};

async fn mock() -> Option<Mock> {
    Mock::of("resend.json", &[IDS]).await.expect("it starts")
}

async fn bench(mock: &Mock) -> Bench {
    let credentials = Credentials::none().with("api_key", "re_any".into());
    mock.bench(hapax_resend::integration(), credentials).await.expect("a bench")
}

fn mail() -> Value {
    json!({
        "from": { "address": "onboarding@resend.dev", "name": "Acme" },
        "to": [{ "address": "delivered@resend.dev" }],
        "subject": "Hello World",
        "text": "It is due.",
    })
}

/// A mail with everything that can be said.
fn whole_mail() -> Value {
    let mut mail = mail();
    let more = json!({
        "cc": [{ "address": "cc@resend.dev" }],
        "bcc": [{ "address": "bcc@resend.dev", "name": "Doe, Jane" }],
        "reply_to": [{ "address": "desk@resend.dev" }],
        "html": "<p>It is due.</p>",
        "headers": { "X-Order": "1042" },
        "tags": { "category": "invoice" },
        "attachments": [{
            "filename": "účet.pdf", "content": "aGFwYXg=", "content_type": "application/pdf", "content_id": "bill",
        }],
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        mail[name] = value.clone();
    }
    mail
}

/// Every request is valid by the description, and every field of a mail is one that it has.
#[track_caller]
fn valid(mock: &Mock, bench: &Bench) {
    assert_eq!(bench.faults(), Vec::<String>::new());
    let known = |schema: &str, name: &String| {
        mock.description()["components"]["schemas"][schema]["properties"].get(name).is_some()
    };
    for seen in bench.proxy().seen() {
        let body: Value = serde_json::from_slice(&seen.body).unwrap_or_default();
        let mails = if body.is_array() { body.as_array().cloned().unwrap_or_default() } else { vec![body] };
        for mail in mails.iter().filter_map(Value::as_object) {
            let unknown: Vec<_> = mail.keys().filter(|name| !known("SendEmailRequest", name)).collect();
            assert!(unknown.is_empty(), "{unknown:?}");
            let files = mail.get("attachments").and_then(Value::as_array).into_iter().flatten();
            let names = files.filter_map(Value::as_object).flat_map(|file| file.keys());
            assert!(names.into_iter().all(|name| known("Attachment", name)));
        }
    }
}

#[tokio::test]
async fn shape_at_prism_of_send() {
    let Some(mock) = mock().await else { return };
    let mut scheduled = mail();
    scheduled["scheduled_at"] = "2037-01-01T00:00:00Z".into();
    let mut template = mail();
    template["template"] = json!({ "id": "invoice", "variables": { "name": "Jané", "count": 2 } });
    template.as_object_mut().expect("an object").remove("text");
    for args in [whole_mail(), scheduled, template] {
        let bench = bench(&mock).await;
        let report = bench.run("resend.send", &args).await.expect("it is settled");
        valid(&mock, &bench);
        assert!(matches!(&report.outcome, Outcome::Succeeded { receipt } if receipt["id"] == ID), "{report:?}");
        assert_eq!(bench.arrived(), ["POST /emails"]);
    }
}

#[tokio::test]
async fn shape_at_prism_of_send_batch() {
    let Some(mock) = mock().await else { return };
    let bench = bench(&mock).await;
    // The canned answer has one id.
    let report = bench.run("resend.send_batch", &json!({ "mails": [mail()] })).await.expect("it is settled");
    valid(&mock, &bench);
    assert!(matches!(&report.outcome, Outcome::Succeeded { receipt } if receipt["ids"] == json!([ID])), "{report:?}");
    assert_eq!(bench.arrived(), ["POST /emails/batch"]);
}

#[tokio::test]
async fn shape_at_prism_of_cancel_scheduled() {
    let Some(mock) = mock().await else { return };
    let bench = bench(&mock).await;
    let report = bench.run("resend.cancel_scheduled", &json!({ "mail": ID })).await.expect("it is settled");
    valid(&mock, &bench);
    assert!(matches!(&report.outcome, Outcome::Succeeded { receipt } if receipt["id"] == ID), "{report:?}");
    assert_eq!(bench.arrived(), [format!("POST /emails/{ID}/cancel")]);
}

#[tokio::test]
async fn shape_at_prism_of_reading_a_mail() {
    let Some(mock) = mock().await else { return };
    let bench = bench(&mock).await;
    bench.proxy().inject(When::on("POST", "/emails").always(), Fault::CutAfterCommit);
    let report = bench.run("resend.send", &mail()).await.expect("it is settled");
    assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "{report:?}");
    let report = bench.named(&report, ID).await.expect("it is read and compared");
    valid(&mock, &bench);
    let Outcome::Succeeded { receipt } = &report.outcome else { panic!("{report:?}") };
    // Prism answers with the first word of the list, not with the example.
    assert_eq!((&receipt["id"], &receipt["last_event"]), (&json!(ID), &json!("bounced")));
    assert_eq!(bench.arrived().last(), Some(&format!("GET /emails/{ID}")));
}

#[tokio::test]
async fn a_request_that_the_description_forbids_is_noticed() {
    let Some(mock) = mock().await else { return };
    let bench = bench(&mock).await;
    let call = Call::post(&format!("{}/emails", bench.proxy().url())).header("authorization", "Bearer re_any");
    call.json(&json!({ "to": "delivered@resend.dev" })).send().await.expect("a reply");
    assert!(!bench.faults().is_empty(), "no sender and no subject, and nothing is said");
}
