//! Orders at the stand-in, bought and held.

use std::collections::BTreeMap;

use hapax_standin::{Beyond, Context, Effect, PageSize, PageTokens, Record};
use serde_json::{Value, json};

use super::fail::Fail;
use super::{Duffel, decimal, moment};

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// What every offer costs, and every service.
pub(super) const PRICE: i64 = 9080;
const SERVICE_PRICE: i64 = 1000;
const SIZE: PageSize = PageSize { usual: 50, most: 200, beyond: Beyond::Refused };

/// An order.
#[derive(Clone, Debug)]
pub(super) struct Order {
    id: String,
    reference: String,
    pub(super) offer: String,
    metadata: BTreeMap<String, String>,
    users: Vec<String>,
    passengers: Vec<Value>,
    pub(super) total: i64,
    created_ms: i64,
    /// Until when a hold must be paid; none for an order that was bought at once.
    pub(super) pay_by_ms: Option<i64>,
    pub(super) paid_ms: Option<i64>,
    pub(super) cancelled_ms: Option<i64>,
    pub(super) has_lapsed: bool,
}

impl Record for Order {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Order {
    fn is_awaiting_payment(&self) -> bool {
        self.pay_by_ms.is_some() && self.paid_ms.is_none() && !self.has_lapsed && self.cancelled_ms.is_none()
    }

    /// Releases the seats if nobody paid in time.
    pub(super) fn lapse(&mut self, now_ms: i64) {
        self.has_lapsed |= self.is_awaiting_payment() && self.pay_by_ms.is_some_and(|by| by <= now_ms);
    }

    fn value(&self) -> Value {
        let shown = |ms: Option<i64>| ms.map(moment);
        let awaits = self.is_awaiting_payment();
        json!({
            "id": self.id, "booking_reference": self.reference, "metadata": self.metadata, "live_mode": false,
            "total_amount": decimal(self.total), "total_currency": "GBP", "created_at": moment(self.created_ms),
            "passengers": self.passengers, "users": self.users, "documents": [],
            "cancelled_at": shown(self.cancelled_ms),
            "payment_status": {
                "awaiting_payment": awaits, "paid_at": shown(self.paid_ms),
                "payment_required_by": shown(self.pay_by_ms.filter(|_| awaits)),
                "price_guarantee_expires_at": null,
            },
        })
    }

    /// What is counted of it.
    pub(super) fn effect(&self, kind: &str) -> Effect {
        Effect {
            kind: kind.to_owned(),
            object: self.id.clone(),
            metadata: self.metadata.clone(),
            amount: self.total,
            currency: "GBP".to_owned(),
            ..Effect::default()
        }
    }
}

/// The offer request that an offer came from.
fn request_of(offer: &str) -> &str {
    offer.rsplit_once('_').map_or(offer, |(request, _)| if request == "off" { offer } else { request })
}

pub(super) fn create(context: &mut Context<'_, Duffel>) -> Result<(u16, Value), Fail> {
    let order = ordered(context)?;
    let value = order.value();
    context.effect(order.effect(if order.pay_by_ms.is_some() { "hold" } else { "order" }));
    context.state.orders.add(order);
    Ok((201, json!({ "data": value })))
}

/// Checks what the reference demands, and what the offer leads to.
fn ordered(context: &Context<'_, Duffel>) -> Result<Order, Fail> {
    let data = context.request.json_at("/data");
    let offers = data["selected_offers"].as_array().filter(|offers| offers.len() == 1);
    let offer = offers.and_then(|offers| offers[0].as_str()).filter(|offer| offer.starts_with("off_"));
    let offer = offer.ok_or(Fail::invalid("not_found"))?;
    let passengers = data["passengers"].as_array().filter(|some| !some.is_empty());
    let passengers = passengers.ok_or(Fail::invalid("validation_required"))?;
    if offer.starts_with("off_gone") {
        return Err(Fail::new(422, "airline_error", "offer_no_longer_available", "Offer no longer available"));
    }
    if offer.starts_with("off_poor") {
        return Err(Fail::new(422, "invalid_state_error", "insufficient_balance", "Insufficient balance"));
    }
    let booked = context.state.orders.iter().any(|order| request_of(&order.offer) == request_of(offer));
    if context.state.is_single_use && booked {
        return Err(Fail::invalid("offer_request_already_booked"));
    }
    let services = data["services"].as_array().into_iter().flatten();
    let total = PRICE + services.filter_map(|service| service["quantity"].as_i64()).sum::<i64>() * SERVICE_PRICE;
    let now = context.now_ms;
    let pay_by_ms = match data["type"].as_str() {
        Some("instant") => {
            is_paid(&data["payments"], total)?;
            None
        }
        Some("hold") if offer.starts_with("off_atonce") => return Err(Fail::invalid("requires_instant_payment")),
        Some("hold") if data["payments"].is_null() && data["services"].is_null() => {
            Some(now + if offer.starts_with("off_short") { 10 * MINUTE_MS } else { 3 * DAY_MS })
        }
        _ => return Err(Fail::invalid("validation_inclusion")),
    };
    let texts = |value: &Value| serde_json::from_value(value.clone()).unwrap_or_default();
    Ok(Order {
        id: context.world.ids.next("ord", 22),
        reference: context.world.ids.letters(6).to_uppercase(),
        offer: offer.to_owned(),
        metadata: serde_json::from_value(data["metadata"].clone()).unwrap_or_default(),
        users: texts(&data["users"]),
        passengers: passengers.clone(),
        total,
        created_ms: now,
        pay_by_ms,
        paid_ms: pay_by_ms.is_none().then_some(now),
        cancelled_ms: None,
        has_lapsed: false,
    })
}

/// Whether the payments are one that pays just this.
fn is_paid(payments: &Value, total: i64) -> Result<(), Fail> {
    let one = payments.as_array().filter(|payments| payments.len() == 1).map(|payments| &payments[0]);
    let one = one.filter(|payment| payment["type"] == "balance").ok_or(Fail::invalid("validation_required"))?;
    match one["amount"] == decimal(total).as_str() && one["currency"] == "GBP" {
        true => Ok(()),
        false => Err(Fail::invalid("payment_amount_does_not_match_order_amount")),
    }
}

pub(super) fn show(context: &mut Context<'_, Duffel>) -> Result<Value, Fail> {
    let order = context.state.orders.get(&context.path("id")).ok_or(Fail::missing())?;
    Ok(json!({ "data": order.value() }))
}

/// Newest first; Duffel promises no order.
pub(super) fn list(context: &mut Context<'_, Duffel>) -> Result<Value, Fail> {
    let request = context.request;
    let size = SIZE.read(request.param("limit")).map_err(|_| Fail::invalid("validation_inclusion"))?;
    let awaits = request.param("awaiting_payment").map(|awaits| awaits == "true");
    let listing = context.list(&context.state.orders).reversed();
    let listing = listing.equal(request.param("offer_id"), |order| Some(&order.offer));
    let listing = listing.equal(request.param("booking_reference"), |order| Some(&order.reference));
    let user = request.param("user_id");
    let listing = listing.filter(|order| user.is_none_or(|user| order.users.iter().any(|one| one == user)));
    let listing = listing.filter(|order| awaits.is_none_or(|awaits| order.is_awaiting_payment() == awaits));
    let tokens = PageTokens::of(&request.target_with(&[("after", None), ("limit", None)]));
    let unknown = |_| Fail::invalid("invalid_pagination_cursor");
    let cursor = tokens.cursor(request.param("after")).map_err(unknown)?;
    let page = listing.after(cursor.as_deref(), size).map_err(unknown)?;
    let meta = json!({ "limit": size, "before": null, "after": tokens.next(&page) });
    Ok(json!({ "data": page.values(Order::value), "meta": meta }))
}
