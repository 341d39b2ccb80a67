//! `stripe.cancel_subscription`: see to it that a subscription ends, now or with its period.
//!
//! Be so: anybody's cancellation satisfies. It is not invoiced or credited: what the status doesn't
//! prove is left out.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::identity::Names;
use hapax_core::transport::{Method, Request};
use hapax_core::words::{Answer, Doer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client::post;
use crate::facts;
use crate::wire::{Subscription, is_id};

/// Ends a subscription.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelSubscription {
    /// `sub_...`
    pub subscription: String,
    /// When it ends.
    pub when: CancelWhen,
}

/// When a subscription ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CancelWhen {
    /// At once, and for good. What was paid in advance is not given back.
    Now,
    /// When the period that is paid for is over. Until then it can be taken back.
    AtPeriodEnd,
}

/// A subscription that is canceled, or will be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelSubscriptionReceipt {
    /// `sub_...`
    pub id: String,
    /// Stripe's status of the subscription.
    pub status: String,
    /// When it ended, in seconds since 1970, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
    /// When it will end, in seconds since 1970, as far as Stripe says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_at: Option<i64>,
    /// Who canceled it.
    pub doer: Doer,
}

/// The cell `stripe.cancel_subscription`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CancelSubscriptionCell;

const SPEC: CellSpec = CellSpec::new(
    "stripe.cancel_subscription",
    "Cancels a subscription, now or at the end of its period",
    &[
        Rung::Native(facts::UNTIL_CANCELED),
        Rung::Native(facts::KEY_OF_UPDATES),
        Rung::Query(facts::SUBSCRIPTION_BY_ID),
        Rung::Human(Human { place: "https://dashboard.stripe.com/subscriptions/{subscription}" }),
    ],
)
.be_so()
.stakes(Stakes::Medium)
.answers(&[
    facts::CANCELED_OR_NEVER,
    facts::OTHER_PARAMETERS,
    facts::IN_USE,
    facts::LOCKED,
    facts::LIMITED,
    facts::UNAUTHORIZED,
    facts::STORED_500,
])
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.reversal("at the end of the period: until then, by hand; now: not reversible, subscribe again")
.residual("after a stored 500 a cancellation at the end of the period is made once more");

impl Cell for CancelSubscriptionCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CancelSubscription;
    type Receipt = CancelSubscriptionReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CancelSubscription) -> Answer<CancelSubscriptionReceipt> {
        let request = args.request(shot.names());
        shot.send(request, |subscription: Subscription| {
            if is_so(&subscription, args.when) {
                Answer::Happened(receipt(subscription, Doer::Us))
            } else {
                Answer::Unclear(Fault::Unread(format!(
                    "a canceled subscription with the status {}",
                    subscription.status
                )))
            }
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CancelSubscription) -> Result<Finding<CancelSubscriptionReceipt>, Fault> {
        let read = Request::get(format!("/v1/subscriptions/{}", args.subscription));
        let Some(subscription) = cx.get::<Subscription>(read).await? else {
            let id = &args.subscription;
            return Ok(Finding::CannotTell(format!("{id} is not on this account; is the id right, and the mode?")));
        };
        Ok(match subscription.status.as_str() {
            _ if is_so(&subscription, args.when) => Finding::Happened(receipt(subscription, Doer::CannotTell)),
            "active" | "trialing" | "past_due" | "unpaid" | "paused" | "incomplete" => Finding::Absent,
            status => Finding::CannotTell(format!("unknown status {status}")),
        })
    }
}

/// Whether a subscription has ended, or will when it is to.
fn is_so(subscription: &Subscription, when: CancelWhen) -> bool {
    let has_ended = matches!(subscription.status.as_str(), "canceled" | "incomplete_expired");
    has_ended || when == CancelWhen::AtPeriodEnd && subscription.cancel_at_period_end
}

fn receipt(subscription: Subscription, doer: Doer) -> CancelSubscriptionReceipt {
    let Subscription { id, status, ended_at, cancel_at, .. } = subscription;
    CancelSubscriptionReceipt { id, status, ended_at, cancel_at, doer }
}

impl CancelSubscription {
    /// Ends a subscription at once.
    pub fn now(subscription: impl Into<String>) -> Self {
        Self { subscription: subscription.into(), when: CancelWhen::Now }
    }

    /// Ends a subscription with the period that is paid for.
    pub fn at_period_end(subscription: impl Into<String>) -> Self {
        Self { subscription: subscription.into(), when: CancelWhen::AtPeriodEnd }
    }

    /// A DELETE takes no key in v1; the update has one as every POST.
    fn request(&self, names: &Names) -> Request {
        let path = format!("/v1/subscriptions/{}", self.subscription);
        match self.when {
            CancelWhen::Now => Request::new(Method::Delete, path),
            CancelWhen::AtPeriodEnd => {
                post(path, names.token("cancel_subscription")).form([("cancel_at_period_end", Some("true".to_owned()))])
            }
        }
    }
}

impl CellArgs for CancelSubscription {
    fn check(&self) -> Result<(), String> {
        if is_id(&self.subscription, &["sub_"]) {
            Ok(())
        } else {
            Err("subscription: give the id of a subscription, sub_...".to_owned())
        }
    }

    fn echo(&self) -> Echo {
        vec![("subscription", self.subscription.clone())]
    }
}

impl CellReceipt for CancelSubscriptionReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and create_subscription holds the claim on the record.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("subscription", self.id.clone())]
    }
}

#[cfg(test)]
mod tests;
