//! A stand-in for PayPal: tokens, orders, captured payments, refunds and invoices.
//!
//! It behaves as the vendor's descriptions say (`FAILURE_MODES.md` lists them), keeps its state in memory, counts what
//! happened and can be told to break. Effects are of the kinds `payment` (money taken, or on its way) and `refund`.
//! A third kind is `invoice` (an invoice sent to its recipient).
//!
//! What a capture leads to is decided by the id of the saved payment method: `declined` is 422 `INSTRUMENT_DECLINED`,
//! `refused-by-bank` completes the order with a declined payment, `pending` leaves it pending, `no-refund` can't be
//! refunded any more, every other one pays.
//!
//! Invoices with an item `refused` are refused when they are made and those with an item `unsendable` when they are sent;
//! those with an item `canceled-later` are canceled half an hour after they were sent. Nobody pays any; the merchant can cancel one.
//!
//! Payouts are effects of the kind `payout_batch`, one for a batch. What becomes of a batch is decided by the name before
//! the `@` of its first receiver: `denied` is denied in the answer, `denied-later` three minutes after it, `refused` is 422
//! `INSUFFICIENT_FUNDS`; what becomes of an item, by that of its own: `unclaimed`, `failed`, every other one is paid.

mod amount;
mod fail;
mod invoices;
mod orders;
mod payouts;
mod refunds;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::{BTreeMap, HashMap};
use std::io;

use fail::{Fail, usual};
use hapax_standin::{
    Api, Collection, FailuresKept, Idempotency, IssuedTokens, KeyRefusal, KeyRules, KeyScope, Reply, Request, Routes,
    Server, Service, Twins, World,
};
use invoices::Invoice;
use orders::Order;
use serde_json::Value;

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("client_id", "standin"), ("client_secret", "standin-secret")];

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// PayPal in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<Paypal>);

#[derive(Default)]
struct Paypal {
    blocks_repeated_invoice_ids: bool,
    refuses_repeated_invoice_numbers: bool,
    tokens: IssuedTokens,
    orders: Collection<Order>,
    invoices: Collection<Invoice>,
    payouts: Collection<payouts::Batch>,
    /// Keys of requests on orders: which order they were for, and since when.
    order_keys: HashMap<String, (String, i64)>,
}

impl StandIn {
    /// A stand-in without any orders. It accepts every client whose secret isn't `wrong`.
    pub fn new(world: World) -> Self {
        Self(Service::new(world, Paypal::default()))
    }

    /// The account is set to block payments and refunds with an invoice id that one of them had before.
    pub fn blocks_repeated_invoice_ids(self) -> Self {
        self.0.state().blocks_repeated_invoice_ids = true;
        self
    }

    /// A number that one of its invoices has is refused, as it was seen in practice.
    pub fn refuses_repeated_invoice_numbers(self) -> Self {
        self.0.state().refuses_repeated_invoice_numbers = true;
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

impl Api for Paypal {
    fn routes() -> Routes<Self> {
        Routes::new()
            .open("*", crate::client::TOKEN_PATH, tokens::issue)
            .post("/v2/checkout/orders", orders::create)
            .get("/v2/checkout/orders/{id}", orders::show)
            .post("/v2/checkout/orders/{id}/capture", orders::capture)
            .post("/v1/payments/payouts", payouts::create)
            .get("/v1/payments/payouts/{id}", payouts::show)
            .get("/v2/payments/captures/{id}", refunds::show_capture)
            .post("/v2/payments/captures/{id}/refund", refunds::create)
            .get("/v2/payments/refunds/{id}", refunds::show)
            .post("/v2/invoicing/invoices", invoices::create)
            .get("/v2/invoicing/invoices/{id}", invoices::show)
            .delete("/v2/invoicing/invoices/{id}", invoices::delete)
            .post("/v2/invoicing/invoices/{id}/send", invoices::send)
            .post("/v2/invoicing/invoices/{id}/cancel", invoices::cancel)
            .plain("POST", "/v2/invoicing/search-invoices", invoices::search)
    }

    fn admit(&mut self, request: &Request, world: &World) -> Result<String, Reply> {
        Ok(self.account(request, world.now_ms())?)
    }

    /// The keys of refunds. Those of orders live shorter and are the orders' own business.
    fn idempotency() -> Option<Idempotency> {
        let rules = KeyRules {
            window_ms: 45 * 86_400_000,
            scope: KeyScope::Endpoint,
            failures: FailuresKept::Rerun,
            twins: Twins::OneWins,
            replay_marker: None,
        };
        let key = |request: &Request| {
            let is_refund = request.path.ends_with("/refund");
            Ok(request.header("paypal-request-id").filter(|_| is_refund).map(str::to_owned))
        };
        // A key that comes again with another body silently gives the first answer.
        let refuse = |_: KeyRefusal<'_>| Fail::in_progress().into();
        Some(Idempotency { rules, key, compared: |_| String::new(), refuse })
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        usual(status, code)
    }

    fn reset(&mut self) {
        *self = Self {
            blocks_repeated_invoice_ids: self.blocks_repeated_invoice_ids,
            refuses_repeated_invoice_numbers: self.refuses_repeated_invoice_numbers,
            ..Self::default()
        };
    }
}

/// The ids that a caller planted on an object.
fn planted(value: &Value) -> BTreeMap<String, String> {
    let names = ["custom_id", "invoice_id"];
    names.into_iter().filter_map(|name| Some((name.to_owned(), value[name].as_str()?.to_owned()))).collect()
}

fn invoice_of(value: &Value) -> Option<&str> {
    value["invoice_id"].as_str()
}
