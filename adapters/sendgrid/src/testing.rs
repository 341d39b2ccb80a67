//! A scripted SendGrid for unit tests.

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script};
use hapax_core::words::Fault;
use serde_json::{Value, json};

use crate::{Mail, Mailbox};

pub(crate) const KEY: &str = "SG.verysecretkey123";

/// An answer with an error in SendGrid's envelope.
pub(crate) fn error(status: u16) -> (u16, Value) {
    (status, json!({ "errors": [{ "message": "words of SendGrid's", "field": "from.email", "help": null }] }))
}

pub(crate) fn mailbox(address: &str) -> Mailbox {
    Mailbox::from(address.parse::<crate::Address>().expect("an address"))
}

pub(crate) fn mail(to: &str) -> Mail {
    Mail::text(mailbox("shop@example.org"), mailbox(to), "Invoice 1042", "It is due.")
}

/// A desk whose requests are answered from a script.
pub(crate) fn scripted(cell: &str, answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    let credentials = Credentials::none().with("api_key", KEY.into());
    let connection = Connection::new("sendgrid", crate::integration(), credentials).expect("a connection");
    Desk::new(connection, cell, Script::of(answers))
}

/// A desk whose first answer is lost.
pub(crate) fn losing(cell: &str) -> Desk {
    let desk = scripted(cell, []);
    desk.script().push(Err(Fault::Lost("reset".to_owned())));
    desk
}
