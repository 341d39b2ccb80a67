use super::book::{Book, Charge, Due, Event, Intent, Refund, seconds};
use super::fail::Fail;
use super::invoices::{self, Invoice};
use super::methods;
use super::params::Metadata;
use hapax_standin::{Effect, World};
use serde_json::Value;

/// Stripe lets go of an uncaptured hold after seven days.
pub(super) const HOLD_MS: i64 = 7 * 24 * 3600 * 1000;

/// What an endpoint works with: one account's book, the world, and the request that it works for.
pub(super) struct Desk<'a> {
    pub(super) world: &'a World,
    pub(super) book: &'a mut Book,
    pub(super) account: &'a str,
    pub(super) now_ms: i64,
    pub(super) settles_after_ms: i64,
    pub(super) token: Option<String>,
    pub(super) request_id: Option<String>,
}

/// What an effect is about.
pub(super) struct About<'a> {
    pub(super) object: &'a str,
    pub(super) amount: i64,
    pub(super) currency: &'a str,
    pub(super) metadata: &'a Metadata,
}

impl Desk<'_> {
    pub(super) fn intent(&mut self, id: &str) -> Result<&mut Intent, Fail> {
        let found = self.book.intents.iter_mut().find(|intent| intent.id == id);
        found.ok_or_else(|| Fail::missing(404, "payment_intent", id, "intent"))
    }

    pub(super) fn charge(&mut self, id: &str) -> Result<&mut Charge, Fail> {
        let found = self.book.charges.iter_mut().find(|charge| charge.id == id);
        found.ok_or_else(|| Fail::missing(404, "charge", id, "charge"))
    }

    pub(super) fn refund(&mut self, id: &str) -> Result<&mut Refund, Fail> {
        let found = self.book.refunds.iter_mut().find(|refund| refund.id == id);
        found.ok_or_else(|| Fail::missing(404, "refund", id, "id"))
    }

    pub(super) fn invoice(&mut self, id: &str) -> Result<&mut Invoice, Fail> {
        let found = self.book.invoices.iter_mut().find(|invoice| invoice.id == id);
        found.ok_or_else(|| Fail::missing(404, "invoice", id, "invoice"))
    }

    /// Counts an effect. It is called in the same step in which the state changes.
    pub(super) fn effect(&self, kind: &str, about: &About<'_>) {
        self.world.effects.add(Effect {
            kind: kind.to_owned(),
            object: about.object.to_owned(),
            account: self.account.to_owned(),
            token: self.token.clone(),
            metadata: about.metadata.clone(),
            amount: about.amount,
            currency: about.currency.to_owned(),
            at_ms: self.now_ms,
        });
    }

    pub(super) fn event(&mut self, kind: &'static str, object: Value) {
        self.book.events.push(Event {
            id: self.world.ids.next("evt", 24),
            kind,
            object,
            request: self.request_id.clone(),
            token: self.token.clone(),
            created_ms: self.now_ms,
        });
    }

    /// Lets happen what time has brought about since the last request.
    pub(super) fn catch_up(&mut self) {
        let now = self.now_ms;
        let is_due = |intent: &&Intent| intent.due.is_some_and(|(at, _)| at <= now);
        let intents: Vec<String> = self.book.intents.iter().filter(is_due).map(|intent| intent.id.clone()).collect();
        for id in intents {
            self.catch_up_intent(&id);
        }
        let is_due = |refund: &&Refund| refund.due.is_some_and(|(at, _)| at <= now);
        let refunds: Vec<String> = self.book.refunds.iter().filter(is_due).map(|refund| refund.id.clone()).collect();
        for id in refunds {
            self.catch_up_refund(&id);
        }
        invoices::catch_up(self);
        self.catch_up_subscriptions();
    }

    fn catch_up_intent(&mut self, id: &str) {
        let Ok(intent) = self.intent(id) else { return };
        let Some((at, due)) = intent.due.take() else { return };
        let charge = intent.latest_charge.clone().unwrap_or_default();
        let kind = match due {
            Due::Settles => {
                intent.status = "succeeded";
                intent.amount_received = intent.amount;
                "payment_intent.succeeded"
            }
            Due::Fails => {
                intent.status = "requires_payment_method";
                intent.method = None;
                intent.last_error = Some(methods::decline("generic_decline", &charge).members());
                "payment_intent.payment_failed"
            }
            Due::HoldEnds => {
                intent.status = "canceled";
                intent.canceled_ms = Some(at);
                intent.cancellation_reason = Some("automatic".to_owned());
                "payment_intent.canceled"
            }
        };
        let value = intent.value();
        if let Ok(charge) = self.charge(&charge) {
            match due {
                Due::Settles => (charge.status, charge.captured) = ("succeeded", charge.amount),
                Due::Fails => charge.status = "failed",
                Due::HoldEnds => {}
            }
        }
        self.event(kind, value);
    }

    fn catch_up_refund(&mut self, id: &str) {
        let Ok(refund) = self.refund(id) else { return };
        if let Some((_, status)) = refund.due.take() {
            self.turn_refund(id, status);
        }
    }

    /// Gives a refund another status; a failed or canceled one gives its amount back to the charge.
    pub(super) fn turn_refund(&mut self, id: &str, status: &'static str) {
        let Ok(refund) = self.refund(id) else { return };
        let was_off = matches!(refund.status, "failed" | "canceled");
        refund.status = status;
        let (value, amount, charge) = (refund.value(), refund.amount, refund.charge.clone());
        let is_off = matches!(status, "failed" | "canceled");
        if let (true, false, Ok(charge)) = (is_off, was_off, self.charge(&charge)) {
            charge.refunded -= amount;
        }
        self.event(if status == "failed" { "refund.failed" } else { "refund.updated" }, value);
    }
}

/// Whether a time in milliseconds lies in the `created` filters of a list.
pub(super) fn within(created_ms: i64, filters: &[(String, i64)]) -> bool {
    let created = seconds(created_ms);
    filters.iter().all(|(operator, bound)| match operator.as_str() {
        "gt" => created > *bound,
        "gte" => created >= *bound,
        "lt" => created < *bound,
        "lte" => created <= *bound,
        _ => created == *bound,
    })
}
