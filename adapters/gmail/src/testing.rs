//! A scripted Google for unit tests.

use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials};
use hapax_core::testing::{Desk, Script};
use hapax_core::words::Fault;
use serde_json::{Value, json};

use crate::{Mail, Mailbox};

pub(crate) const TOKEN: &str = "ya29.verysecret";

/// An answer with an error in Google's envelope.
pub(crate) fn error(status: u16, reason: &str) -> (u16, Value) {
    let message = "words about jane@example.com";
    let errors = json!([{ "domain": "global", "reason": reason, "message": message }]);
    (status, json!({ "error": { "code": status, "status": "STATUS", "message": message, "errors": errors } }))
}

/// The mail that tests send.
pub(crate) fn mail() -> Mail {
    let jane: Mailbox = Mailbox::named("jane@example.com".parse().expect("an address"), "Jané");
    Mail::to(jane, "Grüße", "It is due.")
}

pub(crate) fn scripted(answers: impl IntoIterator<Item = (u16, Value)>) -> Desk {
    scripted_for(Script::of(answers), Credentials::none().with("access_token", TOKEN.into()))
}

/// A desk whose first answer is lost.
pub(crate) fn losing() -> Desk {
    let desk = scripted([]);
    desk.script().push(Err(Fault::Lost("reset".to_owned())));
    desk
}

pub(crate) fn scripted_for(script: Arc<Script>, credentials: Credentials) -> Desk {
    Desk::new(Connection::new("gmail", crate::integration(), credentials).expect("a connection"), "gmail.send", script)
}

/// What is journaled before a draft is sent.
pub(crate) trait Noted {
    /// With the draft alone.
    fn drafted(self) -> Self;
    /// With draft and thread.
    fn noted(self) -> Self;
}

impl Noted for Desk {
    fn drafted(self) -> Self {
        self.noting("draft", "r1")
    }

    fn noted(self) -> Self {
        self.drafted().noting("thread", "t1")
    }
}
