use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hapax_core::cell::Credentials;
use hapax_core::testing::{Desk, Script};
use hapax_core::words::Answer;
use ring::signature::{KeyPair, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;
use serde_json::{Value, json};

use crate::grant::grant_of;
use crate::testing::{ETAG, error, scripted_for};
use crate::{DeleteEvent, integration};

const CELL: &str = "google_calendar.delete_event";
const READ: &str = "GET /calendar/v3/calendars/primary/events/ev1?fields=etag%2Cid%2Cstatus";

/// A key that lives as long as the test. Ring makes none of this kind, and none is kept in the
/// repository.
fn made_key() -> String {
    let call = ["genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"];
    let made = std::process::Command::new("openssl").args(call).output().expect("openssl, which makes the test's key");
    String::from_utf8(made.stdout).expect("PEM")
}

fn refreshing() -> Credentials {
    let credentials = Credentials::none().with("client_id", "client".into()).with("client_secret", "hush".into());
    credentials.with("refresh_token", "1//refresh".into()).with("token_url", "https://tokens.example/token".into())
}

fn token(name: &str, life: u64) -> (u16, Value) {
    (200, json!({ "access_token": name, "expires_in": life, "token_type": "Bearer" }))
}

fn event() -> (u16, Value) {
    (200, json!({ "id": "ev1", "status": "confirmed", "etag": ETAG }))
}

fn args() -> DeleteEvent {
    DeleteEvent::of("ev1")
}

fn desk(answers: impl IntoIterator<Item = (u16, Value)>) -> (Desk, Arc<Script>) {
    let script = Script::of(answers);
    (scripted_for(CELL, script.clone(), refreshing()), script)
}

#[test]
fn tokens_missing_credentials_are_named() {
    let check = |credentials: &Credentials, says: &str| {
        let refused = grant_of(credentials).err().expect("nothing to go with").to_string();
        assert!(refused.contains(says), "{refused}");
    };
    check(&Credentials::none(), "GOOGLE_CALENDAR_REFRESH_TOKEN");
    check(&Credentials::none().with("refresh_token", "1//x".into()), "GOOGLE_CALENDAR_CLIENT_ID");
    check(&Credentials::none().with("service_account", "{}".into()), "not the JSON");
    let key = json!({ "client_email": "a@b", "private_key": "x" }).to_string();
    check(&Credentials::none().with("service_account", key.into()), "GOOGLE_CALENDAR_SUBJECT");
}

#[tokio::test]
async fn tokens_are_refreshed_once_and_kept() {
    // A step comes without a token: one is got, and the step goes on.
    let (desk, script) = desk([token("one", 3600), event(), event()]);
    assert!(desk.prepare(&args()).await.is_ok());
    assert!(desk.prepare(&args()).await.is_ok());
    assert_eq!(script.asked(), ["POST /token", READ, READ]);
    let (base, request) = script.request(0);
    assert_eq!(base.as_str(), "https://tokens.example/");
    let form = String::from_utf8(request.encoded().expect("a form").1).expect("a form");
    for part in ["grant_type=refresh_token", "client_id=client", "client_secret=hush", "refresh_token=1%2F%2Frefresh"] {
        assert!(form.contains(part), "{part}");
    }
    assert!(!format!("{request:?}").contains("hush"));
}

#[tokio::test]
async fn tokens_are_refreshed_after_a_401() {
    let (desk, script) = desk([token("one", 3600), error(401, "authError"), token("two", 3600), event()]);
    let calendar = desk.wire().connection().integration.clone();
    calendar.refresh(desk.wire()).await.expect("a token");
    assert!(desk.prepare(&args()).await.is_ok(), "a step goes on with a new token");
    assert_eq!(script.asked().len(), 4);
    let (desk, script) = self::desk([token("one", 3600), error(401, "authError"), token("two", 3600)]);
    let desk = desk.noting("etag", ETAG);
    let calendar = desk.wire().connection().integration.clone();
    calendar.refresh(desk.wire()).await.expect("a token");
    assert!(matches!(desk.attempt(&args()).await, Answer::NotDone(..)), "a shot is never sent twice");
    calendar.refresh(desk.wire()).await.expect("a new token before the next attempt");
    assert_eq!(script.asked().len(), 3);
}

#[tokio::test]
async fn tokens_of_a_service_account_carry_the_user() {
    let made = made_key();
    let key = json!({
        "client_email": "robot@project.iam.gserviceaccount.com", "private_key": made, "private_key_id": "k1",
        "token_uri": "https://tokens.example/token",
    });
    let credentials = Credentials::none().with("service_account", key.to_string().into());
    let credentials = credentials.with("subject", "jane@example.com".into());
    let script = Script::of([token("one", 3600), event()]);
    assert!(scripted_for(CELL, script.clone(), credentials).prepare(&args()).await.is_ok());
    let (_, request) = script.request(0);
    let hapax_core::transport::Body::Form(pairs) = request.body else { panic!("a form") };
    let assertion = &pairs.iter().find(|(name, _)| name == "assertion").expect("an assertion").1;
    let (signed, signature) = assertion.rsplit_once('.').expect("three parts");
    let claims = URL_SAFE_NO_PAD.decode(signed.split('.').nth(1).expect("claims")).expect("base64");
    let claims: Value = serde_json::from_slice(&claims).expect("JSON");
    assert_eq!((&claims["sub"], &claims["aud"]), (&json!("jane@example.com"), &json!("https://tokens.example/token")));
    assert!(claims["scope"].as_str().expect("scopes").contains("auth/calendar.events"));
    let der = PrivatePkcs8KeyDer::from_pem_slice(made.as_bytes()).expect("PEM");
    let key = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).expect("a key");
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public_key().as_ref());
    let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
    public.verify(signed.as_bytes(), &signature).expect("signed by the account");
}

/// The whole way, over sockets: a step without a token, and a token that its owner takes back.
#[cfg(feature = "standin")]
#[tokio::test(flavor = "multi_thread")]
async fn tokens_revoked_between_two_events_are_got_anew() {
    use hapax_core::cell::Connection;
    use hapax_core::executor::Executor;
    use hapax_core::identity::{NamespaceSecret, OperationKey};
    use hapax_core::ledger::MemoryLedger;
    use hapax_core::transport::HttpTransport;
    use hapax_standin::World;

    use crate::{CreateEvent, When};

    let hand = crate::standin::StandIn::new(World::new(1));
    let server = hand.clone().serve(0).await.expect("a free port");
    let credentials = refreshing().with("token_url", format!("{}/token", server.url()).into());
    let connection = Connection::new("calendar", integration(), credentials).expect("a connection");
    let connection = connection.at(&server.url()).expect("an address").stand_in();
    let transport = Arc::new(HttpTransport::new());
    let executor = Executor::builder(Arc::new(MemoryLedger::new()), transport, NamespaceSecret::generate());
    let executor = executor.connection(connection).build().await.expect("an executor");
    let event = CreateEvent::of("Review", When::day("2026-12-01"), When::day("2026-12-02"));
    for number in 1..=2 {
        let key = OperationKey::from_parts(["order", &number.to_string()]).expect("a key");
        let report = executor.run_cell::<crate::CreateEventCell>("calendar", key, &event).await.expect("it runs");
        assert!(report.receipt().is_some(), "{report:?}");
        hand.revoke();
    }
    assert_eq!(server.effects().count("create_event"), 2);
}
