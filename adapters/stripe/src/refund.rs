//! `stripe.refund`: give money back once.

use hapax_core::capability::{CellSpec, Human, Meaning, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::amounts::{self, from_stripe, to_stripe};
use crate::client::post;
use crate::facts;
use crate::wire::{self, List, MARK, is_id, is_marked};

/// Gives back a payment, or a part of it. Two equal partial refunds are two refunds.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refund {
    /// `pi_...`: the payment, unless `charge` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_intent: Option<String>,
    /// `ch_...`: the payment, unless `payment_intent` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge: Option<String>,
    /// How much; everything that is left if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// Why, as Stripe knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<RefundReason>,
}

/// Reasons that Stripe knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefundReason {
    /// Paid twice.
    Duplicate,
    /// Stripe then blocks the card and the address.
    Fraudulent,
    /// The customer asked for it.
    RequestedByCustomer,
}

/// A refund that was accepted; whether the money arrives is its fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefundReceipt {
    /// `re_...`
    pub id: String,
    /// How much.
    pub amount: Money,
    /// Stripe's status of the refund.
    pub status: String,
    /// The payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_intent: Option<String>,
    /// The charge of the payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge: Option<String>,
}

/// The cell `stripe.refund`.
#[derive(Clone, Copy, Debug, Default)]
pub struct RefundCell;

const ALREADY_REFUNDED: Row = Row::new(400, "*", "charge_already_refunded", Meaning::Taken, facts::CODES);
const DISPUTED: Row = Row::new(400, "*", "charge_disputed", Meaning::Refused, facts::CODES);

const SPEC: CellSpec = CellSpec::new(
    "stripe.refund",
    "Gives back a payment or a part of it",
    &[
        Rung::Native(facts::KEY),
        Rung::Query(facts::BY_MARK),
        Rung::Human(Human { place: "the payment in https://dashboard.stripe.com/payments: a refund whose metadata has hapax={mark}" }),
    ],
)
.stakes(Stakes::High)
.answers(&[
    ALREADY_REFUNDED,
    DISPUTED,
    facts::OTHER_PARAMETERS,
    facts::IN_USE,
    facts::LOCKED,
    facts::LIMITED,
    facts::UNAUTHORIZED,
    facts::ADRIFT_500,
])
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.later("status of the refund, or the webhooks refund.updated and refund.failed")
.reversal("not reversible; a refund that requires action can still be canceled by hand")
.residual("a refund that Stripe answered with a stored 500 may be rolled forward after 24 hours, when a person may have refunded by hand; and if somebody clears a refund's metadata while its answer is missing, a second one may be made after a day");

impl Cell for RefundCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Refund;
    type Receipt = RefundReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Refund) -> Answer<RefundReceipt> {
        let amount = match args.amount.as_ref().map(to_stripe).transpose() {
            Ok(amount) => amount,
            Err(why) => return Answer::NotDone(why, None),
        };
        let names = shot.names();
        let request = post("/v1/refunds", names.token("refund")).form([
            ("payment_intent", args.payment_intent.clone()),
            ("charge", args.charge.clone()),
            ("amount", amount.map(|amount| amount.to_string())),
            ("reason", args.reason.map(|reason| reason.as_str().to_owned())),
            (MARK, Some(names.mark())),
        ]);
        let mark = names.mark();
        shot.send(request, |refund: wire::Refund| {
            if !is_marked(refund.metadata.as_ref(), &mark) {
                return Answer::Unclear(Fault::Echo("mark of the refund".to_owned()));
            }
            receipt(refund).map_or_else(Answer::Unclear, Answer::Happened)
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &Refund) -> Result<Finding<RefundReceipt>, Fault> {
        let mut first = Request::get("/v1/refunds").query("limit", "100");
        first.query.extend(args.parent().map(|(name, id)| (name.to_owned(), id.to_owned())));
        let mark = cx.names().mark();
        // The parent is compared here too: a server that ignores the filter lists all refunds.
        let ours = |refund: wire::Refund| {
            (args.is_parent_of(&refund) && is_marked(refund.metadata.as_ref(), &mark)).then_some(refund)
        };
        let hits = cx.search(first.clone(), |list: List<wire::Refund>, _| Ok(list.page(&first, &ours))).await?;
        Ok(found(hits.into_iter().map(receipt).collect::<Result<_, _>>()?))
    }

    async fn fetch(&self, cx: &Context, _args: &Refund, id: &str) -> Result<Option<RefundReceipt>, Fault> {
        if !is_id(id, &["re_", "pyr_"]) {
            return Err(Fault::Unread("a refund is named by its id, re_...".to_owned()));
        }
        cx.get::<wire::Refund>(Request::get(format!("/v1/refunds/{id}"))).await?.map(receipt).transpose()
    }
}

fn receipt(refund: wire::Refund) -> Result<RefundReceipt, Fault> {
    Ok(RefundReceipt {
        amount: from_stripe(refund.amount, &refund.currency)?,
        id: refund.id,
        // Nullable by the description; a refund without a status was accepted and not settled.
        status: refund.status.unwrap_or_else(|| "pending".to_owned()),
        payment_intent: refund.payment_intent,
        charge: refund.charge,
    })
}

impl Refund {
    /// Gives back all that is left of a payment; for a part, `Refund { amount, ..Refund::of(..) }`.
    pub fn of(payment_intent: impl Into<String>) -> Self {
        Self { payment_intent: Some(payment_intent.into()), charge: None, amount: None, reason: None }
    }

    /// The parent as Stripe names it.
    fn parent(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let intent = self.payment_intent.as_deref().map(|id| ("payment_intent", id));
        intent.into_iter().chain(self.charge.as_deref().map(|id| ("charge", id)))
    }

    fn is_parent_of(&self, refund: &wire::Refund) -> bool {
        (self.payment_intent.is_none() || self.payment_intent == refund.payment_intent)
            && (self.charge.is_none() || self.charge == refund.charge)
    }
}

impl RefundReason {
    fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Fraudulent => "fraudulent",
            Self::RequestedByCustomer => "requested_by_customer",
        }
    }
}

impl CellArgs for Refund {
    fn check(&self) -> Result<(), String> {
        match (&self.payment_intent, &self.charge) {
            (Some(intent), None) if is_id(intent, &["pi_"]) => {}
            (None, Some(charge)) if is_id(charge, &["ch_", "py_"]) => {}
            (Some(_), None) => return Err("payment_intent: give the id of a PaymentIntent, pi_...".to_owned()),
            (None, Some(_)) => return Err("charge: give the id of a charge, ch_...".to_owned()),
            _ => return Err("payment_intent, charge: name the payment by exactly one of the two".to_owned()),
        }
        self.amount.as_ref().map(to_stripe).transpose().map(|_| ())
    }

    fn echo(&self) -> Echo {
        let mut echo: Echo = self.parent().map(|(name, id)| (name, id.to_owned())).collect();
        echo.extend(self.amount.iter().flat_map(amounts::echo));
        echo
    }

    fn money(&self) -> Option<Money> {
        self.amount.clone()
    }
}

impl CellReceipt for RefundReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        let mut echo = amounts::echo(&self.amount);
        echo.extend(self.payment_intent.clone().map(|intent| ("payment_intent", intent)));
        echo.extend(self.charge.clone().map(|charge| ("charge", charge)));
        echo
    }

    fn fate(&self) -> Option<(String, bool)> {
        Some((self.status.clone(), matches!(self.status.as_str(), "failed" | "canceled")))
    }
}

#[cfg(test)]
mod tests;
