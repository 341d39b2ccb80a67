//! Answers of token endpoints: nothing is taken for a token that isn't one, and what is said of the others holds no secret.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials, Wire};
use hapax_core::clock::{SharedClock, SystemClock};
use hapax_core::oauth::{Client, Grant, Token, Tokens};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::ExposeSecret;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::bytes::{EXECUTIONS, LONGEST, Tape, changed};
use crate::recorded::Player;

/// Each stands where an endpoint may repeat it.
const SECRETS: [&str; 4] = ["client-verysecret-1", "refresh-verysecret-2", "access-verysecret-3", "id-verysecret-4"];

const VALID: [(u16, &str); 7] = [
    (200, r#"{"access_token":"access-verysecret-3","token_type":"Bearer","expires_in":3599}"#),
    (
        200,
        r#"{"scope":"a b","access_token":"access-verysecret-3","token_type":"bearer","refresh_token":"refresh-verysecret-2","app_id":"APP","expires_in":32400,"nonce":"n","id_token":"id-verysecret-4"}"#,
    ),
    (200, r#"{"token_type":"bearer","access_token":"access-verysecret-3","state":"approved"}"#),
    (
        400,
        r#"{"error":"invalid_grant","error_description":"no refresh-verysecret-2 here","error_uri":"https://a.example/"}"#,
    ),
    (401, r#"{"error":"invalid_client","error_description":"bad client-verysecret-1"}"#),
    (503, r#"{"message":"client-verysecret-1 comes too often"}"#),
    (200, r#"{"ok":false,"error":"invalid_refresh_token","given":"refresh-verysecret-2"}"#),
];

const STATUSES: [u16; 9] = [200, 201, 204, 302, 400, 401, 404, 429, 500];

/// What stands before a code that is repeated as it came. Known and let pass: an endpoint that puts a secret into the code
/// itself, which is a word of the standard or of the provider.
const CODE: &str = "the token endpoint refuses: ";

fn grants() -> [Grant; 3] {
    let client = |by_header| Client {
        id: "client".to_owned(),
        secret: Some("client-verysecret-1".into()),
        url: "https://token.example/oauth/token".to_owned(),
        by_header,
    };
    [
        Grant::RefreshToken { client: client(false), refresh_token: "refresh-verysecret-2".into() },
        Grant::ClientCredentials { client: client(true), extra: vec![("scope", "a".to_owned())] },
        Grant::ClientCredentials { client: client(false), extra: Vec::new() },
    ]
}

fn wire(answer: Response) -> Wire {
    let integration = hapax_catalog::integration("paypal").expect("an integration");
    let fields = hapax_catalog::stand_in_credentials("paypal").iter();
    let credentials =
        fields.fold(Credentials::none(), |known, (name, value)| known.with(name, (*value).to_owned().into()));
    let connection = Connection::new("fuzzed", integration, credentials).expect("a connection");
    let clock: SharedClock = Arc::new(SystemClock::new());
    Wire::new(Arc::new(connection), Player::of(vec![answer]), clock)
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// What an answer says. Known and let pass: whatever comes after it is passed over, by the OAuth library's reader.
fn value(heard: &Response) -> Option<Value> {
    serde_json::Deserializer::from_slice(&heard.body).into_iter().next()?.ok()
}

/// The token that an answer gives by the standard, if it gives one.
fn given(heard: &Response) -> Option<String> {
    let value = value(heard)?;
    let kind = value.get("token_type")?.is_string();
    let token = value.get("access_token")?.as_str().filter(|_| kind)?;
    Some(token.to_owned())
}

/// What must hold of what was made of one answer.
fn hold(heard: &Response, got: &Result<Token, Fault>, sent: Option<&str>) {
    let text = String::from_utf8_lossy(&heard.body);
    match got {
        Ok(token) => {
            assert!(heard.is_success(), "status {} gave a token: {text}", heard.status);
            let given = given(heard).unwrap_or_else(|| panic!("a token was read from {text}"));
            assert_eq!(sent, Some(format!("Bearer {given}").as_str()), "another token was put into the request");
            let asked = value(heard).and_then(|value| value.get("expires_in").and_then(Value::as_u64));
            let life_ms = asked.map_or(3_600_000, |seconds| seconds.saturating_mul(1000));
            assert!(token.life_ms <= life_ms, "a token lives {} ms by {text}", token.life_ms);
        }
        Err(fault) => {
            let said = fault.to_string();
            let shown = format!("{said} {fault:?}");
            assert!(tells_no_secret(&shown) || said.contains(CODE) && is_the_code(heard), "{shown} tells a secret");
            assert!(sent.is_none(), "a request was authorized without a token");
        }
    }
}

fn tells_no_secret(text: &str) -> bool {
    SECRETS.iter().all(|secret| !text.contains(secret))
}

/// Whether the code of an error holds a secret.
fn is_the_code(heard: &Response) -> bool {
    value(heard).is_some_and(|value| value["error"].as_str().is_some_and(|code| !tells_no_secret(code)))
}

async fn asked(grant: &Grant, heard: &Response) -> (Result<Token, Fault>, Option<String>) {
    let (tokens, wire) = (Tokens::default(), wire(heard.clone()));
    let got = tokens.renew(&wire, grant).await;
    let mut request = Request::get("/v1/me");
    let sent = tokens.authorize(grant, &mut request).ok().map(|()| request.secrets[0].1.expose_secret().to_owned());
    assert!(tells_no_secret(&format!("{tokens:?} {request:?}")), "{tokens:?} {request:?}");
    (got, sent)
}

#[test]
fn no_answer_is_taken_for_a_token_that_is_none_and_no_secret_is_told() {
    let (runtime, grants) = (AssertUnwindSafe(runtime()), AssertUnwindSafe(grants()));
    for (status, body) in VALID {
        let heard = Response { status, headers: Vec::new(), body: body.into() };
        let (got, sent) = runtime.block_on(asked(&grants[0], &heard));
        assert_eq!(got.is_ok(), given(&heard).is_some());
        hold(&heard, &got, sent.as_deref());
    }
    bolero::check!().with_iterations(EXECUTIONS).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let mut tape = Tape::new(bytes);
        let (mut status, valid) = *tape.pick(&VALID);
        if tape.below(3) == 0 {
            status = *tape.pick(&STATUSES);
        }
        let grant = tape.below(grants.len());
        let heard = Response { status, headers: Vec::new(), body: changed(valid.as_bytes(), &mut tape) };
        let (got, sent) = runtime.block_on(asked(&grants[grant], &heard));
        hold(&heard, &got, sent.as_deref());
    });
}

/// Readers that take an error for a token, mistake the token, and say what they could not read.
#[test]
fn what_takes_an_answer_for_a_token_or_tells_a_secret_is_found() {
    let runtime = runtime();
    let of = |status: u16, body: &str| Response { status, headers: Vec::new(), body: body.into() };
    let good = of(200, VALID[0].1);
    let (token, sent) = runtime.block_on(asked(&grants()[0], &good));
    hold(&good, &token, sent.as_deref());
    let fails = |heard: Response, got: Result<Token, Fault>, sent: Option<&str>| {
        std::panic::catch_unwind(AssertUnwindSafe(|| hold(&heard, &got, sent))).is_err()
    };
    assert!(fails(of(500, VALID[0].1), token.clone(), sent.as_deref()), "an error is a token");
    assert!(fails(of(200, r#"{"access_token":"#), token.clone(), sent.as_deref()), "half an answer is a token");
    assert!(fails(good.clone(), token.clone(), Some("Bearer other")), "another token");
    let short = of(200, r#"{"access_token":"access-verysecret-3","token_type":"Bearer","expires_in":5}"#);
    assert!(fails(short, token, sent.as_deref()), "a token outlives itself");
    let quoting = Fault::Unread(format!("expected a number at {}", SECRETS[2]));
    assert!(fails(of(200, "{}"), Err(quoting), None), "the parser's own words");
}
