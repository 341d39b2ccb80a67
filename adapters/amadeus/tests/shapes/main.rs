//! What Amadeus' cells send and read, compared with the vendor's API descriptions by Prism. These are checks of shapes:
//! Prism keeps no state, so none of them proves an effect. What they need: `tests/third-party/README.md`.

mod flights;
mod hotels;

use hapax_conformance::shapes::{Bench, Mock};
use hapax_core::cell::Credentials;
use hapax_core::executor::RunReport;
use hapax_core::words::{Next, Outcome};
use hapax_standin::third_party::prism::{self, Edit};
use hapax_standin::{Fault, Rewrite, When};
use serde_json::{Value, json};

const LOCAL_TIMES: Edit = Edit {
    why: "times are local and have no offset, which `date-time` demands; the vendor's own examples fail",
    make: |description| {
        prism::each_object(description, &mut |object| {
            let is_time = object.get("format").is_some_and(|format| format == "date-time");
            is_time && object.remove("format").is_some()
        })
    },
};

/// A bench whose requests arrive as the descriptions have them: they know neither the version in a path, nor tokens.
async fn bench(mock: &Mock) -> Bench {
    // The card of the vendor's example.
    let credentials = [
        ("client_id", "id"),
        ("client_secret", "secret"),
        ("card_vendor", "VI"),
        ("card_number", "4151289722471370"),
        ("card_expiry", "2026-08"),
        ("card_holder", "BOB SMITH"),
    ];
    let all = credentials.into_iter().fold(Credentials::none(), |all, (name, value)| all.with(name, value.into()));
    let bench = mock.bench(hapax_amadeus::integration(), all).await.expect("a bench");
    let token = json!({ "token_type": "Bearer", "access_token": "any", "expires_in": 1799 });
    bench.proxy().inject(When::on("POST", "/v1/security/oauth2/token").always(), Fault::reply(200, &token));
    bench
}

/// Lets everything else through, and asks for an answer by its status where one is named. Of several that match, the first
/// counts.
fn let_through(bench: &Bench, answers: &[(When, u16)]) {
    let rewrite = |version: &str, status: Option<u16>| {
        let headers = status.map(|status| ("prefer".to_owned(), format!("code={status}"))).into_iter().collect();
        Fault::Rewrite(Rewrite { without_prefix: Some(version.to_owned()), headers })
    };
    for (when, status) in answers {
        let version = when.path.as_deref().and_then(|path| path.get(..3)).unwrap_or_default();
        bench.proxy().inject(when.clone(), rewrite(version, Some(*status)));
    }
    for version in ["/v1", "/v2"] {
        let all = When { path: Some(format!("{version}/*")), ..When::default() };
        bench.proxy().inject(all.always(), rewrite(version, None));
    }
}

/// Runs a cell and returns the requests that arrived, all of them valid by the description.
async fn run(bench: &Bench, cell: &str, args: &Value) -> (RunReport, Vec<String>) {
    let report = bench.run(cell, args).await.expect("it is settled");
    assert_eq!(bench.faults(), Vec::<String>::new());
    (report, bench.arrived())
}

/// The body of the last request as it came.
fn sent(bench: &Bench) -> Value {
    let seen = bench.proxy().seen();
    serde_json::from_slice(&seen.last().expect("a request").body).expect("a body in JSON")
}

/// The vendor's example of the body of a request.
fn example_of_body(mock: &Mock, path: &str) -> Value {
    let parameters = mock.description()["paths"][path]["post"]["parameters"].as_array().expect("parameters");
    parameters.iter().find(|one| one["in"] == "body").expect("a body")["schema"]["example"].clone()
}

#[track_caller]
fn receipt(report: &RunReport) -> Value {
    match &report.outcome {
        Outcome::Succeeded { receipt } => receipt.clone(),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(report: &RunReport, code: &str) {
    assert!(matches!(&report.outcome, Outcome::Refused { reason } if reason.code == code), "{report:?}");
}

#[track_caller]
fn a_persons(report: &RunReport) {
    assert!(matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. }), "{report:?}");
}
