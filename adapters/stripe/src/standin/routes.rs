//! Which request asks for what.

use super::auth::OWN_ACCOUNT;
use super::desk::Desk;
use super::fail::Fail;
use super::list::{Entry, page};
use super::payment_intents::{Cancel, Capture, Confirm, Create};
use super::{invoice_commands, invoices, refunds, subscriptions, transfers};
use hapax_standin::{Request, Twists};
use serde_json::{Value, json};

/// A request that changes something, and whose parameters have been read.
pub(super) enum Command {
    Create(Create),
    Confirm(String, Confirm),
    Capture(String, Capture),
    Cancel(String, Cancel),
    Refund(refunds::Create),
    Invoice(invoice_commands::Command),
    Transfer(transfers::Create),
    Subscribe(subscriptions::Create),
    UpdateSubscription(String, subscriptions::Update),
    CancelSubscription(String),
    DeleteInvoice(String),
}

impl Command {
    /// Reads the parameters; what fails here is not kept under the key.
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        if request.method == "DELETE" {
            return match request.segments().as_slice() {
                ["v1", "subscriptions", id] => Ok(Self::CancelSubscription((*id).to_owned())),
                ["v1", "invoices", id] => Ok(Self::DeleteInvoice((*id).to_owned())),
                _ => Err(unknown_path(request)),
            };
        }
        match request.segments().as_slice() {
            ["v1", "payment_intents"] => Create::parse(request).map(Self::Create),
            ["v1", "payment_intents", id, "confirm"] => {
                Confirm::parse(request).map(|confirm| Self::Confirm((*id).to_owned(), confirm))
            }
            ["v1", "payment_intents", id, "capture"] => {
                Capture::parse(request).map(|capture| Self::Capture((*id).to_owned(), capture))
            }
            ["v1", "payment_intents", id, "cancel"] => {
                Cancel::parse(request).map(|cancel| Self::Cancel((*id).to_owned(), cancel))
            }
            ["v1", "refunds"] => refunds::Create::parse(request).map(Self::Refund),
            ["v1", "invoices" | "invoiceitems", ..] => invoice_commands::Command::parse(request).map(Self::Invoice),
            ["v1", "transfers"] => transfers::Create::parse(request).map(Self::Transfer),
            ["v1", "subscriptions"] => subscriptions::Create::parse(request).map(Self::Subscribe),
            ["v1", "subscriptions", id] => {
                subscriptions::Update::parse(request).map(|update| Self::UpdateSubscription((*id).to_owned(), update))
            }
            _ => Err(unknown_path(request)),
        }
    }

    pub(super) fn run(self, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        match self {
            Self::Create(create) => create.run(desk),
            Self::Confirm(id, confirm) => confirm.run(&id, desk),
            Self::Capture(id, capture) => capture.run(&id, desk),
            Self::Cancel(id, cancel) => cancel.run(&id, desk),
            Self::Refund(create) => create.run(desk),
            Self::Invoice(command) => command.run(desk),
            Self::Transfer(create) => create.run(desk),
            Self::Subscribe(create) => create.run(desk),
            Self::UpdateSubscription(id, update) => update.run(&id, desk),
            Self::CancelSubscription(id) => subscriptions::cancel(&id, desk),
            Self::DeleteInvoice(id) => invoices::delete(&id, desk),
        }
    }
}

/// Answers a GET.
pub(super) fn read(request: &Request, twists: &Twists, desk: &mut Desk<'_>) -> Result<Value, Fail> {
    match request.segments().as_slice() {
        ["v1", "account"] => Ok(account(desk.account)),
        ["v1", "payment_intents"] => page(intents(request, desk), request, twists, desk.now_ms),
        ["v1", "payment_intents", id] => Ok(desk.intent(id)?.value()),
        ["v1", "charges"] => page(charges(request, desk), request, twists, desk.now_ms),
        ["v1", "charges", id] => Ok(desk.charge(id)?.value()),
        ["v1", "refunds"] => page(refunds_of(request, desk)?, request, twists, desk.now_ms),
        ["v1", "refunds", id] => Ok(desk.refund(id)?.value()),
        ["v1", "transfers"] => page(transfers::listed(request, desk), request, twists, desk.now_ms),
        ["v1", "transfers", id] => Ok(desk.transfer(id)?.value()),
        ["v1", "subscriptions"] => page(subscriptions::listed(request, desk), request, twists, desk.now_ms),
        ["v1", "subscriptions", id] => desk.subscription_value(id),
        ["v1", "events"] => page(events(request, desk), request, twists, desk.now_ms),
        ["v1", "invoices", ..] => invoices::read(request, twists, desk),
        _ => Err(unknown_path(request)),
    }
}

fn account(id: &str) -> Value {
    let name = if id == OWN_ACCOUNT { "Stand-in" } else { "Connected" };
    json!({ "id": id, "object": "account", "business_profile": { "name": name }, "charges_enabled": true })
}

fn intents(request: &Request, desk: &Desk<'_>) -> Vec<Entry> {
    let customer = request.param("customer");
    let wanted = desk.book.intents.iter().filter(|intent| customer.is_none() || intent.customer.as_deref() == customer);
    wanted.map(|intent| Entry { created_ms: intent.created_ms, value: intent.value() }).collect()
}

fn charges(request: &Request, desk: &Desk<'_>) -> Vec<Entry> {
    let (intent, customer) = (request.param("payment_intent"), request.param("customer"));
    let wanted = desk.book.charges.iter().filter(|charge| {
        intent.is_none_or(|intent| charge.intent == intent)
            && (customer.is_none() || charge.customer.as_deref() == customer)
    });
    wanted.map(|charge| Entry { created_ms: charge.created_ms, value: charge.value() }).collect()
}

fn refunds_of(request: &Request, desk: &mut Desk<'_>) -> Result<Vec<Entry>, Fail> {
    let (intent, charge) = (request.param("payment_intent"), request.param("charge"));
    if let Some(id) = intent {
        desk.intent(id).map_err(|_| Fail::missing(404, "payment_intent", id, "payment_intent"))?;
    }
    if let Some(id) = charge {
        desk.charge(id)?;
    }
    let wanted = desk.book.refunds.iter().filter(|refund| {
        intent.is_none_or(|intent| refund.intent == intent) && charge.is_none_or(|charge| refund.charge == charge)
    });
    Ok(wanted.map(|refund| Entry { created_ms: refund.created_ms, value: refund.value() }).collect())
}

/// Events go back 30 days.
fn events(request: &Request, desk: &Desk<'_>) -> Vec<Entry> {
    const KEPT_MS: i64 = 30 * 24 * 3600 * 1000;
    let named = request.query.iter().filter(|(name, _)| name == "type" || name.starts_with("types["));
    let kinds: Vec<&str> = named.map(|(_, kind)| kind.as_str()).collect();
    let wanted =
        desk.book.events.iter().filter(|event| {
            (kinds.is_empty() || kinds.contains(&event.kind)) && desk.now_ms - event.created_ms < KEPT_MS
        });
    wanted.map(|event| Entry { created_ms: event.created_ms, value: event.value() }).collect()
}

pub(super) fn unknown_path(request: &Request) -> Fail {
    Fail::new(404, "invalid_request_error", format!("Unrecognized request URL ({}: {}).", request.method, request.path))
}
