//! A stand-in for Gmail: one mailbox with drafts and sent mails, and the token endpoint.
//!
//! It behaves as Google's documents say (`FAILURE_MODES.md` lists them), keeps its state in memory, counts what was sent
//! and can be told to break. Effects are of the kind `mail`, with the header `X-Hapax-Key` among their metadata.
//!
//! A recipient whose domain ends in `.invalid` is refused when the draft is sent, as Gmail refuses a header that it can't
//! read. Told to ignore its key, it sends a draft without deleting it.

mod fail;
mod heads;
mod mailbox;
mod messages;
mod oauth;
#[cfg(test)]
mod tests;

use std::io;

use fail::Fail;
use hapax_standin::{Api, IssuedTokens, Reply, Request, Routes, Server, Service, World};
use mailbox::Mailbox;
use serde_json::{Value, json};

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("access_token", "ya29.standin")];

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// Gmail in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<Gmail>);

#[derive(Default)]
struct Gmail {
    hides_mails: bool,
    mailbox: Mailbox,
    tokens: IssuedTokens,
}

impl StandIn {
    /// A stand-in with an empty mailbox, which accepts every token that looks like Google's.
    pub fn new(world: World) -> Self {
        Self(Service::new(world, Gmail::default()))
    }

    /// Tokens without the scope to read mails: drafts alone.
    pub fn without_read_scope(self) -> Self {
        self.0.state().hides_mails = true;
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to steer what the mailbox's owner does.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }

    /// Takes back every token that was issued, as its owner may. Tokens made up by a test stay good.
    pub fn revoke(&self) {
        self.0.state().tokens.revoke_all();
    }

    /// The owner deletes all mails in SENT.
    pub fn empty_sent(&self) {
        self.0.state().mailbox.sent.clear();
    }

    /// The mails in SENT as they were written, oldest first.
    pub fn sent(&self) -> Vec<String> {
        self.0.state().mailbox.sent.iter().map(|mail| mail.text.clone()).collect()
    }
}

impl Gmail {
    fn may_read(&self) -> Result<(), Fail> {
        let words = "Request had insufficient authentication scopes.";
        let refused = Fail::new(403, "insufficientPermissions", "PERMISSION_DENIED", words);
        if self.hides_mails { Err(refused) } else { Ok(()) }
    }
}

impl Api for Gmail {
    fn routes() -> Routes<Self> {
        let routes = Routes::new().open("POST", "/token", oauth::issue);
        // Both families of paths are there; uploads are for mails that are too large for JSON.
        ["/gmail/v1/users/me", "/upload/gmail/v1/users/me"].iter().fold(routes, |routes, base| {
            let at = |path: &str| format!("{base}/{path}");
            // A draft is no effect: nobody gets it.
            routes
                .get(&at("profile"), |_| {
                    Ok::<Value, Fail>(json!({ "emailAddress": "owner@example.com", "messagesTotal": 0 }))
                })
                .plain("POST", &at("drafts"), mailbox::create_draft)
                .get(&at("drafts"), mailbox::list_drafts)
                .get(&at("drafts/{id}"), mailbox::show_draft)
                .plain("DELETE", &at("drafts/{id}"), mailbox::delete_draft)
                .post(&at("drafts/send"), mailbox::send_draft)
                .plain("POST", &at("messages/send"), mailbox::send_message)
                .get(&at("messages"), messages::list)
                .get(&at("messages/{id}"), messages::show)
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

    fn no_route(_request: &Request, _allowed: &[&str]) -> Reply {
        Fail::not_found().into()
    }

    fn reset(&mut self) {
        *self = Self { hides_mails: self.hides_mails, ..Self::default() };
    }
}
