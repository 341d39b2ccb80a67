//! `stripe.capture`: take money that was held.
//!
//! Be so: what counts is that this amount is captured. A PaymentIntent carries no trace of who
//! captured it, so a receipt that was found says that it can't tell.

use hapax_core::capability::{CellSpec, Human, Meaning, Native, Row, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Doer, Fault, Finding, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::amounts::{self, from_stripe, to_stripe};
use crate::client::post;
use crate::facts;
use crate::wire::{PaymentIntent, Stage, is_id};

/// Takes the money that `stripe.charge` with manual capture holds.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// `pi_...`
    pub payment_intent: String,
    /// How much; everything that is held if not said. The rest is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
}

/// A payment that is captured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureReceipt {
    /// `pi_...`
    pub id: String,
    /// `ch_...`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge: Option<String>,
    /// How much was taken, if the server says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// Stripe's status of the intent.
    pub status: String,
    /// Who captured it.
    pub doer: Doer,
}

/// The cell `stripe.capture`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaptureCell;

const ALREADY_CAPTURED: Row = Row::new(400, "*", "charge_already_captured", Meaning::Taken, facts::CODES);

const SPEC: CellSpec = CellSpec::new(
    "stripe.capture",
    "Takes money that was authorised before",
    &[
        Rung::Native(facts::by_status(Native::state("requires_capture"))),
        Rung::Native(facts::KEY),
        Rung::Query(facts::BY_ID),
        Rung::Human(Human { place: "https://dashboard.stripe.com/payments/{payment_intent}" }),
    ],
)
.be_so()
.stakes(Stakes::High)
.answers(&[
    facts::UNEXPECTED_STATE,
    ALREADY_CAPTURED,
    facts::OTHER_PARAMETERS,
    facts::IN_USE,
    facts::LOCKED,
    facts::LIMITED,
    facts::UNAUTHORIZED,
    facts::STORED_500,
])
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.reversal("by stripe.refund")
.residual("on accounts with multicapture, captures by others that are not final leave the status as it is, so the sum can be more than ours and a person compares");

impl Cell for CaptureCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Capture;
    type Receipt = CaptureReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Capture) -> Answer<CaptureReceipt> {
        let amount = match args.amount.as_ref().map(to_stripe).transpose() {
            Ok(amount) => amount,
            Err(why) => return Answer::NotDone(why, None),
        };
        let path = format!("/v1/payment_intents/{}/capture", args.payment_intent);
        let request = post(path, shot.names().token("capture"))
            .form([("amount_to_capture", amount.map(|amount| amount.to_string()))]);
        shot.send(request, |intent: PaymentIntent| match intent.stage() {
            Stage::Succeeded => receipt(intent, Doer::Us).map_or_else(Answer::Unclear, Answer::Happened),
            _ => Answer::Unclear(Fault::Unread(format!("a captured intent with the status {}", intent.status))),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &Capture) -> Result<Finding<CaptureReceipt>, Fault> {
        let read = Request::get(format!("/v1/payment_intents/{}", args.payment_intent));
        let Some(intent) = cx.get::<PaymentIntent>(read).await? else { return Ok(Finding::Absent) };
        Ok(match intent.stage() {
            Stage::Succeeded => Finding::Happened(receipt(intent, Doer::CannotTell)?),
            Stage::Canceled => {
                Finding::Failed(Refusal::new("canceled", "the payment was canceled or its authorisation ended"))
            }
            Stage::Processing => Finding::NotYet("the payment is processing".to_owned()),
            Stage::Capturable | Stage::Unconfirmed | Stage::Declined | Stage::Action => Finding::Absent,
            Stage::Unknown => Finding::CannotTell(format!("unknown status {}", intent.status)),
        })
    }
}

fn receipt(intent: PaymentIntent, doer: Doer) -> Result<CaptureReceipt, Fault> {
    let amount = intent.amount_received.map(|taken| from_stripe(taken, &intent.currency)).transpose()?;
    Ok(CaptureReceipt { id: intent.id, charge: intent.latest_charge, amount, status: intent.status, doer })
}

impl Capture {
    /// Takes all that is held; for a part, `Capture { amount, ..Capture::of(..) }`.
    pub fn of(payment_intent: impl Into<String>) -> Self {
        Self { payment_intent: payment_intent.into(), amount: None }
    }
}

impl CellArgs for Capture {
    fn check(&self) -> Result<(), String> {
        if !is_id(&self.payment_intent, &["pi_"]) {
            return Err("payment_intent: give the id of a PaymentIntent, pi_...".to_owned());
        }
        self.amount.as_ref().map(to_stripe).transpose().map(|_| ())
    }

    fn echo(&self) -> Echo {
        let mut echo = vec![("payment_intent", self.payment_intent.clone())];
        echo.extend(self.amount.iter().flat_map(amounts::echo));
        echo
    }

    fn money(&self) -> Option<Money> {
        self.amount.clone()
    }
}

impl CellReceipt for CaptureReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and the charge holds the claim on the intent.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        let mut echo = vec![("payment_intent", self.id.clone())];
        echo.extend(self.amount.iter().flat_map(amounts::echo));
        echo
    }
}

#[cfg(test)]
mod tests;
