//! What an account holds, and how its objects look in an answer.

use super::invoices::{Invoice, Line};
use super::methods::Behaviour;
use super::params::Metadata;
use super::subscriptions::Subscription;
use super::transfers::Transfer;
use serde_json::{Value, json};

/// One account's objects, oldest first.
#[derive(Debug, Default)]
pub(super) struct Book {
    pub(super) intents: Vec<Intent>,
    pub(super) charges: Vec<Charge>,
    pub(super) refunds: Vec<Refund>,
    pub(super) transfers: Vec<Transfer>,
    pub(super) subscriptions: Vec<Subscription>,
    pub(super) events: Vec<Event>,
    pub(super) invoices: Vec<Invoice>,
    pub(super) pending_items: Vec<Line>,
}

#[derive(Clone, Debug)]
pub(super) struct Intent {
    pub(super) id: String,
    pub(super) amount: i64,
    pub(super) currency: String,
    pub(super) customer: Option<String>,
    pub(super) description: Option<String>,
    pub(super) method: Option<String>,
    /// The types that the caller named; none means that the Dashboard decides.
    pub(super) method_types: Vec<String>,
    pub(super) manual_capture: bool,
    pub(super) metadata: Metadata,
    pub(super) status: &'static str,
    pub(super) amount_received: i64,
    pub(super) latest_charge: Option<String>,
    pub(super) last_error: Option<Value>,
    pub(super) cancellation_reason: Option<String>,
    pub(super) canceled_ms: Option<i64>,
    pub(super) created_ms: i64,
    /// What is to happen by itself, and when: a debit settles or fails, an uncaptured hold ends.
    pub(super) due: Option<(i64, Due)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    Settles,
    Fails,
    HoldEnds,
}

#[derive(Clone, Debug)]
pub(super) struct Charge {
    pub(super) id: String,
    pub(super) intent: String,
    pub(super) amount: i64,
    pub(super) captured: i64,
    pub(super) refunded: i64,
    pub(super) currency: String,
    pub(super) customer: Option<String>,
    pub(super) metadata: Metadata,
    pub(super) status: &'static str,
    pub(super) behaviour: Behaviour,
    pub(super) created_ms: i64,
}

#[derive(Clone, Debug)]
pub(super) struct Refund {
    pub(super) id: String,
    pub(super) charge: String,
    pub(super) intent: String,
    pub(super) amount: i64,
    pub(super) currency: String,
    pub(super) reason: Option<String>,
    pub(super) metadata: Metadata,
    pub(super) status: &'static str,
    pub(super) created_ms: i64,
    /// The status that it takes by itself, and when.
    pub(super) due: Option<(i64, &'static str)>,
}

#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) object: Value,
    pub(super) request: Option<String>,
    pub(super) token: Option<String>,
    pub(super) created_ms: i64,
}

impl Intent {
    pub(super) fn value(&self) -> Value {
        let capturable = if self.status == "requires_capture" { self.amount } else { 0 };
        let types = if self.method_types.is_empty() { vec!["card".to_owned()] } else { self.method_types.clone() };
        let action = (self.status == "requires_action").then(|| json!({ "type": "use_stripe_sdk" }));
        json!({
            "id": self.id, "object": "payment_intent", "amount": self.amount, "amount_capturable": capturable,
            "amount_received": self.amount_received, "currency": self.currency, "customer": self.customer,
            "capture_method": if self.manual_capture { "manual" } else { "automatic" },
            "canceled_at": self.canceled_ms.map(seconds), "cancellation_reason": self.cancellation_reason,
            "client_secret": format!("{}_secret_standin", self.id), "confirmation_method": "automatic",
            "created": seconds(self.created_ms), "description": self.description,
            "last_payment_error": self.last_error, "latest_charge": self.latest_charge, "livemode": false,
            "metadata": self.metadata, "next_action": action, "payment_method": self.method,
            "payment_method_types": types, "status": self.status,
        })
    }
}

impl Charge {
    /// What can still be refunded.
    pub(super) fn remaining(&self) -> i64 {
        self.captured - self.refunded
    }

    pub(super) fn value(&self) -> Value {
        json!({
            "id": self.id, "object": "charge", "amount": self.amount, "amount_captured": self.captured,
            "amount_refunded": self.refunded, "captured": self.captured > 0, "created": seconds(self.created_ms),
            "currency": self.currency, "customer": self.customer,
            "disputed": self.behaviour == Behaviour::Disputed, "livemode": false, "metadata": self.metadata,
            "paid": self.status != "failed", "payment_intent": self.intent,
            "refunded": self.captured > 0 && self.remaining() == 0, "status": self.status,
        })
    }
}

impl Refund {
    pub(super) fn value(&self) -> Value {
        let failure = (self.status == "failed").then_some("unknown");
        let mut value = json!({
            "id": self.id, "object": "refund", "amount": self.amount, "charge": self.charge,
            "created": seconds(self.created_ms), "currency": self.currency, "metadata": self.metadata,
            "payment_intent": self.intent, "reason": self.reason, "status": self.status,
        });
        if let Some(failure) = failure {
            value["failure_reason"] = failure.into();
        }
        value
    }
}

impl Event {
    pub(super) fn value(&self) -> Value {
        json!({
            "id": self.id, "object": "event", "created": seconds(self.created_ms), "data": { "object": self.object },
            "livemode": false, "type": self.kind,
            "request": { "id": self.request, "idempotency_key": self.token },
        })
    }
}

/// Stripe's times are whole seconds.
pub(super) fn seconds(ms: i64) -> i64 {
    ms.div_euclid(1000)
}
