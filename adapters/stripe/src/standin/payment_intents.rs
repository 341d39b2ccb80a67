//! Payment intents: creating one, and what moves it from state to state.

use super::book::Intent;
use super::desk::{About, Desk};
use super::fail::Fail;
use super::methods::{Behaviour, behaviour};
use super::money;
use super::moves::{about, declined, take, unexpected_state};
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
