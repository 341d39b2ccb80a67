//! What a confirmation does to an intent and its charge.

use super::book::{Charge, Due, Intent};
use super::desk::{About, Desk, HOLD_MS};
use super::fail::Fail;
use super::methods::{Behaviour, decline};
use serde_json::Value;

/// Takes or holds the money: this is the effect.
pub(super) fn take(id: &str, desk: &mut Desk<'_>, behaviour: Behaviour) -> Result<Value, Fail> {
    let charge = add_charge(id, desk, behaviour, "succeeded")?;
    let (now, settles_after) = (desk.now_ms, desk.settles_after_ms);
    let intent = desk.intent(id)?;
    (intent.latest_charge, intent.last_error) = (Some(charge.clone()), None);
    let (kind, captured) = match behaviour {
        Behaviour::Processing { settles } => {
            intent.status = "processing";
            intent.due = Some((now + settles_after, if settles { Due::Settles } else { Due::Fails }));
            ("payment_intent.processing", 0)
        }
        _ if intent.manual_capture => {
            (intent.status, intent.due) = ("requires_capture", Some((now + HOLD_MS, Due::HoldEnds)));
            ("payment_intent.amount_capturable_updated", 0)
        }
        _ => {
            (intent.status, intent.amount_received) = ("succeeded", intent.amount);
            ("payment_intent.succeeded", intent.amount)
        }
    };
    let intent = intent.clone();
    let charge = desk.charge(&charge)?;
    charge.captured = captured;
    if intent.status == "processing" {
        charge.status = "pending";
    }
    let charge = charge.value();
    desk.effect("charge", &about(&intent));
    if intent.status != "processing" {
        desk.event("charge.succeeded", charge);
    }
    desk.event(kind, intent.value());
    Ok(intent.value())
}

/// Notes a failed charge and gives the intent back for another method. No money moves.
pub(super) fn declined(id: &str, desk: &mut Desk<'_>, why: &'static str) -> Fail {
    let charge = add_charge(id, desk, Behaviour::Declined(why), "failed").unwrap_or_default();
    let fail = match why {
        "authentication_required" => decline(why, &charge).code("authentication_required"),
        _ => decline(why, &charge),
    };
    let Ok(intent) = desk.intent(id) else { return fail };
    (intent.status, intent.method, intent.latest_charge) = ("requires_payment_method", None, Some(charge));
    intent.last_error = Some(fail.members());
    let value = intent.value();
    desk.event("payment_intent.payment_failed", value.clone());
    fail.with("payment_intent", value)
}

fn add_charge(intent: &str, desk: &mut Desk<'_>, behaviour: Behaviour, status: &'static str) -> Result<String, Fail> {
    let (id, created_ms) = (desk.world.ids.next("ch", 24), desk.now_ms);
    let intent = desk.intent(intent)?.clone();
    desk.book.charges.push(Charge {
        id: id.clone(),
        intent: intent.id,
        amount: intent.amount,
        captured: 0,
        refunded: 0,
        currency: intent.currency,
        customer: intent.customer,
        metadata: intent.metadata,
        status,
        behaviour,
        created_ms,
    });
    Ok(id)
}

pub(super) fn unexpected_state(intent: &Intent, what: &str) -> Fail {
    let missing = intent.status == "requires_payment_method" && what == "confirmed";
    let hint = if missing { " It is missing a payment method." } else { "" };
    let message = format!("This PaymentIntent has a status of {} and cannot be {what}.{hint}", intent.status);
    Fail::invalid(message).code("payment_intent_unexpected_state").with("payment_intent", intent.value())
}

pub(super) fn about(intent: &Intent) -> About<'_> {
    About { object: &intent.id, amount: intent.amount, currency: &intent.currency, metadata: &intent.metadata }
}
