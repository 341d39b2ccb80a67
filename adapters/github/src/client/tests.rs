use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::response;
use hapax_core::words::{Answer, Fault};
use serde_json::{Value, json};

use super::*;
use crate::CreateIssue;
use crate::testing::{TOKEN as SECRET, error, scripted};

const CELL: &str = "github.create_issue";

fn args() -> CreateIssue {
    CreateIssue::of("octo/repo", "Broken")
}

fn code_of(status: u16, body: &Value) -> Option<Code> {
    GitHub.code(&response(status, body))
}

#[tokio::test]
async fn client_secrets_are_never_shown() {
    let (status, body) = error(401, &format!("Bad credentials {SECRET}"), Value::Null);
    let desk = scripted(CELL, [(status, body.clone()), (status, body)]);
    let answer: Answer<_> = desk.attempt(&args()).await;
    let look = desk.find(&args()).await;
    let connection = desk.wire().connection();
    let shown = format!("{answer:?} {look:?} {:?} {connection:?}", connection.credentials);
    assert!(!shown.contains("verysecret"), "{shown}");
    let request = desk.request(0);
    assert!(!request.headers.iter().any(|(_, value)| value.contains("verysecret")));
    let (name, value) = &request.secrets[0];
    assert_eq!((name.as_str(), value.expose_secret()), ("Authorization", format!("Bearer {SECRET}").as_str()));
}

#[test]
fn client_messages_name_nobody() {
    let complaint = json!([{"resource": "Issue", "field": "assignees", "code": "invalid", "value": "anna",
        "message": "Could not resolve to a node with login anna"}, "anna can't be assigned"]);
    let code = code_of(422, &error(422, "Validation Failed for anna", complaint).1).expect("an error");
    let shown = format!("{code:?}");
    assert!(!shown.contains("anna"), "{shown}");
    assert_eq!((code.kind.as_str(), code.code.as_str()), ("several", "several"));
    let one = json!([{"resource": "Issue", "field": "title", "code": "missing_field"}]);
    let code = code_of(422, &error(422, "Validation Failed", one).1).expect("an error");
    assert_eq!((code.kind.as_str(), code.code.as_str()), ("title", "missing_field"));
    assert_eq!(code.message, "GitHub answers 422 missing_field about title");
}

#[test]
fn client_missing_credential_is_not_sent() {
    let missing = Connection::new("github", crate::integration(), Credentials::none()).expect_err("no token");
    assert!(missing.to_string().contains("GITHUB_TOKEN"), "{missing}");
}

#[test]
fn client_reads_only_githubs_envelope() {
    let foreign = |status: u16, body: Value| {
        assert_eq!(code_of(status, &body), None, "{status} {body}");
        assert!(!GitHub.is_absent(&response(status, &body)), "{status} {body}");
    };
    foreign(404, json!({"message": "Not Found"}));
    foreign(404, json!({"message": "Not Found", "documentation_url": "https://emulate.dev/github"}));
    foreign(404, json!({"message": "Not Found", "documentation_url": "https://docs.github.com.evil.example/"}));
    foreign(404, Value::Null);
    foreign(403, json!({"error": "blocked by the proxy"}));
    foreign(200, error(200, "Pull Request successfully merged", Value::Null).1);
    assert!(GitHub.is_absent(&response(404, &error(404, "Not Found", Value::Null).1)));
    assert!(!GitHub.is_absent(&response(410, &error(410, "Gone", Value::Null).1)));
}

#[test]
fn client_limits_are_told_apart() {
    let named = |status: u16, message: &str, remaining: Option<&str>| {
        let mut answer = response(status, &error(status, message, Value::Null).1);
        answer.headers.extend(remaining.map(|left| ("x-ratelimit-remaining".to_owned(), left.to_owned())));
        GitHub.code(&answer).expect("an error").code
    };
    let primary = "API rate limit exceeded for user ID 1.";
    assert_eq!(named(403, primary, Some("0")), "rate_limit");
    assert_eq!(named(403, primary, Some("12")), "forbidden");
    assert_eq!(named(403, primary, None), "forbidden");
    assert_eq!(named(403, "Repository was archived so is read-only.", Some("0")), "forbidden");
    assert_eq!(named(403, "You have exceeded a secondary rate limit.", Some("12")), "secondary_rate_limit");
    assert_eq!(named(422, primary, Some("0")), "validation_failed");
}

#[tokio::test]
async fn client_pins_the_version() {
    let desk = scripted(CELL, [(200, json!([])), (500, Value::Null)]);
    desk.find(&args()).await.expect("a finding");
    desk.attempt(&args()).await;
    for number in 0..2 {
        let headers = desk.request(number).headers;
        let of = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        assert_eq!(of("X-GitHub-Api-Version").as_deref(), Some("2022-11-28"));
        assert_eq!(of("Accept").as_deref(), Some("application/vnd.github+json"));
    }
}

#[tokio::test]
async fn client_whoami_names_the_account() {
    let desk = scripted(CELL, [(200, json!({"login": "octocat"}))]);
    assert_eq!(GitHub.whoami(desk.wire()).await, Ok("GitHub user octocat".to_owned()));
    let not_for_apps = error(403, "Resource not accessible by integration", Value::Null);
    let desk = scripted(CELL, [not_for_apps, (200, json!({"total_count": 1, "repositories": []}))]);
    assert!(GitHub.whoami(desk.wire()).await.is_ok_and(|words| words.contains("GitHub App")));
    let desk = scripted(CELL, [error(401, "Bad credentials", Value::Null)]);
    assert!(matches!(GitHub.whoami(desk.wire()).await, Err(Fault::Status(401, _))));
}
