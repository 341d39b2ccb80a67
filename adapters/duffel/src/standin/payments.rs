//! Payments of held orders at the stand-in. Effects are of the kind `payment`, on the order.

use hapax_standin::Context;
use serde_json::{Value, json};

use super::fail::Fail;
use super::orders::Order;
use super::{Duffel, decimal, moment};

pub(super) fn create(context: &mut Context<'_, Duffel>) -> Result<(u16, Value), Fail> {
    let data = context.request.json_at("/data");
    let order = data["order_id"].as_str().and_then(|id| context.state.orders.get_mut(id));
    let order = order.ok_or(Fail::invalid("not_found"))?;
    payable(order)?;
    let payment = &data["payment"];
    if payment["type"] != "balance" {
        return Err(Fail::invalid("validation_inclusion"));
    }
    if payment["amount"] != decimal(order.total).as_str() || payment["currency"] != "GBP" {
        return Err(Fail::invalid("price_changed"));
    }
    if order.offer.contains("poor") {
        return Err(Fail::new(422, "invalid_state_error", "insufficient_balance", "Insufficient balance"));
    }
    order.paid_ms = Some(context.now_ms);
    let effect = order.effect("payment");
    context.effect(effect.clone());
    Ok((
        201,
        json!({ "data": {
            "id": context.world.ids.next("pay", 22), "order_id": effect.object, "type": "balance", "status": "succeeded",
            "amount": decimal(effect.amount), "currency": "GBP", "created_at": moment(context.now_ms), "live_mode": false,
        } }),
    ))
}

/// Whether an order can be paid, by the states that the reference names.
fn payable(order: &Order) -> Result<(), Fail> {
    match order {
        Order { pay_by_ms: None, .. } => Err(Fail::invalid("order_type_not_eligible_for_payment")),
        Order { paid_ms: Some(_), .. } => Err(Fail::state("already_paid")),
        Order { cancelled_ms: Some(_), .. } => Err(Fail::state("already_cancelled")),
        Order { has_lapsed: true, .. } => Err(Fail::state("past_payment_required_by_date")),
        _ => Ok(()),
    }
}
