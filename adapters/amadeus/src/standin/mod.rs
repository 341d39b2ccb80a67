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

use std::io;

use fail::{Fail, usual};
use flights::FlightOrder;
use hapax_standin::{
    Api, Collection, Context, Effect, Handle, IssuedTokens, Kind, Reply, Request, Routes, Server, Service, When, World,
};
use hotels::HotelOrder;

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
#[derive(Clone, Debug)]
pub struct StandIn(Service<Amadeus>);

#[derive(Default)]
struct Amadeus {
    keeps_cancelled: bool,
    /// Each speaks for an office.
    tokens: IssuedTokens,
    flights: Collection<FlightOrder>,
    hotels: Collection<HotelOrder>,
}

impl StandIn {
    /// A stand-in without any orders. It accepts every client whose secret isn't `wrong`.
    pub fn new(world: World) -> Self {
        Self(Service::new(world, Amadeus::default()))
    }

    /// A cancelled order is still there, with cancelled segments, instead of answering 404. What Amadeus does is
    /// undocumented.
    pub fn keeps_cancelled(self) -> Self {
        self.0.state().keeps_cancelled = true;
        self
    }

    /// The next booking happens, and the answer says that it failed: an orphan.
    pub fn orphans_next(&self, status: u16, code: &str) -> Handle {
        let next = When::on("POST", "/v*/booking/*-orders");
        self.0.world().injections.add(next, Kind::ErrorAfter { status, code: Some(code.to_owned()) })
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to break it.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }
}

impl Api for Amadeus {
    fn routes() -> Routes<Self> {
        Routes::new()
            .open("*", crate::client::TOKEN_PATH, tokens::issue)
            .get("/v1/booking/flight-orders/by-reference", flights::by_reference)
            .get("/v1/booking/flight-orders/{id}", flights::show)
            .post("/v1/booking/flight-orders", flights::book)
            .delete("/v1/booking/flight-orders/{id}", flights::cancel)
            .get("/v2/booking/hotel-orders/{id}", hotels::show)
            .post("/v2/booking/hotel-orders", hotels::book)
    }

    fn admit(&mut self, request: &Request, world: &World) -> Result<String, Reply> {
        Ok(self.office(request, world.now_ms())?)
    }

    /// Lets lapse what nobody ticketed in time. That is nobody's request, so it is no effect.
    fn catch_up(context: &mut Context<'_, Self>) {
        context.state.flights.iter_mut().for_each(|order| order.lapse(context.now_ms));
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        usual(status, code)
    }

    fn no_route(_request: &Request, _allowed: &[&str]) -> Reply {
        Fail::wrong_url().into()
    }

    fn reset(&mut self) {
        *self = Self { keeps_cancelled: self.keeps_cancelled, ..Self::default() };
    }
}

/// What is counted of an order: its texts, the mark among them, and how many it is for.
fn effect(kind: &str, object: &str, texts: &[String], amount: usize) -> Effect {
    // A mark stands at the end of a text, in capital letters.
    let mark = texts.iter().find_map(|text| text.rsplit_once("HAPAX ")).map(|(_, mark)| mark.to_lowercase());
    let texts = texts.iter().enumerate().map(|(at, text)| (format!("text{at}"), text.clone()));
    Effect {
        kind: kind.to_owned(),
        object: object.to_owned(),
        metadata: texts.chain(mark.map(|mark| ("hapax".to_owned(), mark))).collect(),
        amount: i64::try_from(amount).unwrap_or(i64::MAX),
        ..Effect::default()
    }
}

/// A record locator: six capital letters and digits.
fn locator(world: &World) -> String {
    world.ids.letters(6).to_uppercase()
}
