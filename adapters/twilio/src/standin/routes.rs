//! Which request asks for what.

use super::desk::Desk;
use super::fail::Fail;
use super::list::{Entry, page};
use super::{calls, messages};
use hapax_standin::{Request, Twists};
use serde_json::{Value, json};

/// A POST whose parameters have been read.
pub(super) enum Command {
    Send(messages::Create),
    Update(String, messages::Update),
    Call(calls::Create),
}

impl Command {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        if request.method != "POST" {
            return Err(Fail::new(405, 20004, "Method not allowed"));
        }
        match &request.segments()[..] {
            [_, _, _, "Messages.json"] => messages::Create::parse(request).map(Self::Send),
            [_, _, _, "Messages", sid] => {
                messages::Update::parse(request).map(|update| Self::Update(bare(sid).to_owned(), update))
            }
            [_, _, _, "Calls.json"] => calls::Create::parse(request).map(Self::Call),
            _ => Err(unknown(request)),
        }
    }

    /// What a success is answered with.
    pub(super) fn status(&self) -> u16 {
        match self {
            Self::Send(_) | Self::Call(_) => 201,
            Self::Update(..) => 200,
        }
    }

    pub(super) fn run(self, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        match self {
            Self::Send(create) => create.run(desk),
            Self::Update(sid, update) => update.run(&sid, desk),
            Self::Call(create) => create.run(desk),
        }
    }
}

/// Answers a GET.
pub(super) fn read(request: &Request, twists: &Twists, desk: &mut Desk<'_>) -> Result<Value, Fail> {
    match &request.segments()[..] {
        [_, _, _] => Ok(json!({ "sid": desk.account, "friendly_name": "Stand-in", "status": "active",
            "type": if desk.is_on_trial { "Trial" } else { "Full" } })),
        [_, _, _, "Messages.json"] => {
            let entries = desk.book.messages.iter().map(|message| Entry {
                created_ms: message.created_ms,
                dated_ms: message.sent_ms,
                value: message.value(),
            });
            page("messages", "DateSent", entries.collect(), request, twists, desk.now_ms)
        }
        [_, _, _, "Messages", sid] => Ok(desk.message(bare(sid))?.value()),
        [_, _, _, "Calls.json"] => {
            let entries = desk.book.calls.iter().map(|call| Entry {
                created_ms: call.created_ms,
                dated_ms: call.started_ms,
                value: call.value(),
            });
            page("calls", "StartTime", entries.collect(), request, twists, desk.now_ms)
        }
        [_, _, _, "Calls", sid] => Ok(desk.call(bare(sid))?.value()),
        _ => Err(unknown(request)),
    }
}

fn bare(sid: &str) -> &str {
    sid.trim_end_matches(".json")
}

fn unknown(request: &Request) -> Fail {
    Fail::new(404, 20404, format!("The requested resource {} was not found", request.path))
}
