//! A stand-in for Twilio: messages and calls of API 2010-04-01, with their lists, schedules and status callbacks.
//!
//! It behaves as Twilio's documents say (`FAILURE_MODES.md` lists them), keeps its state in memory, counts what happened
//! and can be told to break. Effects are of the kinds `message`, `call` and `cancel`; of each it keeps to whom and from
//! whom, the text, and the mark in the query of its callback.
//!
//! What becomes of a message or a call is decided by the recipient, as with Twilio's test credentials: `+15005550001` is
//! no number, `+15005550002` can't be reached, `+15005550003` would need a permission, `+15005550004` has opted out,
//! `+15005550009` takes no SMS. Two are of this stand-in alone: to `+15005550030` messages are undelivered later, and
//! `+15005550031` is busy.

mod auth;
mod book;
mod calls;
mod effects;
mod fail;
mod list;
mod messages;
mod numbers;
#[cfg(test)]
mod tests;

use book::{Book, Call, Message};
use fail::Fail;
use hapax_standin::{AllowList, Api, Context, RateLimit, Reply, Request, Routes, Server, Service, World};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] =
    &[("account_sid", "AC00000000000000000000000000000000"), ("auth_token", "standin")];

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// Twilio in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<Twilio>);

struct Twilio {
    accepted: AllowList<(String, String)>,
    owned: AllowList<String>,
    is_on_trial: bool,
    settles_after_ms: i64,
    requests_per_second: Option<RateLimit>,
    books: HashMap<String, Book>,
}

impl StandIn {
    /// A stand-in without any messages, which accepts every account, token and sender.
    pub fn new(world: World) -> Self {
        Self(Service::new(
            world,
            Twilio {
                accepted: AllowList::default(),
                owned: AllowList::default(),
                is_on_trial: false,
                settles_after_ms: 2_000,
                requests_per_second: None,
                books: HashMap::new(),
            },
        ))
    }

    /// Accepts this user and password (account and token, or API key and secret), and from then on only those that were
    /// named.
    pub fn accepts(self, user: &str, password: &str) -> Self {
        self.0.state().accepted.allow((user.to_owned(), password.to_owned()));
        self
    }

    /// The account has this sender, and from then on only those that were named.
    pub fn owns(self, sender: &str) -> Self {
        self.0.state().owned.allow(sender.to_owned());
        self
    }

    /// The account is on trial: a sentence is put before its texts.
    pub fn on_trial(self) -> Self {
        self.0.state().is_on_trial = true;
        self
    }

    /// How long it takes until a message is delivered or a call is over, in milliseconds of the provider's time; 2
    /// seconds if not said.
    pub fn settles_after_ms(self, ms: i64) -> Self {
        self.0.state().settles_after_ms = ms;
        self
    }

    /// More requests than this within a second of the provider's time are answered 429.
    pub fn requests_per_second(self, most: usize) -> Self {
        self.0.state().requests_per_second = Some(RateLimit::new(most, 1_000).counting_refused());
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to act by hand.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }

    /// Blanks a message's text, as a person does in the Console. False if there is no such message.
    pub fn redact(&self, message: &str) -> bool {
        self.everywhere(|book| book.message(message).map(|message| message.body.clear()).is_ok())
    }

    /// Takes a message out of the lists. False if there is no such message.
    pub fn delete(&self, message: &str) -> bool {
        self.everywhere(|book| book.messages.remove(message).is_some())
    }

    /// Gives a message another status by hand, without an effect. False if there is no such message.
    pub fn set_status(&self, message: &str, status: &'static str) -> bool {
        self.everywhere(|book| book.message(message).map(|message| message.turn(status)).is_ok())
    }

    /// Does something in the account where it succeeds, after everything that is due.
    fn everywhere(&self, act: impl Fn(&mut Book) -> bool) -> bool {
        let now = self.0.world().now_ms();
        self.0.state().books.values_mut().any(|book| {
            book.catch_up(now);
            act(book)
        })
    }
}

impl Twilio {
    fn book(&mut self, account: &str) -> &mut Book {
        self.books.entry(account.to_owned()).or_default()
    }
}

impl Api for Twilio {
    fn routes() -> Routes<Self> {
        Routes::new()
            .get("/2010-04-01/Accounts/{account}", account)
            .get("/2010-04-01/Accounts/{account}/Messages.json", |context| list::page(context, |book| &book.messages))
            .get("/2010-04-01/Accounts/{account}/Messages/{sid}", |context| {
                list::show::<Message>(context, |book| &book.messages)
            })
            .get("/2010-04-01/Accounts/{account}/Calls.json", |context| list::page(context, |book| &book.calls))
            .get("/2010-04-01/Accounts/{account}/Calls/{sid}", |context| {
                list::show::<Call>(context, |book| &book.calls)
            })
            .parsed(
                "POST",
                "/2010-04-01/Accounts/{account}/Messages.json",
                messages::Create::parse,
                messages::Create::run,
            )
            .parsed(
                "POST",
                "/2010-04-01/Accounts/{account}/Messages/{sid}",
                messages::Update::parse,
                messages::Update::run,
            )
            .parsed("POST", "/2010-04-01/Accounts/{account}/Calls.json", calls::Create::parse, calls::Create::run)
    }

    fn admit(&mut self, request: &Request, world: &World) -> Result<String, Reply> {
        let account = auth::account(request, self)?;
        match self.requests_per_second.as_mut().map(|limit| limit.take("", world.now_ms())) {
            Some(Err(_)) => Err(fail::too_many().into()),
            _ => Ok(account),
        }
    }

    fn catch_up(context: &mut Context<'_, Self>) {
        let reports = context.state.book(context.account).catch_up(context.now_ms);
        reports.into_iter().for_each(|report| context.webhook(report));
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        fail::usual(status, code)
    }

    fn no_route(request: &Request, _allowed: &[&str]) -> Reply {
        match request.method.as_str() {
            "GET" | "POST" => Fail::unknown_path(request).into(),
            _ => Fail::new(405, 20004, "Method not allowed").into(),
        }
    }

    fn reset(&mut self) {
        self.books.clear();
        self.requests_per_second.iter_mut().for_each(RateLimit::reset);
    }
}

fn account(context: &mut Context<'_, Twilio>) -> Result<Value, Fail> {
    let kind = if context.state.is_on_trial { "Trial" } else { "Full" };
    Ok(json!({ "sid": context.account, "friendly_name": "Stand-in", "status": "active", "type": kind }))
}

/// A new SID: a prefix and 32 hexadecimal digits.
fn sid(world: &World, prefix: &str) -> String {
    format!("{prefix}{}", world.ids.hex(16))
}
