//! A stand-in for Microsoft Graph: a mailbox with mails and calendars, chats, and the token endpoint.
//!
//! It behaves as `FAILURE_MODES.md` says, keeps its state in memory, counts what happened and can be told to break.
//! Effects are of the kinds `mail`, `event` and `chat_message`, with our mark among their metadata as `hapax`.
//!
//! A draft that was told to go is queued for two seconds, in which it still looks like a draft and goes once more if it is
//! told so again, with a copy of its own. A `transactionId` is remembered for ten minutes, and not noticed within two seconds. A recipient in
//! `.invalid` is 400 when the draft is sent, a title or text with the word `refused` is 400, and a calendar or chat whose id
//! has the word `missing` is 404. Told to ignore its key, it sends mails that are no drafts any more, and takes no notice of
//! `transactionId`.

mod chats;
mod events;
mod fail;
mod mails;
mod oauth;
mod properties;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;

use fail::Fail;
use hapax_standin::{Api, Collection, IssuedTokens, Reply, Request, Routes, Server, Service, World};
use serde_json::{Value, json};

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("access_token", "EwB.standin")];

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
///
/// # Errors
/// The port can't be had.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// Microsoft Graph in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<MsGraph>);

#[derive(Default)]
struct MsGraph {
    mails: Collection<mails::Mail>,
    calendars: HashMap<String, Collection<events::Event>>,
    chats: HashMap<String, Collection<chats::Message>>,
    tokens: IssuedTokens,
    hides_mails: bool,
}

impl StandIn {
    /// A stand-in with an empty mailbox, which accepts every token that begins as those of its
    /// credentials do.
    pub fn new(world: World) -> Self {
        Self(Service::new(world, MsGraph::default()))
    }

    /// Tokens without the right to read mails.
    pub fn without_reading(self) -> Self {
        self.0.state().hides_mails = true;
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to steer what the owner does.
    ///
    /// # Errors
    /// The port can't be had.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }

    /// Takes back every token that was issued. Tokens made up by a test stay good.
    pub fn revoke(&self) {
        self.0.state().tokens.revoke_all();
    }
}

impl Api for MsGraph {
    fn routes() -> Routes<Self> {
        let routes = Routes::new()
            .open("POST", "/{tenant}/oauth2/v2.0/token", oauth::issue)
            .post("/v1.0/chats/{chat}/messages", chats::post)
            .get("/v1.0/chats/{chat}/messages", chats::list)
            .get("/v1.0/chats/{chat}/messages/{message}", chats::show);
        ["/v1.0/me", "/v1.0/users/{user}"].iter().fold(routes, |routes, mailbox| {
            let at = |path: &str| format!("{mailbox}{path}");
            routes
                .get(mailbox, |_| Ok::<Value, Fail>(json!({ "id": "1", "mail": "owner@example.com" })))
                .get(&at("/chats"), |_| Ok::<Value, Fail>(json!({ "value": [] })))
                // A draft is no effect: nobody gets it.
                .plain("POST", &at("/messages"), mails::create)
                .get(&at("/messages"), mails::list)
                .get(&at("/messages/{message}"), mails::show)
                .plain("DELETE", &at("/messages/{message}"), mails::delete)
                .post(&at("/messages/{message}/send"), mails::send)
                .post(&at("/events"), events::create)
                .get(&at("/events"), events::list)
                .get(&at("/events/{event}"), events::show)
                .plain("DELETE", &at("/events/{event}"), events::delete)
                .post(&at("/calendars/{calendar}/events"), events::create)
                .get(&at("/calendars/{calendar}/events"), events::list)
        })
    }

    fn admit(&mut self, request: &Request, world: &World) -> Result<String, Reply> {
        if self.knows(request, world.now_ms()) { Ok("me".to_owned()) } else { Err(Self::error(401, None)) }
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        match status {
            502 | 504 => Reply::gateway(status),
            _ => Fail::usual(status, code).into(),
        }
    }

    fn no_route(_: &Request, _: &[&str]) -> Reply {
        Fail::new(404, "ResourceNotFound", "Resource not found for the segment.").into()
    }

    fn reset(&mut self) {
        *self = Self { hides_mails: self.hides_mails, ..Self::default() };
    }
}
