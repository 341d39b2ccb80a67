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
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fail::Fail;
use hapax_standin::{Provider, Reply, Request, Server, Twists, World};
use mailbox::Mailbox;
use oauth::Tokens;
use serde_json::{Value, json};

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("access_token", "ya29.standin")];

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// Gmail in memory. Clones are the same one.
#[derive(Clone)]
pub struct StandIn {
    world: World,
    reads_sent: bool,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    mailbox: Mailbox,
    tokens: Tokens,
}

impl StandIn {
    /// A stand-in with an empty mailbox, which accepts every token that looks like Google's.
    pub fn new(world: World) -> Self {
        Self { world, reads_sent: true, state: Arc::default() }
    }

    /// Tokens without the scope to read mails: drafts alone.
    pub fn without_read_scope(mut self) -> Self {
        self.reads_sent = false;
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to steer what the mailbox's owner does.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        let world = self.world.clone();
        Server::start(Arc::new(self), world, port).await
    }

    /// Takes back every token that was issued, as its owner may. Tokens made up by a test stay good.
    pub fn revoke(&self) {
        self.state().tokens.revoke();
    }

    /// The owner deletes all mails in SENT.
    pub fn empty_sent(&self) {
        self.state().mailbox.sent.clear();
    }

    /// The mails in SENT as they were written, oldest first.
    pub fn sent(&self) -> Vec<String> {
        self.state().mailbox.sent.iter().map(|mail| mail.text.clone()).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, request: &Request, twists: &Twists) -> Result<Reply, Fail> {
        let segments = request.segments();
        if let ("POST", ["token"]) = (request.method.as_str(), segments.as_slice()) {
            return self.state().tokens.issue(request, self.world.now_ms());
        }
        self.state().tokens.check(request, self.world.now_ms())?;
        let segments = segments.strip_prefix(&["upload"]).unwrap_or(&segments);
        let Some(path) = segments.strip_prefix(&["gmail", "v1", "users", "me"]) else {
            return Err(Fail::not_found());
        };
        match (request.method.as_str(), path) {
            ("GET", ["profile"]) => Ok(ok(json!({ "emailAddress": "owner@example.com", "messagesTotal": 0 }))),
            ("POST", ["drafts"]) => self.state().mailbox.create(request, &self.world).map(ok),
            ("GET", ["drafts"]) => self.state().mailbox.list_drafts(request).map(ok),
            ("GET", ["drafts", id]) => self.state().mailbox.draft(id, request).map(ok),
            ("DELETE", ["drafts", id]) => self.state().mailbox.delete(id).map(|()| Reply::empty(204)),
            ("POST", ["drafts", "send"]) => self.send(request, twists).await.map(ok),
            ("POST", ["messages", "send"]) => self.state().mailbox.send_at_once(request, &self.world).map(ok),
            ("GET", ["messages"]) => {
                self.may_read()?;
                messages::list(&self.state().mailbox, request, twists, self.world.now_ms()).map(ok)
            }
            ("GET", ["messages", id]) => {
                self.may_read()?;
                self.state().mailbox.message(id, request).map(ok)
            }
            _ => Err(Fail::not_found()),
        }
    }

    async fn send(&self, request: &Request, twists: &Twists) -> Result<Value, Fail> {
        // The id is looked up after the wait: what happens meanwhile to the draft counts.
        twists.before_effect().await;
        let sent = self.state().mailbox.send(request, twists, &self.world);
        twists.after_effect().await;
        match twists.stored_error() {
            Some((status, _)) => Err(Fail::usual(status, None)),
            None => sent,
        }
    }

    fn may_read(&self) -> Result<(), Fail> {
        let words = "Request had insufficient authentication scopes.";
        if self.reads_sent {
            Ok(())
        } else {
            Err(Fail::new(403, "insufficientPermissions", "PERMISSION_DENIED", words))
        }
    }
}

fn ok(value: Value) -> Reply {
    Reply::json(200, &value)
}

#[async_trait::async_trait]
impl Provider for StandIn {
    async fn handle(&self, request: &Request, twists: &Twists) -> Reply {
        self.answer(request, twists).await.unwrap_or_else(Fail::reply)
    }

    fn error(&self, status: u16, code: Option<&str>) -> Reply {
        match status {
            // These come from a gateway, which does not know the envelope.
            502 => Reply::html(502, "502 Bad Gateway"),
            504 => Reply::html(504, "504 Gateway Time-out"),
            _ => Fail::usual(status, code).reply(),
        }
    }

    fn reset(&self) {
        *self.state() = State::default();
    }
}

impl std::fmt::Debug for StandIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StandIn").field("world", &self.world).finish_non_exhaustive()
    }
}
