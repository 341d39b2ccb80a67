//! Payment intents: creating one, and what moves it from state to state.

use super::book::{Charge, Due, Intent};
use super::desk::{About, Desk, HOLD_MS};
use super::fail::Fail;
use super::methods::{Behaviour, behaviour, decline};
use super::money;
use super::params::{self, Metadata};
use hapax_standin::Request;
use serde_json::Value;

const CREATE: &[&str] = &[
    "amount",
    "currency",
    "customer",
    "payment_method",
    "payment_method_types",
    "automatic_payment_methods",
    "confirm",
    "off_session",
    "capture_method",
    "confirmation_method",
    "metadata",
    "description",
    "return_url",
    "receipt_email",
    "statement_descriptor",
    "statement_descriptor_suffix",
    "setup_future_usage",
    "transfer_group",
    "error_on_requires_action",
    "on_behalf_of",
    "application_fee_amount",
    "transfer_data",
    "shipping",
    "mandate_data",
];
const CONFIRM: &[&str] = &[
    "payment_method",
    "payment_method_types",
    "off_session",
    "return_url",
    "capture_method",
    "receipt_email",
    "setup_future_usage",
    "error_on_requires_action",
    "mandate_data",
    "shipping",
    "payment_method_options",
];
const CAPTURE: &[&str] = &[
    "amount_to_capture",
    "final_capture",
    "metadata",
    "statement_descriptor",
    "statement_descriptor_suffix",
    "application_fee_amount",
    "transfer_data",
];
const REASONS: &[&str] = &["duplicate", "fraudulent", "requested_by_customer", "abandoned"];

pub(super) struct Create {
    amount: i64,
    currency: String,
    customer: Option<String>,
    description: Option<String>,
    method: Option<String>,
    method_types: Vec<String>,
    manual_capture: bool,
    metadata: Metadata,
    confirm: Option<Confirm>,
}

pub(super) struct Confirm {
    method: Option<(String, Behaviour)>,
    off_session: bool,
    /// Since 2023-08-16 an intent whose methods the Dashboard decides needs an address to return to.
    has_return_url: bool,
}

pub(super) struct Capture {
    amount: Option<i64>,
}

pub(super) struct Cancel {
    reason: Option<String>,
}

impl Create {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        params::known(request, CREATE)?;
        params::required(request, "amount")?;
        let amount = params::integer(request, "amount")?.unwrap_or(0);
        let currency = params::required(request, "currency")?.to_ascii_lowercase();
        money::check(amount, &currency)?;
        let method = params::text(request, "payment_method")?;
        method.map(behaviour).transpose()?;
        let confirm = params::boolean(request, "confirm")?;
        if confirm {
            params::required(request, "payment_method")?;
        }
        let capture = params::one_of(request, "capture_method", &["automatic", "automatic_async", "manual"])?;
        let types = request.form.iter().filter(|(name, _)| name.starts_with("payment_method_types["));
        Ok(Self {
            amount,
            currency,
            customer: params::text(request, "customer")?.map(str::to_owned),
            description: request.field("description").map(str::to_owned),
            method: method.map(str::to_owned),
            method_types: types.map(|(_, kind)| kind.clone()).collect(),
            manual_capture: capture.as_deref() == Some("manual"),
            metadata: params::metadata(request)?,
            confirm: confirm.then(|| Confirm::parse(request)).transpose()?,
        })
    }

    pub(super) fn run(self, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        let id = desk.world.ids.next("pi", 24);
        let intent = Intent {
            id: id.clone(),
            amount: self.amount,
            currency: self.currency,
            customer: self.customer,
            description: self.description,
            status: if self.method.is_some() { "requires_confirmation" } else { "requires_payment_method" },
            method: self.method,
            method_types: self.method_types,
            manual_capture: self.manual_capture,
            metadata: self.metadata,
            amount_received: 0,
            latest_charge: None,
            last_error: None,
            cancellation_reason: None,
            canceled_ms: None,
            created_ms: desk.now_ms,
            due: None,
        };
        let value = intent.value();
        desk.book.intents.push(intent);
        desk.event("payment_intent.created", value.clone());
        match self.confirm {
            Some(confirm) => confirm.run(&id, desk),
            None => Ok(value),
        }
    }
}

impl Confirm {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        if request.path.ends_with("/confirm") {
            params::known(request, CONFIRM)?;
        }
        let method = params::text(request, "payment_method")?;
        let method = method.map(|id| behaviour(id).map(|behaviour| (id.to_owned(), behaviour))).transpose()?;
        let named_version = request.header("stripe-version").unwrap_or_default();
        let has_return_url = request.field("return_url").is_some() || named_version < "2023-08-16";
        Ok(Self { method, off_session: params::boolean(request, "off_session")?, has_return_url })
    }

    pub(super) fn run(self, id: &str, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        let intent = desk.intent(id)?;
        let may_begin = match intent.status {
            "requires_confirmation" => true,
            "requires_payment_method" | "requires_action" => self.method.is_some(),
            _ => false,
        };
        if !may_begin {
            return Err(unexpected_state(intent, "confirmed"));
        }
        if intent.method_types.is_empty() && !self.has_return_url {
            let message = "This PaymentIntent may use methods that redirect: a `return_url` must be provided.";
            return Err(Fail::invalid(message).with("payment_intent", intent.value()));
        }
        if let Some((method, _)) = self.method {
            intent.method = Some(method);
        }
        let method = intent.method.clone().unwrap_or_default();
        match behaviour(&method)? {
            Behaviour::Declined(why) => Err(declined(id, desk, why)),
            Behaviour::Authentication if self.off_session => Err(declined(id, desk, "authentication_required")),
            Behaviour::Authentication => {
                let intent = desk.intent(id)?;
                intent.status = "requires_action";
                let value = intent.value();
                desk.event("payment_intent.requires_action", value.clone());
                Ok(value)
            }
            behaviour => take(id, desk, behaviour),
        }
    }
}

impl Capture {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        params::known(request, CAPTURE)?;
        Ok(Self { amount: params::positive(request, "amount_to_capture")? })
    }

    pub(super) fn run(self, id: &str, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        let intent = desk.intent(id)?;
        if intent.status != "requires_capture" {
            return Err(unexpected_state(intent, "captured"));
        }
        let amount = self.amount.unwrap_or(intent.amount);
        if amount > intent.amount {
            let message = "The amount to capture is greater than the amount that is capturable.";
            return Err(Fail::invalid(message).code("amount_too_large").param("amount_to_capture"));
        }
        money::step(amount, &intent.currency)?;
        (intent.status, intent.amount_received, intent.due) = ("succeeded", amount, None);
        let intent = intent.clone();
        if let Ok(charge) = desk.charge(intent.latest_charge.as_deref().unwrap_or_default()) {
            charge.captured = amount;
        }
        desk.effect("capture", &About { amount, ..about(&intent) });
        desk.event("payment_intent.succeeded", intent.value());
        Ok(intent.value())
    }
}

impl Cancel {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        params::known(request, &["cancellation_reason"])?;
        Ok(Self { reason: params::one_of(request, "cancellation_reason", REASONS)? })
    }

    pub(super) fn run(self, id: &str, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        let now = desk.now_ms;
        let intent = desk.intent(id)?;
        if matches!(intent.status, "succeeded" | "canceled" | "processing") {
            return Err(unexpected_state(intent, "canceled"));
        }
        (intent.status, intent.canceled_ms, intent.due) = ("canceled", Some(now), None);
        intent.cancellation_reason = self.reason;
        let intent = intent.clone();
        desk.effect("cancel", &about(&intent));
        desk.event("payment_intent.canceled", intent.value());
        Ok(intent.value())
    }
}

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
fn declined(id: &str, desk: &mut Desk<'_>, why: &'static str) -> Fail {
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

fn unexpected_state(intent: &Intent, what: &str) -> Fail {
    let missing = intent.status == "requires_payment_method" && what == "confirmed";
    let hint = if missing { " It is missing a payment method." } else { "" };
    let message = format!("This PaymentIntent has a status of {} and cannot be {what}.{hint}", intent.status);
    Fail::invalid(message).code("payment_intent_unexpected_state").with("payment_intent", intent.value())
}

fn about(intent: &Intent) -> About<'_> {
    About { object: &intent.id, amount: intent.amount, currency: &intent.currency, metadata: &intent.metadata }
}
