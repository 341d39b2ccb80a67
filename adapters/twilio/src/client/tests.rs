use hapax_core::cell::{Connection, Credentials};
use hapax_core::words::{Answer, Fault};
use serde_json::{Value, json};

use super::*;
use crate::testing::{ACCOUNT, TOKEN, error, scripted};
use crate::{Address, SendMessage, Sender};
use hapax_core::testing::response;

fn message() -> SendMessage {
    let to = Address::new("+15551230001").expect("a number");
    SendMessage::text(to, Sender::new("Acme").expect("a name"), "Your table is ready.")
}

fn credentials(pairs: &[(&str, &str)]) -> Credentials {
    pairs.iter().fold(Credentials::none(), |all, (name, value)| all.with(name, (*value).into()))
}

#[tokio::test]
async fn client_secrets_are_never_shown() {
    let quoting = json!({"code": 20003, "status": 401, "more_info": "x",
        "message": format!("Authenticate {TOKEN} of {ACCOUNT}")});
    let desk = scripted("twilio.send_message", [(401, quoting.clone()), (401, quoting)]);
    let answer: Answer<_> = desk.attempt(&message()).await;
    let look = desk.find(&message()).await;
    let connection = desk.wire().connection();
    let scope = Twilio.scope(connection);
    let shown = format!("{answer:?} {look:?} {:?} {connection:?} {scope}", connection.credentials);
    assert!(!shown.contains("verysecret"), "{shown}");
    assert!(!shown.contains(ACCOUNT), "{shown}");
    let request = desk.request(0);
    assert!(!request.headers.iter().any(|(_, value)| value.contains("Basic")));
    assert_eq!(request.secrets[0].0, "Authorization");
}

#[test]
fn client_messages_name_nobody() {
    let said = |message: &str| {
        let body = json!({"code": 21211, "message": message, "more_info": "x", "status": 400});
        Twilio.code(&response(400, &body)).expect("an error").message
    };
    let words = said("The 'To' number +15551230001 is not a valid phone number.");
    assert_eq!(
        words,
        "The 'To' number ... is not a valid phone number. (https://www.twilio.com/docs/api/errors/21211)"
    );
    assert!(!said("no route to sip:anna@example.com").contains("anna"));
}

#[test]
fn client_missing_credential_is_not_sent() {
    let why = |pairs: &[(&str, &str)]| {
        let connection = match Connection::new("twilio", crate::integration(), credentials(pairs)) {
            Ok(connection) => connection,
            Err(missing) => return missing.to_string(),
        };
        let fault = Twilio.authorize(&connection, &mut Request::get(MESSAGES));
        let Err(Fault::NotSent(why)) = fault else { panic!("{fault:?}") };
        why
    };
    assert!(why(&[]).contains("TWILIO_ACCOUNT_SID"));
    assert!(why(&[("account_sid", "AC1")]).contains("no account SID"));
    assert!(why(&[("account_sid", ACCOUNT)]).contains("TWILIO_AUTH_TOKEN"));
    assert!(why(&[("account_sid", ACCOUNT), ("api_key", "SK1")]).contains("TWILIO_API_SECRET"));
}

#[test]
fn client_signs_in_by_token_or_api_key() {
    let signed = |pairs: &[(&str, &str)]| {
        let mut request = Request::get(MESSAGES);
        let connection = Connection::new("twilio", crate::integration(), credentials(pairs)).expect("a connection");
        Twilio.authorize(&connection, &mut request).expect("signed");
        assert_eq!(request.path, format!("/2010-04-01/Accounts/{ACCOUNT}/Messages.json"));
        let basic = request.secrets[0].1.expose_secret().strip_prefix("Basic ").expect("Basic").to_owned();
        String::from_utf8(STANDARD.decode(basic).expect("base64")).expect("text")
    };
    let token = [("account_sid", ACCOUNT), ("auth_token", TOKEN)];
    assert_eq!(signed(&token), format!("{ACCOUNT}:{TOKEN}"));
    let both = [token[0], token[1], ("api_key", "SK1"), ("api_secret", "s")];
    assert_eq!(signed(&both), "SK1:s");
}

#[test]
fn client_reads_only_twilios_envelope() {
    let code = |status, body| Twilio.code(&response(status, &body)).map(|code| code.code);
    assert_eq!(code(404, json!({"message": "Not Found", "documentation_url": "x"})), None);
    assert_eq!(code(502, json!("<html>")), None);
    assert_eq!(code(400, json!({"code": "21211", "message": "x", "status": 400})), None);
    assert_eq!(code(201, json!({"sid": "SM1", "status": "queued", "error_code": null})), None);
    let (status, body) = error(400, 21211);
    assert_eq!(code(status, body), Some("21211".to_owned()));
}

#[test]
fn client_absent_only_by_its_code() {
    let absent = |(status, body): (u16, Value)| Twilio.is_absent(&response(status, &body));
    assert!(absent(error(404, 20404)));
    assert!(!absent(error(404, 20008)), "an account that may not read it");
    assert!(!absent(error(400, 20404)));
    assert!(!absent((404, json!({"message": "Not Found"}))));
}

#[test]
fn client_scope_names_account_region_and_edge() {
    let scope = |url: &str| {
        let given = credentials(&[("account_sid", ACCOUNT), ("auth_token", TOKEN)]);
        let connection = Connection::new("twilio", crate::integration(), given).expect("a connection");
        Twilio.scope(&connection.at(url).expect("a URL"))
    };
    assert_eq!(scope("https://api.twilio.com"), "account_sid=..aaaaaa region=us1 edge=default");
    assert_eq!(scope("https://api.dublin.ie1.twilio.com"), "account_sid=..aaaaaa region=ie1 edge=dublin");
    assert_eq!(scope("https://api.ie1.twilio.com"), "account_sid=..aaaaaa region=ie1 edge=default");
    assert_eq!(scope("http://127.0.0.1:4300"), "account_sid=..aaaaaa region=us1 edge=default");
}

#[tokio::test]
async fn client_whoami_names_the_account() {
    let account = json!({"sid": ACCOUNT, "friendly_name": "Anna's account", "type": "Trial", "status": "active"});
    let desk = scripted("twilio.call", [(200, account)]);
    assert_eq!(Twilio.whoami(desk.wire()).await, Ok(format!("Twilio account {ACCOUNT}, Trial, active")));
    let desk = scripted("twilio.call", [error(401, 20003), error(401, 20003)]);
    assert!(matches!(Twilio.whoami(desk.wire()).await, Err(Fault::Status(401, _))));
}

#[tokio::test]
async fn client_whoami_without_account_endpoint() {
    for refusal in [(404, json!({"message": "Not Found"})), error(401, 20003)] {
        let desk = scripted("twilio.call", [refusal, (200, json!({"messages": [], "next_page_uri": null}))]);
        let words = Twilio.whoami(desk.wire()).await.expect("words");
        assert!(words.contains("can't be read"), "{words}");
    }
}
