//! A scripted Twilio for unit tests.

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script};
use hapax_core::words::Fault;
use serde_json::{Value, json};

pub(crate) const ACCOUNT: &str = "ACaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
pub(crate) const TOKEN: &str = "verysecrettoken123";
/// A time after the operation began, as Twilio writes it, and one of the day before.
pub(crate) const AFTER: &str = "Tue, 14 Nov 2023 22:13:25 +0000";
pub(crate) const BEFORE: &str = "Mon, 13 Nov 2023 22:13:25 +0000";

/// An answer with an error in Twilio's envelope.
pub(crate) fn error(status: u16, code: u32) -> (u16, Value) {
    let more = format!("https://www.twilio.com/docs/errors/{code}");
    (status, json!({"code": code, "message": "words of Twilio's", "more_info": more, "status": status}))
}

pub(crate) fn sid(prefix: &str, number: u8) -> String {
    format!("{prefix}{number:032x}")
}

/// A desk whose requests are answered from a script.
pub(crate) fn scripted(cell: &str, answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    let credentials = Credentials::none().with("account_sid", ACCOUNT.into()).with("auth_token", TOKEN.into());
    let connection = Connection::new("twilio", crate::integration(), credentials).expect("a connection");
    Desk::new(connection, cell, Script::of(answers))
}

/// A desk whose first answer is lost.
pub(crate) fn losing(cell: &str) -> Desk {
    let desk = scripted(cell, []);
    desk.script().push(Err(Fault::Lost("reset".to_owned())));
    desk
}

/// What was asked so far, without what all paths begin with.
pub(crate) fn asked(desk: &Desk) -> Vec<String> {
    let account = format!("/2010-04-01/Accounts/{ACCOUNT}");
    desk.asked().iter().map(|target| target.replace(&account, "")).collect()
}

/// One page of a list, with where the next one is.
pub(crate) fn page(kind: &str, records: Vec<Value>, next: Option<&str>) -> (u16, Value) {
    let mut page = json!({"page": 0, "page_size": 200, "next_page_uri": next});
    page[kind] = Value::Array(records);
    (200, page)
}
