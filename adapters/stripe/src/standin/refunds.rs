//! Refunds. Two equal partial ones both succeed, up to what was captured.

use super::book::{Charge, Refund};
use super::desk::{About, Desk};
use super::fail::Fail;
use super::methods::Behaviour;
use super::money;
use super::params::{self, Metadata};
use hapax_standin::Request;
use serde_json::Value;

const CREATE: &[&str] = &[
    "payment_intent",
    "charge",
    "amount",
    "reason",
    "metadata",
    "refund_application_fee",
    "reverse_transfer",
    "instructions_email",
];

pub(super) struct Create {
    intent: Option<String>,
    charge: Option<String>,
    amount: Option<i64>,
    reason: Option<String>,
    metadata: Metadata,
}

impl Create {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        params::known(request, CREATE)?;
        let (intent, charge) = (params::text(request, "payment_intent")?, params::text(request, "charge")?);
        if intent.is_none() && charge.is_none() {
            let message = "One of the following params should be provided: payment_intent or charge.";
            return Err(Fail::invalid(message).code("parameter_missing"));
        }
        Ok(Self {
            intent: intent.map(str::to_owned),
            charge: charge.map(str::to_owned),
            amount: params::positive(request, "amount")?,
            reason: params::one_of(request, "reason", &["duplicate", "fraudulent", "requested_by_customer"])?,
            metadata: params::metadata(request)?,
        })
    }

    pub(super) fn run(self, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        let charge = self.parent(desk)?;
        let amount = amount(self.amount, &charge)?;
        let (status, due) = match charge.behaviour {
            Behaviour::RefundPending => ("pending", Some((desk.now_ms + desk.settles_after_ms, "succeeded"))),
            Behaviour::RefundFails => ("succeeded", Some((desk.now_ms + desk.settles_after_ms, "failed"))),
            _ => ("succeeded", None),
        };
        let refund = Refund {
            id: desk.world.ids.next("re", 24),
            charge: charge.id.clone(),
            intent: charge.intent,
            amount,
            currency: charge.currency,
            reason: self.reason,
            metadata: self.metadata,
            status,
            created_ms: desk.now_ms,
            due,
        };
        let value = refund.value();
        desk.effect(
            "refund",
            &About { object: &refund.id, amount, currency: &refund.currency, metadata: &refund.metadata },
        );
        desk.book.refunds.push(refund);
        let charge = desk.charge(&charge.id)?;
        charge.refunded += amount;
        let charge = charge.value();
        desk.event("refund.created", value.clone());
        desk.event("charge.refunded", charge);
        Ok(value)
    }

    /// The charge that is to be refunded: named itself, or the one that succeeded for the named intent.
    fn parent(&self, desk: &mut Desk<'_>) -> Result<Charge, Fail> {
        let id = match (&self.charge, &self.intent) {
            (Some(charge), _) => Some(charge.clone()),
            (None, Some(intent)) => {
                let missing = |_| Fail::missing(404, "payment_intent", intent, "payment_intent");
                desk.intent(intent).map_err(missing)?.latest_charge.clone()
            }
            (None, None) => None,
        };
        let charge = id.map(|id| desk.charge(&id).cloned()).transpose()?;
        match charge {
            Some(charge) if charge.captured > 0 => Ok(charge),
            _ => Err(Fail::invalid("This payment does not have a successful charge to refund.")),
        }
    }
}

fn amount(asked: Option<i64>, charge: &Charge) -> Result<i64, Fail> {
    if charge.behaviour == Behaviour::Disputed {
        let message = format!("Charge {} has been charged back; cannot issue a refund.", charge.id);
        return Err(Fail::invalid(message).code("charge_disputed"));
    }
    if charge.remaining() == 0 {
        let message = format!("Charge {} has already been refunded.", charge.id);
        return Err(Fail::invalid(message).code("charge_already_refunded"));
    }
    let amount = asked.unwrap_or(charge.remaining());
    if amount > charge.remaining() {
        // Stripe gives this one no code.
        let message = format!("Refund amount ({amount}) is greater than unrefunded amount ({}).", charge.remaining());
        return Err(Fail::invalid(message).param("amount"));
    }
    money::step(amount, &charge.currency)?;
    Ok(amount)
}
