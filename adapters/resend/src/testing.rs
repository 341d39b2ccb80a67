//! A scripted Resend for unit tests.

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script};
use hapax_core::words::Fault;
use serde_json::{Value, json};

use crate::{Mail, Mailbox};

pub(crate) const KEY: &str = "re_verysecretkey123";
/// A time after the operation began, as Resend writes it, and one of the day before.
pub(crate) const AFTER: &str = "2023-11-14 22:13:25.674981+00";
pub(crate) const BEFORE: &str = "2023-11-13 22:13:25.674981+00";

/// An answer with an error in Resend's envelope.
pub(crate) fn error(status: u16, name: &str) -> (u16, Value) {
    (status, json!({"statusCode": status, "name": name, "message": "words of Resend's"}))
}

/// The number-th id.
pub(crate) fn id(number: u32) -> String {
    format!("49a3999c-0ce1-4ea6-ab68-{number:012}")
}

pub(crate) fn mailbox(address: &str) -> Mailbox {
    Mailbox::from(address.parse::<crate::Address>().expect("an address"))
}

pub(crate) fn mail(to: &str) -> Mail {
    Mail::text(mailbox("shop@example.org"), mailbox(to), "Invoice 1042", "It is due.")
}

/// A mail as Resend shows it to these recipients; without a value of our tag it has no tags.
pub(crate) fn shown(number: u32, to: &str, tag: Option<&str>) -> Value {
    let mut mail = json!({
        "object": "email", "id": id(number), "from": "shop@example.org", "to": [to], "subject": "Invoice 1042",
        "created_at": AFTER, "last_event": "delivered", "scheduled_at": null,
    });
    if let Some(tag) = tag {
        mail["tags"] = json!([{"name": "category", "value": "invoice"}, {"name": "hapax", "value": tag}]);
    }
    mail
}

/// One page of the list.
pub(crate) fn page(mails: Vec<Value>, has_more: bool) -> (u16, Value) {
    (200, json!({"object": "list", "has_more": has_more, "data": mails}))
}

/// A desk whose requests are answered from a script.
pub(crate) fn scripted(cell: &str, answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    let credentials = Credentials::none().with("api_key", KEY.into());
    let connection = Connection::new("resend", crate::integration(), credentials).expect("a connection");
    Desk::new(connection, cell, Script::of(answers))
}

/// A desk whose first answer is lost.
pub(crate) fn losing(cell: &str) -> Desk {
    let desk = scripted(cell, []);
    desk.script().push(Err(Fault::Lost("reset".to_owned())));
    desk
}
