//! A stand-in for Amadeus: tokens, flight orders and hotel orders.
//!
//! It behaves as the vendor's descriptions say (`FAILURE_MODES.md` lists them), keeps its state in memory, counts what
//! happened and can be told to break. Effects are of the kinds `booking` (seats are held), `cancel` and `hotel`.
//!
//! What an order leads to is decided by its offer. Flights: an offer with the id `sold-out` is 400 34651, `price-changed`
//! 37200, and an order of an offer `ticketed` can't be cancelled. Hotels: an offer id that begins with `SOLDOUT` is 400
//! 3664, `DENIED` is denied in the answer; one that begins with a property code and two dates
//! (`ARMADAIT2027010120270103`) is answered with that stay.
//!
//! Nobody here tickets anything, so a reservation lapses when its ticketing agreement says so.

mod fail;
mod flights;
mod hotels;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fail::{Fail, usual};
use flights::FlightOrder;
use hapax_standin::{Effect, Handle, Kind, Provider, Reply, Request, Server, Twists, When, World};
use serde_json::Value;

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[
    ("client_id", "standin"),
    ("client_secret", "standin-secret"),
    ("card_number", "4151289722471370"),
    ("card_vendor", "VI"),
    ("card_expiry", "2029-08"),
    ("card_holder", "STAND IN"),
];

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// Amadeus in memory. Clones are the same one.
#[derive(Clone)]
pub struct StandIn {
    world: World,
    keeps_cancelled: bool,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Until when a token is valid, and the office that it acts for.
    tokens: HashMap<String, (i64, String)>,
    flights: Vec<FlightOrder>,
    hotels: Vec<(String, Value)>,
}

impl StandIn {
    /// A stand-in without any orders. It accepts every client whose secret isn't `wrong`.
    pub fn new(world: World) -> Self {
        Self { world, keeps_cancelled: false, state: Arc::default() }
    }

    /// A cancelled order is still there, with cancelled segments, instead of answering 404. What Amadeus does is
    /// undocumented.
    pub fn keeps_cancelled(mut self) -> Self {
        self.keeps_cancelled = true;
        self
    }

    /// The next booking happens, and the answer says that it failed: an orphan.
    pub fn orphans_next(&self, status: u16, code: &str) -> Handle {
        let next = When::on("POST", "/v*/booking/*-orders");
        self.world.injections.add(next, Kind::ErrorAfter { status, code: Some(code.to_owned()) })
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to break it.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        let world = self.world.clone();
        Server::start(Arc::new(self), world, port).await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an effect. It is called in the same step in which the state changes.
    fn effect(&self, kind: &str, object: &str, office: &str, texts: &[String], amount: usize) {
        // A mark stands at the end of a text, in capital letters.
        let mark = texts.iter().find_map(|text| text.rsplit_once("HAPAX ")).map(|(_, mark)| mark.to_lowercase());
        let texts = texts.iter().enumerate().map(|(at, text)| (format!("text{at}"), text.clone()));
        let metadata = texts.chain(mark.map(|mark| ("hapax".to_owned(), mark))).collect();
        self.world.effects.add(Effect {
            kind: kind.to_owned(),
            object: object.to_owned(),
            account: office.to_owned(),
            metadata,
            amount: i64::try_from(amount).unwrap_or(i64::MAX),
            at_ms: self.world.now_ms(),
            ..Effect::default()
        });
    }

    /// A record locator: six capital letters and digits.
    fn locator(&self) -> String {
        self.world.ids.next("", 6).trim_start_matches('_').to_uppercase()
    }

    fn read(&self, request: &Request, office: &str) -> Result<Reply, Fail> {
        match request.segments().as_slice() {
            ["v1", "booking", "flight-orders", "by-reference"] => self.flight_by_reference(request, office),
            ["v1", "booking", "flight-orders", id] => self.flight(id, office),
            ["v2", "booking", "hotel-orders", id] => self.hotel(id),
            _ => Err(Fail::wrong_url()),
        }
    }

    fn act(&self, request: &Request, office: &str) -> Result<Reply, Fail> {
        match (request.method.as_str(), request.segments().as_slice()) {
            ("POST", ["v1", "booking", "flight-orders"]) => self.book_flight(request, office),
            ("DELETE", ["v1", "booking", "flight-orders", id]) => self.cancel_flight(id, office),
            ("POST", ["v2", "booking", "hotel-orders"]) => self.book_hotel(request, office),
            _ => Err(Fail::wrong_url()),
        }
    }
}

#[async_trait::async_trait]
impl Provider for StandIn {
    async fn handle(&self, request: &Request, twists: &Twists) -> Reply {
        self.lapse();
        if request.path == crate::client::TOKEN_PATH {
            return self.token(request);
        }
        let office = match self.office(request) {
            Ok(office) => office,
            Err(fail) => return fail.reply(),
        };
        if request.method == "GET" {
            return self.read(request, &office).unwrap_or_else(Fail::reply);
        }
        twists.before_effect().await;
        let reply = match twists.stored_error() {
            // There is no key under which an error could be stored, so it is told once.
            Some((status, false)) => usual(status, None),
            Some((status, true)) => {
                let _ = self.act(request, &office);
                usual(status, None)
            }
            None => self.act(request, &office).unwrap_or_else(Fail::reply),
        };
        twists.after_effect().await;
        reply
    }

    fn error(&self, status: u16, code: Option<&str>) -> Reply {
        usual(status, code)
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
