//! Subscriptions: made with a first payment, canceled now or with their period.

use super::book::seconds;
use super::desk::{About, Desk};
use super::fail::Fail;
use super::list::Entry;
use super::methods::{Behaviour, behaviour, decline};
use super::params::{self, Metadata};
use hapax_standin::Request;
use serde_json::{Value, json};

const CREATE: &[&str] = &[
    "customer",
    "items",
    "default_payment_method",
    "payment_behavior",
    "off_session",
    "trial_period_days",
    "metadata",
    "description",
];
const BEHAVIOURS: &[&str] = &["allow_incomplete", "default_incomplete", "error_if_incomplete"];
const DAY_MS: i64 = 24 * 3600 * 1000;
/// Every price here is paid by the month.
const PERIOD_MS: i64 = 30 * DAY_MS;
/// The first invoice can be paid for so long.
const INCOMPLETE_MS: i64 = 23 * 3600 * 1000;

#[derive(Clone, Debug)]
pub(super) struct Subscription {
    id: String,
    customer: String,
    items: Vec<(String, u64)>,
    method: Option<String>,
    metadata: Metadata,
    status: &'static str,
    at_period_end: bool,
    invoice: String,
    created_ms: i64,
    period_end_ms: i64,
    ended_ms: Option<i64>,
}

pub(super) struct Create {
    customer: String,
    items: Vec<(String, u64)>,
    method: Option<(String, Behaviour)>,
    payment_behavior: String,
    trial_days: Option<i64>,
    metadata: Metadata,
}

pub(super) struct Update {
    at_period_end: Option<bool>,
    metadata: Metadata,
}

impl Create {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        params::known(request, CREATE)?;
        let customer = params::required(request, "customer")?;
        if !customer.starts_with("cus_") || customer == "cus_missing" {
            return Err(Fail::missing(400, "customer", customer, "customer"));
        }
        let method = params::text(request, "default_payment_method")?;
        let method = method.map(|id| behaviour(id).map(|behaviour| (id.to_owned(), behaviour))).transpose()?;
        let payment_behavior = params::one_of(request, "payment_behavior", BEHAVIOURS)?;
        Ok(Self {
            customer: customer.to_owned(),
            items: items(request)?,
            method,
            payment_behavior: payment_behavior.unwrap_or_else(|| "allow_incomplete".to_owned()),
            trial_days: params::positive(request, "trial_period_days")?,
            metadata: params::metadata(request)?,
        })
    }

    pub(super) fn run(self, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        let status = self.first_payment()?;
        let period_ms = self.trial_days.map_or(PERIOD_MS, |days| days * DAY_MS);
        let subscription = Subscription {
            id: desk.world.ids.next("sub", 24),
            customer: self.customer,
            items: self.items,
            method: self.method.map(|(method, _)| method),
            metadata: self.metadata,
            status,
            at_period_end: false,
            invoice: desk.world.ids.next("in", 24),
            created_ms: desk.now_ms,
            period_end_ms: desk.now_ms + period_ms,
            ended_ms: None,
        };
        let value = subscription.value();
        desk.effect("subscribe", &subscription.about());
        desk.book.subscriptions.push(subscription);
        desk.event("customer.subscription.created", value.clone());
        Ok(value)
    }

    /// The status that the first invoice leads to. A customer's own default method pays.
    fn first_payment(&self) -> Result<&'static str, Fail> {
        let method = self.method.as_ref().map_or(Behaviour::Succeeds, |(_, behaviour)| *behaviour);
        let code = match method {
            _ if self.trial_days.is_some() => return Ok("trialing"),
            _ if self.payment_behavior == "default_incomplete" => return Ok("incomplete"),
            Behaviour::Declined(code) => code,
            Behaviour::Authentication => "authentication_required",
            _ => return Ok("active"),
        };
        match self.payment_behavior.as_str() {
            "error_if_incomplete" => Err(decline(code, "ch_standin")),
            _ => Ok("incomplete"),
        }
    }
}

impl Update {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        params::known(request, &["cancel_at_period_end", "metadata"])?;
        let at_period_end = request.field("cancel_at_period_end").is_some();
        let at_period_end = at_period_end.then(|| params::boolean(request, "cancel_at_period_end")).transpose()?;
        Ok(Self { at_period_end, metadata: params::metadata(request)? })
    }

    pub(super) fn run(self, id: &str, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        let subscription = desk.subscription(id)?;
        match (subscription.has_ended(), self.at_period_end) {
            (true, Some(_)) => {
                // Stripe gives this one no code.
                let message = "A canceled subscription can only update its cancellation_details and metadata.";
                return Err(Fail::invalid(message));
            }
            (false, Some(_)) if subscription.status == "incomplete" => {
                let message = "An incomplete subscription can only update its metadata and default source.";
                return Err(Fail::invalid(message));
            }
            _ => {}
        }
        let was = subscription.at_period_end;
        subscription.at_period_end = self.at_period_end.unwrap_or(was);
        subscription.metadata.extend(self.metadata);
        let subscription = subscription.clone();
        if subscription.at_period_end && !was {
            desk.effect("cancel_at_period_end", &subscription.about());
        }
        desk.event("customer.subscription.updated", subscription.value());
        Ok(subscription.value())
    }
}

/// Cancels at once. What has ended is answered as if it had never been.
pub(super) fn cancel(id: &str, desk: &mut Desk<'_>) -> Result<Value, Fail> {
    let now = desk.now_ms;
    let subscription = desk.subscription(id)?;
    if subscription.has_ended() {
        return Err(Fail::missing(404, "subscription", id, "id"));
    }
    subscription.end(now);
    let subscription = subscription.clone();
    desk.effect("cancel_subscription", &subscription.about());
    desk.event("customer.subscription.deleted", subscription.value());
    Ok(subscription.value())
}

impl Subscription {
    fn has_ended(&self) -> bool {
        matches!(self.status, "canceled" | "incomplete_expired")
    }

    fn end(&mut self, at_ms: i64) {
        self.status = if self.status == "incomplete" { "incomplete_expired" } else { "canceled" };
        self.ended_ms = Some(at_ms);
    }

    /// When it ends, or a trial does, by itself.
    fn due_ms(&self) -> Option<i64> {
        match self.status {
            "incomplete" => Some(self.created_ms + INCOMPLETE_MS),
            "active" | "trialing" if self.at_period_end => Some(self.period_end_ms),
            "trialing" => Some(self.period_end_ms),
            _ => None,
        }
    }

    fn about(&self) -> About<'_> {
        About { object: &self.id, amount: 0, currency: "", metadata: &self.metadata }
    }

    fn value(&self) -> Value {
        let items: Vec<Value> = (0..)
            .zip(&self.items)
            .map(|(number, (price, quantity))| {
                json!({
                    "id": format!("si_{}_{number}", self.id), "object": "subscription_item", "quantity": quantity,
                    "price": { "id": price, "object": "price" }, "current_period_end": seconds(self.period_end_ms),
                })
            })
            .collect();
        json!({
            "id": self.id, "object": "subscription", "customer": self.customer, "status": self.status,
            "items": { "object": "list", "data": items, "has_more": false },
            "cancel_at_period_end": self.at_period_end,
            "cancel_at": self.at_period_end.then(|| seconds(self.period_end_ms)),
            "ended_at": self.ended_ms.map(seconds), "canceled_at": self.ended_ms.map(seconds),
            "collection_method": "charge_automatically", "created": seconds(self.created_ms),
            "default_payment_method": self.method, "latest_invoice": self.invoice, "livemode": false,
            "metadata": self.metadata,
        })
    }
}

impl Desk<'_> {
    fn subscription(&mut self, id: &str) -> Result<&mut Subscription, Fail> {
        let found = self.book.subscriptions.iter_mut().find(|subscription| subscription.id == id);
        found.ok_or_else(|| Fail::missing(404, "subscription", id, "id"))
    }

    pub(super) fn subscription_value(&mut self, id: &str) -> Result<Value, Fail> {
        self.subscription(id).map(|subscription| subscription.value())
    }

    /// Lets end what time has ended.
    pub(super) fn catch_up_subscriptions(&mut self) {
        let now = self.now_ms;
        let mut changed = Vec::new();
        for subscription in &mut self.book.subscriptions {
            let Some(at) = subscription.due_ms().filter(|at| *at <= now) else { continue };
            let runs_on = subscription.status == "trialing" && !subscription.at_period_end;
            if runs_on {
                (subscription.status, subscription.period_end_ms) = ("active", at + PERIOD_MS);
            } else {
                subscription.end(at);
            }
            let kind = if runs_on { "customer.subscription.updated" } else { "customer.subscription.deleted" };
            changed.push((kind, subscription.value()));
        }
        for (kind, value) in changed {
            self.event(kind, value);
        }
    }
}

/// Subscriptions that a list asks for; those that have ended are left out unless it says so.
pub(super) fn listed(request: &Request, desk: &Desk<'_>) -> Vec<Entry> {
    let (customer, status) = (request.param("customer"), request.param("status"));
    let wanted = desk.book.subscriptions.iter().filter(|subscription| {
        customer.is_none_or(|customer| subscription.customer == customer)
            && match status {
                None => subscription.status != "canceled",
                Some("all") => true,
                Some("ended") => subscription.has_ended(),
                Some(status) => subscription.status == status,
            }
    });
    wanted.map(|subscription| Entry { created_ms: subscription.created_ms, value: subscription.value() }).collect()
}

/// `items[0][price]` and `items[0][quantity]`, in the order of their numbers.
fn items(request: &Request) -> Result<Vec<(String, u64)>, Fail> {
    let mut items = Vec::new();
    while let Some(price) = params::text(request, &format!("items[{}][price]", items.len()))? {
        if price == "price_missing" {
            return Err(Fail::missing(400, "price", price, &format!("items[{}][price]", items.len())));
        }
        let quantity = params::positive(request, &format!("items[{}][quantity]", items.len()))?.unwrap_or(1);
        items.push((price.to_owned(), u64::try_from(quantity).unwrap_or(1)));
    }
    match items.len() {
        1..=20 => Ok(items),
        0 => Err(Fail::invalid("Missing required param: items.").code("parameter_missing").param("items")),
        _ => Err(Fail::invalid("A subscription has at most 20 items.").param("items")),
    }
}
