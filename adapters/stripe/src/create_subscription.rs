//! `stripe.create_subscription`: subscribe a customer once.
//!
//! If the first invoice can't be paid, there is to be no subscription: the answer is yes or no, and
//! nothing is left behind that becomes a payment later.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client::post;
use crate::facts;
use crate::wire::{self, List, MARK, is_id, is_marked};

/// Subscribes a customer to prices. Two equal subscriptions are two.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSubscription {
    /// `cus_...`: who pays.
    pub customer: String,
    /// What for: one to ten prices.
    pub items: Vec<SubscriptionItem>,
    /// `pm_...`: what pays; the customer's default if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_payment_method: Option<String>,
    /// Days before the first payment, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial_period_days: Option<u32>,
    /// Whether the customer is away while the first invoice is paid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_session: Option<bool>,
}

/// A price, and how many of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubscriptionItem {
    /// `price_...`
    pub price: String,
    /// How many; Stripe takes one if not said, and none where usage is metered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<u64>,
}

/// A subscription that was made; what becomes of it is its fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreateSubscriptionReceipt {
    /// `sub_...`
    pub id: String,
    /// Stripe's status of the subscription.
    pub status: String,
    /// Who pays.
    pub customer: String,
    /// What for.
    pub items: Vec<SubscriptionItem>,
    /// `in_...`: the newest invoice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_invoice: Option<String>,
}

/// The cell `stripe.create_subscription`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateSubscriptionCell;

const SPEC: CellSpec = CellSpec::new(
    "stripe.create_subscription",
    "Subscribes a customer to prices, if the first invoice can be paid",
    &[
        Rung::Native(facts::KEY),
        Rung::Query(facts::SUBSCRIPTION_BY_MARK),
        Rung::Human(Human {
            place: "https://dashboard.stripe.com/customers/{customer}: a subscription whose metadata has hapax={mark}",
        }),
    ],
)
.stakes(Stakes::High)
.answers(&[
    facts::UNPAID,
    facts::OTHER_PARAMETERS,
    facts::IN_USE,
    facts::LOCKED,
    facts::LIMITED,
    facts::UNAUTHORIZED,
    facts::ADRIFT_500,
])
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.later("status of the subscription, or the webhooks customer.subscription.updated and customer.subscription.deleted")
.reversal("by stripe.cancel_subscription; what was paid by stripe.refund")
.residual("a subscription that Stripe answered with a stored 500 may be rolled forward after 24 hours, when a person may have subscribed the customer again; and if somebody clears a subscription's metadata while its answer is missing, a second one may be made after a day");

impl Cell for CreateSubscriptionCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = CreateSubscription;
    type Receipt = CreateSubscriptionReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &CreateSubscription) -> Answer<CreateSubscriptionReceipt> {
        let mark = shot.names().mark();
        let request = args.create(&mark, shot.names().token("create_subscription"));
        shot.send(request, |subscription: wire::Subscription| {
            if !is_marked(subscription.metadata.as_ref(), &mark) {
                return Answer::Unclear(Fault::Echo("mark of the subscription".to_owned()));
            }
            receipt(subscription).map_or_else(Answer::Unclear, Answer::Happened)
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &CreateSubscription) -> Result<Finding<CreateSubscriptionReceipt>, Fault> {
        let first = Request::get("/v1/subscriptions").query("limit", "100");
        let first = first.query("customer", &args.customer).query("status", "all");
        let mark = cx.names().mark();
        let ours =
            |subscription: wire::Subscription| is_marked(subscription.metadata.as_ref(), &mark).then_some(subscription);
        let hits = cx.search(first.clone(), |list: List<wire::Subscription>, _| Ok(list.page(&first, &ours))).await?;
        Ok(match found(hits.into_iter().map(receipt).collect::<Result<_, _>>()?) {
            // Nobody says that one which ends in a 402 can't be seen before; the key's answer tells.
            Finding::Happened(receipt) if receipt.status == "incomplete" => {
                Finding::NotYet("the first invoice is not paid yet".to_owned())
            }
            finding => finding,
        })
    }

    async fn fetch(
        &self,
        cx: &Context,
        _args: &CreateSubscription,
        id: &str,
    ) -> Result<Option<CreateSubscriptionReceipt>, Fault> {
        if !is_id(id, &["sub_"]) {
            return Err(Fault::Unread("a subscription is named by its id, sub_...".to_owned()));
        }
        cx.get::<wire::Subscription>(Request::get(format!("/v1/subscriptions/{id}"))).await?.map(receipt).transpose()
    }
}

fn receipt(subscription: wire::Subscription) -> Result<CreateSubscriptionReceipt, Fault> {
    let unread = || Fault::Unread("the subscription shows only a part of its items".to_owned());
    let items = subscription.items.whole().ok_or_else(unread)?.into_iter();
    Ok(CreateSubscriptionReceipt {
        id: subscription.id,
        status: subscription.status,
        customer: subscription.customer.unwrap_or_default(),
        items: items
            .map(|item| SubscriptionItem { price: item.price.unwrap_or_default(), quantity: item.quantity })
            .collect(),
        latest_invoice: subscription.latest_invoice,
    })
}

impl CreateSubscription {
    /// As many items as an answer is sure to show; Stripe itself takes twenty.
    const MOST_ITEMS: usize = 10;

    /// One of a price; for more, `CreateSubscription { items, ..CreateSubscription::to(..) }`.
    pub fn to(customer: impl Into<String>, price: impl Into<String>) -> Self {
        let items = vec![SubscriptionItem { price: price.into(), quantity: Some(1) }];
        let customer = customer.into();
        Self { customer, items, default_payment_method: None, trial_period_days: None, off_session: None }
    }

    fn create(&self, mark: &str, key: String) -> Request {
        let named = |number: usize, field: &str| format!("items[{number}][{field}]");
        let items: Vec<_> =
            (0..).zip(&self.items).map(|(n, item)| (named(n, "price"), named(n, "quantity"), item)).collect();
        let pairs = [
            ("customer", Some(self.customer.clone())),
            ("payment_behavior", Some("error_if_incomplete".to_owned())),
            ("default_payment_method", self.default_payment_method.clone()),
            ("trial_period_days", self.trial_period_days.map(|days| days.to_string())),
            ("off_session", self.off_session.map(|away| away.to_string())),
            (MARK, Some(mark.to_owned())),
        ];
        let items = items.iter().flat_map(|(price, quantity, item)| {
            [(price.as_str(), Some(item.price.clone())), (quantity.as_str(), item.quantity.map(|q| q.to_string()))]
        });
        post("/v1/subscriptions", key).form(pairs.into_iter().chain(items))
    }
}

/// The pairs that arguments and receipt have in common, items in an order of their own.
fn echo(customer: &str, items: &[SubscriptionItem]) -> Echo {
    let mut items = items.to_vec();
    items.sort();
    let prices: Vec<_> = items.iter().map(|item| item.price.clone()).collect();
    let quantities: Vec<_> = items.iter().map(|item| item.quantity.unwrap_or_default().to_string()).collect();
    vec![("customer", customer.to_owned()), ("prices", prices.join(",")), ("quantities", quantities.join(","))]
}

impl CellArgs for CreateSubscription {
    fn check(&self) -> Result<(), String> {
        if !is_id(&self.customer, &["cus_"]) {
            return Err("customer: give the id of a customer, cus_...".to_owned());
        }
        if !(1..=Self::MOST_ITEMS).contains(&self.items.len()) {
            return Err(format!("items: name between 1 and {} prices", Self::MOST_ITEMS));
        }
        // Plans that are older than prices have ids of any form.
        if !self.items.iter().all(|item| is_id(&item.price, &[""])) {
            return Err("items: give the ids of prices, price_...".to_owned());
        }
        if self.default_payment_method.as_ref().is_some_and(|method| !is_id(method, &["pm_"])) {
            return Err("default_payment_method: give the id of a payment method, pm_...".to_owned());
        }
        if self.trial_period_days == Some(0) {
            return Err("trial_period_days: from 1, or leave it out".to_owned());
        }
        Ok(())
    }

    /// Stripe fills in quantities that are left out, so they are compared only where all are named.
    fn echo(&self) -> Echo {
        let mut echo = echo(&self.customer, &self.items);
        if self.items.iter().any(|item| item.quantity.is_none()) {
            echo.pop();
        }
        echo
    }
}

impl CellReceipt for CreateSubscriptionReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        echo(&self.customer, &self.items)
    }

    fn fate(&self) -> Option<(String, bool)> {
        Some((self.status.clone(), matches!(self.status.as_str(), "canceled" | "incomplete_expired")))
    }
}

#[cfg(test)]
mod tests;
