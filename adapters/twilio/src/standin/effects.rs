//! What is counted of messages and calls.

use super::book::{Call, Message};
use crate::callback::MARK;
use hapax_standin::Effect;
use url::Url;

/// To whom, from whom, the text, and the mark in the callback.
pub(super) fn message_effect(kind: &str, message: &Message) -> Effect {
    let from = message.from.as_deref().or(message.service.as_deref());
    let about = [("to", Some(message.to.as_str())), ("from", from), ("body", Some(&message.body))];
    effect(kind, &message.sid, message.callback.as_deref(), &about)
}

pub(super) fn call_effect(call: &Call) -> Effect {
    let about = [("to", Some(call.to.as_str())), ("from", Some(&call.from))];
    effect("call", &call.sid, call.callback.as_deref(), &about)
}

fn effect(kind: &str, sid: &str, callback: Option<&str>, about: &[(&str, Option<&str>)]) -> Effect {
    let about = about.iter().filter_map(|(name, value)| Some(((*name).to_owned(), (*value)?.to_owned())));
    let mark = callback.and_then(mark_of).map(|mark| (MARK.to_owned(), mark));
    Effect { kind: kind.to_owned(), object: sid.to_owned(), metadata: about.chain(mark).collect(), ..Effect::default() }
}

/// Our mark in the query of a URL.
fn mark_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    url.query_pairs().find(|(name, _)| name == MARK).map(|(_, mark)| mark.into_owned())
}
