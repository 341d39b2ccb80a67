//! A stand-in for Duffel: orders, bought and held, payments, cancellations.
//!
//! It behaves as `FAILURE_MODES.md` says, keeps its state in memory, counts what happened and can be told to break.
//! Effects are of the kinds `order`, `hold`, `payment` and `cancel`; orders and holds carry their metadata.
//!
//! What an order leads to is decided by its offer. Every id that begins with `off_` is an offer at 90.80 GBP, and every
//! service costs 10.00 GBP; one that begins with `off_gone` is no longer available, for `off_poor` the balance is too
//! small, `off_atonce` can't be held, `off_short` is held for ten minutes instead of three days, an order of
//! `off_fixed` can't be cancelled, and one of `off_late` not any more once there is a quote. Up to the last `_`, an
//! offer's id is that of its offer request.

mod cancellations;
mod fail;
mod orders;
mod payments;
#[cfg(test)]
mod tests;

use std::io;

use cancellations::Quote;
use fail::{Fail, usual};
use hapax_standin::{AllowList, Api, Collection, Context, Reply, Request, Routes, Server, Service, World};
use jiff::Timestamp;
use orders::Order;
use serde_json::{Value, json};

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("access_token", "duffel_test_standin")];

/// The account: all access tokens share everything.
const ACCOUNT: &str = "account";

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
///
/// # Errors
/// The port can't be had.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// Duffel in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<Duffel>);

#[derive(Default)]
struct Duffel {
    accepted: AllowList<String>,
    /// A second order from one offer request is refused.
    is_single_use: bool,
    orders: Collection<Order>,
    quotes: Collection<Quote>,
}

impl StandIn {
    /// A stand-in without orders, which accepts every access token.
    pub fn new(world: World) -> Self {
        Self(Service::new(world, Duffel::default()))
    }

    /// Accepts this access token, and from then on only those that were named.
    pub fn accepts(self, token: &str) -> Self {
        self.0.state().accepted.allow(token.to_owned());
        self
    }

    /// An offer request is booked once, as others saw it at Duffel; no document promises it.
    pub fn single_use_offers(self) -> Self {
        self.0.state().is_single_use = true;
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to break it.
    ///
    /// # Errors
    /// The port can't be had.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }
}

impl Api for Duffel {
    fn routes() -> Routes<Self> {
        Routes::new()
            .post("/air/orders", orders::create)
            .get("/air/orders", orders::list)
            .get("/air/orders/{id}", orders::show)
            .post("/air/payments", payments::create)
            .plain("POST", "/air/order_cancellations", cancellations::quote)
            .get("/air/order_cancellations/{id}", cancellations::show)
            .post("/air/order_cancellations/{id}/actions/confirm", cancellations::confirm)
    }

    fn admit(&mut self, request: &Request, _: &World) -> Result<String, Reply> {
        let token = request.bearer().map(str::to_owned).filter(|token| self.accepted.allows(token));
        if token.is_none() {
            return Err(
                Fail::new(401, "authentication_error", "access_token_not_found", "Access token not found").into()
            );
        }
        if request.header("duffel-version") != Some("v2") {
            return Err(Fail::new(400, "invalid_request_error", "unsupported_version", "Unsupported version").into());
        }
        Ok(ACCOUNT.to_owned())
    }

    /// Lets lapse what nobody paid in time. That is nobody's request, so it is no effect.
    fn catch_up(context: &mut Context<'_, Self>) {
        context.state.orders.iter_mut().for_each(|order| order.lapse(context.now_ms));
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        usual(status, code)
    }

    fn reset(&mut self) {
        let (accepted, is_single_use) = (std::mem::take(&mut self.accepted), self.is_single_use);
        *self = Self { accepted, is_single_use, ..Self::default() };
    }
}

/// A moment as Duffel writes it.
fn moment(ms: i64) -> Value {
    json!(Timestamp::from_millisecond(ms).unwrap_or_default().to_string())
}

/// An amount in minor units as Duffel writes it.
fn decimal(minor: i64) -> String {
    format!("{}.{:02}", minor / 100, minor % 100)
}
