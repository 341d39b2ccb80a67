//! Cancellations at the stand-in: quotes, and what is confirmed of them. Effects are of the kind `cancel`, on the order.

use hapax_standin::{Context, Record};
use serde_json::{Value, json};

use super::fail::Fail;
use super::{Duffel, decimal, moment};

/// How long a quote can be confirmed; others saw this at Duffel's test airline.
const LIVES_MS: i64 = 3_600_000;

/// What a cancellation would give back.
#[derive(Clone, Debug)]
pub(super) struct Quote {
    id: String,
    order: String,
    refund: i64,
    created_ms: i64,
    confirmed_ms: Option<i64>,
}

impl Record for Quote {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Quote {
    fn value(&self) -> Value {
        json!({ "data": {
            "id": self.id, "order_id": self.order, "live_mode": false, "created_at": moment(self.created_ms),
            "refund_amount": decimal(self.refund), "refund_currency": "GBP", "airline_credits": [],
            "refund_to": if self.refund == 0 { "awaiting_payment" } else { "balance" },
            "expires_at": moment(self.created_ms + LIVES_MS), "confirmed_at": self.confirmed_ms.map(moment),
        } })
    }
}

pub(super) fn quote(context: &mut Context<'_, Duffel>) -> Result<(u16, Value), Fail> {
    let order = context.request.json_at("/data/order_id").as_str().and_then(|id| context.state.orders.get(id));
    let order = order.ok_or(Fail::invalid("not_found"))?;
    if order.cancelled_ms.is_some() {
        return Err(Fail::state("already_cancelled"));
    }
    if order.offer.starts_with("off_fixed") {
        return Err(Fail::state("order_not_cancellable"));
    }
    let quote = Quote {
        id: context.world.ids.next("ore", 22),
        order: order.id().to_owned(),
        refund: order.paid_ms.map_or(0, |_| order.total),
        created_ms: context.now_ms,
        confirmed_ms: None,
    };
    Ok((201, context.state.quotes.add(quote).value()))
}

pub(super) fn show(context: &mut Context<'_, Duffel>) -> Result<Value, Fail> {
    context.state.quotes.get(&context.path("id")).map(Quote::value).ok_or(Fail::missing())
}

/// Only the latest quote of an order can be confirmed, in time, and once.
pub(super) fn confirm(context: &mut Context<'_, Duffel>) -> Result<Value, Fail> {
    let (id, now) = (context.path("id"), context.now_ms);
    let order = context.state.quotes.get(&id).ok_or(Fail::missing())?.order.clone();
    let latest = context.state.quotes.iter().rev().find(|quote| quote.order == order);
    let is_stale = latest.is_none_or(|latest| latest.id != id || now >= latest.created_ms + LIVES_MS);
    let found = context.state.orders.get_mut(&order).ok_or(Fail::missing())?;
    if found.cancelled_ms.is_some() {
        return Err(Fail::state("already_cancelled"));
    }
    if found.offer.starts_with("off_late") {
        return Err(Fail::state("order_not_cancellable"));
    }
    if is_stale {
        return Err(Fail::state("order_cancellation_stale"));
    }
    found.cancelled_ms = Some(now);
    let effect = found.effect("cancel");
    context.effect(effect);
    let quote = context.state.quotes.get_mut(&id).ok_or(Fail::missing())?;
    quote.confirmed_ms = Some(now);
    Ok(quote.value())
}
