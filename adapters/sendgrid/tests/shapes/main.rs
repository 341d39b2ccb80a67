//! What `sendgrid.send` sends and reads, compared with SendGrid's own API descriptions by Prism. These are checks of
//! shapes: Prism keeps no state, so none of them proves an effect. What each one needs: `tests/third-party/README.md`.

use hapax_conformance::shapes::{Bench, Mock};
use hapax_core::cell::Credentials;
use hapax_core::words::{Next, Outcome};
use hapax_standin::client::Call;
use hapax_standin::{Fault, When};
use serde_json::{Value, json};

async fn mock(file: &str) -> Option<Mock> {
    Mock::of(file, &[]).await.expect("it starts")
}

async fn bench(mock: &Mock) -> Bench {
    let credentials = Credentials::none().with("api_key", "SG.any".into());
    mock.bench(hapax_sendgrid::integration(), credentials).await.expect("a bench")
}

fn mail() -> Value {
    json!({
        "from": { "address": "shop@example.org", "name": "Acme" },
        "to": [{ "address": "jane@example.org" }],
        "subject": "Hello World",
        "text": "It is due.",
    })
}

/// A mail with everything that can be said.
fn whole_mail() -> Value {
    let mut mail = mail();
    let more = json!({
        "cc": [{ "address": "cc@example.org" }],
        "bcc": [{ "address": "bcc@example.org", "name": "Doe, Jane" }],
        "reply_to": { "address": "desk@example.org" },
        "html": "<p>It is due.</p>",
        "headers": { "X-Order": "1042" },
        "custom_args": { "order": "1042" },
        "categories": ["invoice"],
        "attachments": [{
            "filename": "účet.pdf", "content": "aGFwYXg=", "content_type": "application/pdf", "content_id": "bill",
        }],
        "send_at": "2037-01-01T00:00:00Z",
        "batch_id": "YzAyMzIwYWQtZDk",
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        mail[name] = value.clone();
    }
    mail
}

#[tokio::test]
async fn shape_at_prism_of_send() {
    let Some(mock) = mock("sendgrid_mail_v3.json").await else { return };
    let mut template = mail();
    template["template"] = json!({ "id": "d-1", "data": { "name": "Jané", "count": 2 } });
    template.as_object_mut().expect("an object").remove("text");
    for args in [mail(), whole_mail(), template] {
        let bench = bench(&mock).await;
        let report = bench.run("sendgrid.send", &args).await.expect("it is settled");
        assert_eq!(bench.faults(), Vec::<String>::new());
        assert_eq!(bench.arrived(), ["POST /v3/mail/send"]);
        // The description's 202 has no X-Message-Id, so nobody can say that it is SendGrid's.
        assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "{report:?}");
    }
}

#[tokio::test]
async fn shape_at_prism_of_the_activity() {
    let Some(mock) = mock("sendgrid_email_activity_v3.json").await else { return };
    let bench = bench(&mock).await;
    bench.proxy().inject(When::on("POST", "/v3/mail/send").always(), Fault::CutAfterHeaders);
    let report = bench.run("sendgrid.send", &mail()).await.expect("it is settled");
    assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "{report:?}");
    // The canned messages are to others, so none of them is taken for what a person names.
    assert!(bench.named(&report, "abc123").await.is_err());
    assert_eq!(bench.faults(), Vec::<String>::new());
    assert!(bench.arrived().iter().any(|asked| asked.starts_with("GET /v3/messages")), "{:?}", bench.arrived());
}

#[tokio::test]
async fn a_request_that_the_description_forbids_is_noticed() {
    let Some(mock) = mock("sendgrid_mail_v3.json").await else { return };
    let bench = bench(&mock).await;
    let call = Call::post(&format!("{}/v3/mail/send", bench.proxy().url())).header("authorization", "Bearer SG.any");
    call.json(&json!({ "subject": "x" })).send().await.expect("a reply");
    assert!(!bench.faults().is_empty(), "no sender and no recipient, and nothing is said");
}
