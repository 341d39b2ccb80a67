//! A scripted Slack for unit tests.

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script};
use hapax_core::words::Fault;
use serde_json::{Value, json};

pub(crate) const TOKEN: &str = "xoxb-verysecret-123";
pub(crate) const CHANNEL: &str = "C0123456789";
/// A message after the operation began (which is the second 1700000000).
pub(crate) const TS: &str = "1700000005.000100";

/// A refusal as Slack writes it: inside a 200.
pub(crate) fn error(code: &str) -> (u16, Value) {
    (200, json!({"ok": false, "error": code}))
}

/// A desk whose requests are answered from a script, with all needs met.
pub(crate) fn scripted(cell: &str, answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    let connection = connection(TOKEN);
    let needs: Vec<String> = [crate::facts::READS_HISTORY.words()].into_iter().map(str::to_owned).collect();
    Desk::new(connection.meets(needs), cell, Script::of(answers))
}

pub(crate) fn connection(token: &str) -> Connection {
    let credentials = Credentials::none().with("token", token.into());
    Connection::new("slack", crate::integration(), credentials).expect("a connection")
}

/// A desk whose first answer is lost.
pub(crate) fn losing(cell: &str) -> Desk {
    let desk = scripted(cell, []);
    desk.script().push(Err(Fault::Lost("reset".to_owned())));
    desk
}

/// A page of a conversation, with where it goes on.
pub(crate) fn page(messages: Vec<Value>, next: &str) -> (u16, Value) {
    let more = !next.is_empty();
    (200, json!({"ok": true, "messages": messages, "has_more": more, "response_metadata": {"next_cursor": next}}))
}

/// A page of what is pending.
pub(crate) fn pending(entries: Vec<Value>, next: &str) -> (u16, Value) {
    (200, json!({"ok": true, "scheduled_messages": entries, "response_metadata": {"next_cursor": next}}))
}

/// Arguments with other fields; null takes one away.
pub(crate) fn changed<T: serde::de::DeserializeOwned>(mut fields: Value, more: &Value) -> T {
    for (name, value) in more.as_object().expect("fields") {
        fields[name] = value.clone();
    }
    fields.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
    serde_json::from_value(fields).expect("arguments")
}
