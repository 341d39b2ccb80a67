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
mod callbacks;
mod calls;
mod desk;
mod fail;
mod list;
mod messages;
mod numbers;
mod routes;
#[cfg(test)]
mod tests;

use book::Book;
use callbacks::Callback;
use desk::Desk;
use fail::Fail;
use hapax_standin::{Provider, Reply, Request, Server, Twists, World};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] =
    &[("account_sid", "AC00000000000000000000000000000000"), ("auth_token", "standin")];

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// Twilio in memory. Clones are the same one.
#[derive(Clone)]
pub struct StandIn {
    world: World,
    accepted: Vec<(String, String)>,
    owned: Vec<String>,
    is_on_trial: bool,
    settles_after_ms: i64,
    requests_per_second: Option<usize>,
    lately: Arc<Mutex<VecDeque<i64>>>,
    books: Arc<Mutex<HashMap<String, Book>>>,
}

impl StandIn {
    /// A stand-in without any messages, which accepts every account, token and sender.
    pub fn new(world: World) -> Self {
        Self {
            world,
            accepted: Vec::new(),
            owned: Vec::new(),
            is_on_trial: false,
            settles_after_ms: 2_000,
            requests_per_second: None,
            lately: Arc::default(),
            books: Arc::default(),
        }
    }

    /// Accepts this user and password (account and token, or API key and secret), and from then on only those that were
    /// named.
    pub fn accepts(mut self, user: &str, password: &str) -> Self {
        self.accepted.push((user.to_owned(), password.to_owned()));
        self
    }

    /// The account has this sender, and from then on only those that were named.
    pub fn owns(mut self, sender: &str) -> Self {
        self.owned.push(sender.to_owned());
        self
    }

    /// The account is on trial: a sentence is put before its texts.
    pub fn on_trial(mut self) -> Self {
        self.is_on_trial = true;
        self
    }

    /// How long it takes until a message is delivered or a call is over, in milliseconds of the provider's time; 2
    /// seconds if not said.
    pub fn settles_after_ms(mut self, ms: i64) -> Self {
        self.settles_after_ms = ms;
        self
    }

    /// More requests than this within a second of the provider's time are answered 429.
    pub fn requests_per_second(mut self, most: usize) -> Self {
        self.requests_per_second = Some(most);
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to act by hand.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        let world = self.world.clone();
        Server::start(Arc::new(self), world, port).await
    }

    /// Blanks a message's text, as a person does in the Console. False if there is no such message.
    pub fn redact(&self, message: &str) -> bool {
        self.everywhere(|desk| desk.message(message).map(|message| message.body.clear()).is_ok())
    }

    /// Takes a message out of the lists. False if there is no such message.
    pub fn delete(&self, message: &str) -> bool {
        self.everywhere(|desk| {
            let before = desk.book.messages.len();
            desk.book.messages.retain(|known| known.sid != message);
            desk.book.messages.len() < before
        })
    }

    /// Gives a message another status by hand, without an effect. False if there is no such message.
    pub fn set_status(&self, message: &str, status: &'static str) -> bool {
        self.everywhere(|desk| desk.message(message).map(|message| message.turn(status)).is_ok())
    }

    /// Does something in the account where it succeeds.
    fn everywhere(&self, act: impl Fn(&mut Desk<'_>) -> bool) -> bool {
        let accounts: Vec<String> = self.books().keys().cloned().collect();
        accounts.iter().any(|account| self.at_desk(account, &act).0)
    }

    /// Opens an account's book, lets happen what is due, and works in it. What is to be called back comes along.
    fn at_desk<T>(&self, account: &str, act: impl FnOnce(&mut Desk<'_>) -> T) -> (T, Vec<Callback>) {
        let mut books = self.books();
        let mut desk = Desk {
            world: &self.world,
            book: books.entry(account.to_owned()).or_default(),
            account,
            owned: &self.owned,
            is_on_trial: self.is_on_trial,
            settles_after_ms: self.settles_after_ms,
            now_ms: self.world.now_ms(),
            callbacks: Vec::new(),
        };
        desk.catch_up();
        let done = act(&mut desk);
        (done, desk.callbacks)
    }

    fn books(&self) -> MutexGuard<'_, HashMap<String, Book>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this request is one too many within a second.
    fn is_too_much(&self) -> bool {
        let Some(most) = self.requests_per_second else { return false };
        let now = self.world.now_ms();
        let mut lately = self.lately.lock().unwrap_or_else(PoisonError::into_inner);
        while lately.front().is_some_and(|at| now - at >= 1_000) {
            lately.pop_front();
        }
        lately.push_back(now);
        lately.len() > most
    }

    async fn answer(&self, request: &Request, twists: &Twists) -> Result<(u16, Value), Fail> {
        let account = auth::account(request, &self.accepted)?;
        if self.is_too_much() {
            return Err(fail::too_many());
        }
        if request.method == "GET" {
            return self.run(&account, |desk| routes::read(request, twists, desk)).map(|value| (200, value));
        }
        let command = routes::Command::parse(request)?;
        twists.before_effect().await;
        let status = command.status();
        let run = || self.run(&account, |desk| command.run(desk)).map(|value| (status, value));
        let answer = match twists.stored_error() {
            Some((status, effect)) => {
                if effect {
                    run()?;
                }
                Err(fail::usual(status, None))
            }
            None => run(),
        };
        twists.after_effect().await;
        answer
    }

    /// Works in the account's book, and sends the callbacks that follow from it without waiting for them.
    fn run(&self, account: &str, act: impl FnOnce(&mut Desk<'_>) -> Result<Value, Fail>) -> Result<Value, Fail> {
        let (done, callbacks) = self.at_desk(account, act);
        callbacks::send(callbacks);
        done
    }
}

#[async_trait::async_trait]
impl Provider for StandIn {
    async fn handle(&self, request: &Request, twists: &Twists) -> Reply {
        match self.answer(request, twists).await {
            Ok((status, value)) => Reply::json(status, &value),
            Err(fail) => fail.reply(),
        }
    }

    fn error(&self, status: u16, code: Option<&str>) -> Reply {
        fail::usual(status, code).reply()
    }

    fn reset(&self) {
        self.books().clear();
        self.lately.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl std::fmt::Debug for StandIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StandIn").field("world", &self.world).finish_non_exhaustive()
    }
}
