//! A stand-in for Stripe: payment intents, charges, refunds, transfers, subscriptions, invoices and events, with the
//! idempotency layer of its v1 API.
//!
//! It behaves as Stripe's documents say (`FAILURE_MODES.md` lists them), keeps its state in memory, counts what happened
//! and can be told to break. Effects are of the kinds `charge` (money taken or held), `capture`, `cancel`, `refund`,
//! `transfer`, `subscribe`, `cancel_subscription`, `cancel_at_period_end` and `invoice_mail`.
//!
//! What a confirmation leads to is decided by the payment method, as with Stripe's test cards: `pm_card_visa` pays,
//! `pm_card_chargeDeclined` is declined, `pm_card_authenticationRequired` wants the customer, `pm_processing` settles
//! later, `pm_card_createDispute` is charged back, `pm_card_pendingRefund` and `pm_card_refundFail` are refunded late or
//! not at all. The first payment of a subscription is decided by its default payment method in the same way, and transfers
//! by what the account's charges brought in.

mod auth;
mod book;
mod desk;
mod fail;
mod idempotency;
mod invoice_commands;
mod invoices;
mod list;
mod methods;
mod money;
mod moves;
mod params;
mod payment_intents;
mod refunds;
mod routes;
mod subscriptions;
#[cfg(test)]
mod tests;
mod transfers;

use book::Book;
use desk::Desk;
use hapax_standin::{KeyStore, Provider, Reply, Request, Server, Twists, World};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("api_key", "sk_test_standin")];

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// Stripe in memory. Clones are the same one.
#[derive(Clone)]
pub struct StandIn {
    world: World,
    keys: KeyStore,
    accepted: Vec<String>,
    settles_after_ms: i64,
    books: Arc<Mutex<HashMap<String, Book>>>,
}

impl StandIn {
    /// A stand-in without any objects, which accepts every test key.
    pub fn new(world: World) -> Self {
        let keys = KeyStore::new(idempotency::RULES, world.clock.clone());
        Self { world, keys, accepted: Vec::new(), settles_after_ms: 5_000, books: Arc::default() }
    }

    /// Accepts this test key, and from then on only those that were named.
    pub fn accepts(mut self, key: &str) -> Self {
        self.accepted.push(key.to_owned());
        self
    }

    /// How long what settles later takes, in milliseconds of the provider's time; 5 seconds if not said.
    pub fn settles_after_ms(mut self, ms: i64) -> Self {
        self.settles_after_ms = ms;
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to steer what Stripe's customers and banks do.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        let world = self.world.clone();
        Server::start(Arc::new(self), world, port).await
    }

    /// The customer confirms at the bank what `requires_action`. False if there is no such intent in that state.
    pub fn authenticate(&self, intent: &str) -> bool {
        let waits = |desk: &mut Desk<'_>| desk.intent(intent).is_ok_and(|intent| intent.status == "requires_action");
        self.everywhere(|desk| waits(desk) && moves::take(intent, desk, methods::Behaviour::Succeeds).is_ok())
    }

    /// Gives a refund another status, as a bank does days later. False if there is no such refund.
    pub fn turn_refund(&self, refund: &str, status: &'static str) -> bool {
        self.everywhere(|desk| {
            let is_here = desk.refund(refund).is_ok();
            desk.turn_refund(refund, status);
            is_here
        })
    }

    /// Gives an intent another status by hand, without an effect. False if there is no such intent.
    pub fn set_status(&self, intent: &str, status: &'static str) -> bool {
        self.everywhere(|desk| desk.intent(intent).map(|intent| intent.status = status).is_ok())
    }

    /// Gives all of a transfer back, as a person does in the Dashboard. False if there is no such transfer.
    pub fn reverse(&self, transfer: &str) -> bool {
        self.everywhere(|desk| desk.reverse(transfer))
    }

    /// Does something in the account where it succeeds.
    fn everywhere(&self, act: impl Fn(&mut Desk<'_>) -> bool) -> bool {
        let accounts: Vec<String> = self.books().keys().cloned().collect();
        accounts.iter().any(|account| self.at_desk(account, None, None, &act))
    }

    /// Opens an account's book, lets happen what is due, and works in it.
    fn at_desk<T>(
        &self,
        account: &str,
        token: Option<&str>,
        request_id: Option<&str>,
        act: impl FnOnce(&mut Desk<'_>) -> T,
    ) -> T {
        let mut books = self.books();
        let mut desk = Desk {
            world: &self.world,
            book: books.entry(account.to_owned()).or_default(),
            account,
            now_ms: self.world.now_ms(),
            settles_after_ms: self.settles_after_ms,
            token: None,
            request_id: None,
        };
        // What time brings about is nobody's request.
        desk.catch_up();
        desk.token = token.map(str::to_owned);
        desk.request_id = request_id.map(str::to_owned);
        act(&mut desk)
    }

    fn books(&self) -> MutexGuard<'_, HashMap<String, Book>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reply without the headers that every reply has.
    async fn answer(&self, request: &Request, twists: &Twists, request_id: &str) -> Reply {
        let account = match auth::account(request, &self.accepted) {
            Ok(account) => account,
            Err(fail) => return fail.reply(),
        };
        match request.method.as_str() {
            "POST" | "DELETE" => self.under_key(request, twists, &account, request_id).await,
            "GET" => {
                let read = |desk: &mut Desk<'_>| routes::read(request, twists, desk);
                match self.at_desk(&account, None, Some(request_id), read) {
                    Ok(value) => Reply::json(200, &value),
                    Err(fail) => fail.reply(),
                }
            }
            _ => fail::Fail::new(405, "invalid_request_error", "Method not allowed.").reply(),
        }
    }
}

#[async_trait::async_trait]
impl Provider for StandIn {
    async fn handle(&self, request: &Request, twists: &Twists) -> Reply {
        let request_id = self.world.ids.next("req", 14);
        let reply = self.answer(request, twists, &request_id).await;
        let version = request.header("stripe-version").unwrap_or("2026-07-29.dahlia");
        reply.with_header("Request-Id", &request_id).with_header("Stripe-Version", version)
    }

    fn error(&self, status: u16, code: Option<&str>) -> Reply {
        fail::usual(status, code).with_header("Request-Id", &self.world.ids.next("req", 14))
    }

    fn reset(&self) {
        self.keys.reset();
        self.books().clear();
    }
}

impl std::fmt::Debug for StandIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StandIn").field("world", &self.world).finish_non_exhaustive()
    }
}
