//! `stripe.cancel_payment`: see to it that a payment can't be taken any more.
//!
//! Be so: anybody's cancellation satisfies. Money that was held is released.

use hapax_core::capability::{CellSpec, Human, Native, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Doer, Fault, Finding, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client::post;
use crate::facts;
use crate::wire::{PaymentIntent, Stage, is_id};

/// Cancels a payment that hasn't succeeded.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelPayment {
    /// `pi_...`
    pub payment_intent: String,
    /// Why, as Stripe knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<CancelReason>,
}

/// Reasons that Stripe knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// Another payment takes its place.
    Duplicate,
    /// It looks like fraud.
    Fraudulent,
    /// The customer asked for it.
    RequestedByCustomer,
    /// Nobody went on with it.
    Abandoned,
}

/// A payment that is canceled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelPaymentReceipt {
    /// `pi_...`
    pub id: String,
    /// Stripe's status of the intent.
    pub status: String,
    /// Who canceled it.
    pub doer: Doer,
}

/// The cell `stripe.cancel_payment`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CancelPaymentCell;

const SPEC: CellSpec = CellSpec::new(
    "stripe.cancel_payment",
    "Cancels a payment that has not succeeded, and releases money that was held",
    &[
        Rung::Native(facts::by_status(Native::state("cancelable"))),
        Rung::Native(facts::KEY),
        Rung::Query(facts::BY_ID),
        Rung::Human(Human { place: "https://dashboard.stripe.com/payments/{payment_intent}" }),
    ],
)
.be_so()
.stakes(Stakes::Medium)
.answers(&[
    facts::UNEXPECTED_STATE,
    facts::OTHER_PARAMETERS,
    facts::IN_USE,
    facts::LOCKED,
    facts::LIMITED,
    facts::UNAUTHORIZED,
    facts::STORED_500,
])
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.reversal("not reversible; charge again")
.residual("the payment may succeed before the cancellation arrives; then this is refused and a refund is what is left");

impl Cell for CancelPaymentCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CancelPayment;
    type Receipt = CancelPaymentReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CancelPayment) -> Answer<CancelPaymentReceipt> {
        let path = format!("/v1/payment_intents/{}/cancel", args.payment_intent);
        let request = post(path, shot.names().token("cancel"))
            .form([("cancellation_reason", args.reason.map(|reason| reason.as_str().to_owned()))]);
        shot.send(request, |intent: PaymentIntent| match intent.stage() {
            Stage::Canceled => Answer::Happened(receipt(intent, Doer::Us)),
            _ => Answer::Unclear(Fault::Unread(format!("a canceled intent with the status {}", intent.status))),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CancelPayment) -> Result<Finding<CancelPaymentReceipt>, Fault> {
        let read = Request::get(format!("/v1/payment_intents/{}", args.payment_intent));
        let Some(intent) = cx.get::<PaymentIntent>(read).await? else { return Ok(Finding::Absent) };
        Ok(match intent.stage() {
            Stage::Canceled => Finding::Happened(receipt(intent, Doer::CannotTell)),
            Stage::Succeeded => {
                Finding::Failed(Refusal::new("succeeded", "the payment has succeeded; refund it instead"))
            }
            Stage::Processing => Finding::NotYet("the payment is processing".to_owned()),
            Stage::Capturable | Stage::Unconfirmed | Stage::Declined | Stage::Action => Finding::Absent,
            Stage::Unknown => Finding::CannotTell(format!("unknown status {}", intent.status)),
        })
    }
}

fn receipt(intent: PaymentIntent, doer: Doer) -> CancelPaymentReceipt {
    CancelPaymentReceipt { id: intent.id, status: intent.status, doer }
}

impl CancelPayment {
    /// Cancels a payment without a reason.
    pub fn of(payment_intent: impl Into<String>) -> Self {
        Self { payment_intent: payment_intent.into(), reason: None }
    }
}

impl CancelReason {
    fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Fraudulent => "fraudulent",
            Self::RequestedByCustomer => "requested_by_customer",
            Self::Abandoned => "abandoned",
        }
    }
}

impl CellArgs for CancelPayment {
    fn check(&self) -> Result<(), String> {
        if is_id(&self.payment_intent, &["pi_"]) {
            Ok(())
        } else {
            Err("payment_intent: give the id of a PaymentIntent, pi_...".to_owned())
        }
    }

    fn echo(&self) -> Echo {
        vec![("payment_intent", self.payment_intent.clone())]
    }
}

impl CellReceipt for CancelPaymentReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and the charge holds the claim on the intent.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("payment_intent", self.id.clone())]
    }
}

#[cfg(test)]
mod tests;
