//! A stand-in for Slack: messages, threads and scheduled messages of the Web API in one workspace.
//!
//! It behaves as Slack's documents say (`FAILURE_MODES.md` lists them), keeps its state in memory, counts what happened and
//! can be told to break. Effects are of the kinds `message`, `schedule`, `unschedule`, `update` and `delete`, and `sent` for
//! a scheduled message whose time came; of each it keeps the conversation, the text and our mark. A repeat that changes
//! nothing is no effect.
//!
//! Every conversation exists and the app is in it, except that those that begin with `C0MISSING` don't exist, those with
//! `C0ARCHIVED` are archived, and in those with `C0OUTSIDE` the app is no member.

mod book;
mod conversations;
mod fail;
mod messages;
mod params;
mod scheduled;
#[cfg(test)]
mod tests;

use book::Book;
use fail::Fail;
use hapax_standin::{AllowList, Api, Context, RateLimit, Reply, Request, Routes, Server, Service, World};
use serde_json::{Value, json};
use std::io;

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("token", "xoxb-standin")];

const SCOPES: &str = "chat:write,channels:history,groups:history,im:history,mpim:history";
const WORKSPACE: &str = "T0STANDIN";

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
///
/// # Errors
/// The port can't be had.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// Slack in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<Slack>);

struct Slack {
    accepted: AllowList<String>,
    /// For apps that are distributed outside the Marketplace: reads of conversations in a minute, each of few messages.
    reads: Option<RateLimit>,
    /// Posts in a second, for each conversation.
    posts: Option<RateLimit>,
    /// The workspace's conversations; all tokens act in one workspace.
    book: Book,
}

impl StandIn {
    /// A stand-in without any messages, which accepts every token.
    pub fn new(world: World) -> Self {
        let slack = Slack { accepted: AllowList::default(), reads: None, posts: None, book: Book::default() };
        Self(Service::new(world, slack))
    }

    /// Accepts this token, and from then on only those that were named.
    pub fn accepts(self, token: &str) -> Self {
        self.0.state().accepted.allow(token.to_owned());
        self
    }

    /// The app is distributed outside the Marketplace: one read of a conversation a minute, 15 messages each.
    pub fn outside_the_marketplace(self) -> Self {
        self.0.state().reads = Some(RateLimit::new(1, 60_000));
        self
    }

    /// More posts than this to a conversation within a second of the provider's time are answered 429.
    pub fn posts_per_second(self, most: usize) -> Self {
        self.0.state().posts = Some(RateLimit::new(most, 1_000));
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to act by hand.
    ///
    /// # Errors
    /// The port can't be had.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }
}

impl Api for Slack {
    fn routes() -> Routes<Self> {
        Routes::new()
            .plain("POST", "/api/auth.test", auth_test)
            .post("/api/chat.postMessage", messages::post)
            .post("/api/chat.update", messages::update)
            .post("/api/chat.delete", messages::delete)
            .post("/api/chat.scheduleMessage", scheduled::schedule)
            .post("/api/chat.deleteScheduledMessage", scheduled::delete)
            .plain("POST", "/api/chat.scheduledMessages.list", scheduled::list)
            .get("/api/conversations.history", conversations::history)
            .plain("POST", "/api/conversations.history", conversations::history)
            .get("/api/conversations.replies", conversations::replies)
            .plain("POST", "/api/conversations.replies", conversations::replies)
    }

    fn admit(&mut self, request: &Request, _: &World) -> Result<String, Reply> {
        let token = request.bearer().ok_or(Fail("not_authed"))?;
        if token.starts_with("xox") && self.accepted.allows(token) {
            Ok(WORKSPACE.to_owned())
        } else {
            Err(Fail("invalid_auth").into())
        }
    }

    fn catch_up(context: &mut Context<'_, Self>) {
        for effect in context.state.book.catch_up(context.now_ms, &context.world.ids) {
            context.effect(effect);
        }
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        fail::usual(status, code)
    }

    /// An unknown method is a 200, as all refusals are.
    fn no_route(_: &Request, _: &[&str]) -> Reply {
        Fail("unknown_method").into()
    }

    fn finish(&mut self, reply: Reply, _: &Request, _: &World) -> Reply {
        reply.with_header("x-oauth-scopes", SCOPES)
    }

    fn reset(&mut self) {
        self.book = Book::default();
        self.reads.iter_mut().chain(&mut self.posts).for_each(RateLimit::reset);
    }
}

fn auth_test(_: &mut Context<'_, Slack>) -> Result<Value, Fail> {
    Ok(json!({
        "ok": true,
        "url": "https://standin.slack.com/",
        "team": "Stand-in",
        "team_id": WORKSPACE,
        "user": "hapax",
        "user_id": "U0STANDIN",
        "bot_id": "B0STANDIN",
    }))
}
