//! What can be asked about an invoice, and how its parameters are read.

use super::desk::Desk;
use super::fail::Fail;
use super::invoices::{Invoice, Line, add_item, add_lines, create, finalize, send, turn};
use super::money;
use super::params;
use super::routes::unknown_path;
use hapax_standin::Request;
use serde_json::Value;
use std::collections::BTreeMap;

const CREATE: &[&str] = &[
    "customer",
    "currency",
    "collection_method",
    "days_until_due",
    "auto_advance",
    "automatic_tax",
    "description",
    "discounts",
    "metadata",
    "pending_invoice_items_behavior",
];
const ITEM: &[&str] = &["customer", "invoice", "amount", "currency", "description", "metadata"];

/// A POST about an invoice whose parameters have been read.
pub(super) enum Command {
    Create(Box<Invoice>, bool),
    AddItem(Option<String>, Line),
    AddLines(String, Vec<Line>),
    Finalize(String),
    Send(String),
    Void(String),
    GiveUp(String),
}

impl Command {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        match request.segments().as_slice() {
            ["v1", "invoices"] => parse_invoice(request),
            ["v1", "invoiceitems"] => parse_item(request),
            ["v1", "invoices", id, "add_lines"] => {
                params::known(request, &["lines", "invoice_metadata"])?;
                Ok(Self::AddLines((*id).to_owned(), parse_lines(request)?))
            }
            ["v1", "invoices", id, "finalize"] => {
                params::known(request, &["auto_advance"])?;
                Ok(Self::Finalize((*id).to_owned()))
            }
            ["v1", "invoices", id, "send"] => params::known(request, &[]).map(|()| Self::Send((*id).to_owned())),
            ["v1", "invoices", id, "void"] => params::known(request, &[]).map(|()| Self::Void((*id).to_owned())),
            ["v1", "invoices", id, "mark_uncollectible"] => {
                params::known(request, &[]).map(|()| Self::GiveUp((*id).to_owned()))
            }
            _ => Err(unknown_path(request)),
        }
    }

    pub(super) fn run(self, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        match self {
            Self::Create(invoice, takes_pending) => Ok(create(*invoice, takes_pending, desk)),
            Self::AddItem(invoice, line) => add_item(invoice.as_deref(), line, desk),
            Self::AddLines(id, lines) => add_lines(&id, lines, desk),
            Self::Finalize(id) => finalize(&id, desk),
            Self::Send(id) => send(&id, desk),
            Self::Void(id) => turn(&id, desk, &["open", "uncollectible"], "void", "invoice.voided"),
            Self::GiveUp(id) => turn(&id, desk, &["open"], "uncollectible", "invoice.marked_uncollectible"),
        }
    }
}

fn parse_invoice(request: &Request) -> Result<Command, Fail> {
    params::known(request, CREATE)?;
    let customer = params::required(request, "customer")?.to_owned();
    let collection = params::one_of(request, "collection_method", &["charge_automatically", "send_invoice"])?;
    let is_mailed = collection.as_deref() == Some("send_invoice");
    let days_until_due = params::integer(request, "days_until_due")?;
    if customer == "cus_missing" {
        return Err(Fail::missing(400, "customer", &customer, "customer"));
    }
    if is_mailed && customer == "cus_without_email" {
        let message = "Missing email. To create invoices that are sent, the customer must have a valid email.";
        return Err(Fail::invalid(message));
    }
    if is_mailed != days_until_due.is_some() {
        return Err(Fail::invalid("Invoices that are sent, and only those, have `days_until_due`."));
    }
    let pending = params::one_of(request, "pending_invoice_items_behavior", &["exclude", "include"])?;
    let invoice = Invoice {
        id: String::new(),
        has_discount: customer == "cus_discounted" && request.field("discounts") != Some(""),
        customer,
        currency: params::text(request, "currency")?.unwrap_or("usd").to_ascii_lowercase(),
        description: request.field("description").map(str::to_owned),
        days_until_due,
        is_mailed,
        metadata: params::metadata(request)?,
        lines: Vec::new(),
        status: "draft",
        number: None,
        created_ms: 0,
        given_up_ms: None,
    };
    Ok(Command::Create(Box::new(invoice), pending.as_deref() == Some("include")))
}

fn parse_item(request: &Request) -> Result<Command, Fail> {
    params::known(request, ITEM)?;
    let currency = params::required(request, "currency")?.to_ascii_lowercase();
    let amount = params::integer(request, "amount")?.unwrap_or(0);
    money::step(amount, &currency)?;
    let line = Line {
        id: String::new(),
        customer: params::required(request, "customer")?.to_owned(),
        amount,
        currency,
        description: request.field("description").map(str::to_owned),
        metadata: params::metadata(request)?,
        created_ms: 0,
    };
    Ok(Command::AddItem(params::text(request, "invoice")?.map(str::to_owned), line))
}

/// `lines[0][amount]`, `lines[0][metadata][name]` and so on; customer and currency are the invoice's.
fn parse_lines(request: &Request) -> Result<Vec<Line>, Fail> {
    let mut lines: BTreeMap<usize, Line> = BTreeMap::new();
    let bad = |name: &str| Fail::invalid(format!("Invalid line: {name}")).param("lines");
    for (name, value) in request.form.iter().filter(|(name, _)| name.starts_with("lines[")) {
        let parts: Vec<&str> = name["lines[".len()..].trim_end_matches(']').split("][").collect();
        let index = parts[0].parse().map_err(|_| bad(name))?;
        let line = lines.entry(index).or_insert_with(Line::empty);
        match &parts[1..] {
            ["amount"] => line.amount = value.parse().map_err(|_| bad(name))?,
            ["description"] => line.description = Some(value.clone()),
            ["metadata", key] => {
                line.metadata.insert((*key).to_owned(), value.clone());
            }
            _ => return Err(Fail::invalid(format!("Received unknown parameter: {name}")).code("parameter_unknown")),
        }
    }
    if lines.is_empty() {
        return Err(Fail::invalid("Missing required param: lines.").code("parameter_missing").param("lines"));
    }
    Ok(lines.into_values().collect())
}
