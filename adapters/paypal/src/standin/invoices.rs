use hapax_standin::{Beyond, Context, Effect, PageSize, Record, Reply};
use serde_json::{Value, json};

use super::Paypal;
use super::amount::Amount;
use super::fail::Fail;

/// An invoice, with its one recipient.
#[derive(Clone, Debug)]
pub(super) struct Invoice {
    id: String,
    created_ms: i64,
    sent_ms: Option<i64>,
    status: &'static str,
    number: String,
    total: Amount,
    /// What creating it sent.
    body: Value,
}

impl Record for Invoice {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

/// How long after it was sent an invoice of the item `canceled-later` is canceled.
const CANCELED_AFTER_MS: i64 = 30 * 60_000;

impl Invoice {
    fn has_item(&self, name: &str) -> bool {
        self.body["items"].as_array().into_iter().flatten().any(|item| item["name"] == name)
    }

    /// As it is at this time.
    fn at(&self, now_ms: i64) -> Self {
        let is_over = self.sent_ms.is_some_and(|sent_ms| sent_ms + CANCELED_AFTER_MS <= now_ms);
        let is_canceled = is_over && self.has_item("canceled-later");
        Self { status: if is_canceled { "CANCELLED" } else { self.status }, ..self.clone() }
    }

    fn value(&self) -> Value {
        let mut value = self.body.clone();
        value["id"] = self.id.as_str().into();
        value["status"] = self.status.into();
        value["amount"] = self.total.value();
        value["detail"]["invoice_number"] = self.number.as_str().into();
        let metadata = &mut value["detail"]["metadata"];
        metadata["create_time"] = time(self.created_ms).into();
        if let Some(sent_ms) = self.sent_ms {
            metadata["first_sent_time"] = time(sent_ms).into();
        }
        value
    }

    fn link(&self) -> String {
        format!("https://www.paypal.com/invoice/payerView/details/{}", self.id)
    }
}

/// A moment in the form of PayPal's; the stand-in's clock has no calendar, so it is of fixed width and sorts.
fn time(ms: i64) -> String {
    format!("{:015}", ms.max(0))
}

pub(super) fn create(context: &mut Context<'_, Paypal>) -> Result<(u16, Value), Fail> {
    let body = context.request.json_at("").clone();
    let items = body["items"].as_array().filter(|items| (1..=100).contains(&items.len()));
    let Some(items) = items else { return Err(Fail::invalid("MISSING_REQUIRED_PARAMETER")) };
    if items.iter().any(|item| item["name"] == "refused") {
        return Err(Fail::unprocessable("USER_NOT_FOUND"));
    }
    let total = total(items)?;
    if body["detail"]["currency_code"] != total.currency.as_str() {
        return Err(Fail::invalid("INVALID_PARAMETER_VALUE"));
    }
    let number = match body["detail"]["invoice_number"].as_str() {
        Some(number) if number.len() > 25 => return Err(Fail::invalid("INVALID_STRING_MAX_LENGTH")),
        Some(number) => number.to_owned(),
        None => format!("{:04}", context.state.invoices.len() + 1),
    };
    let is_known = context.state.invoices.iter().any(|invoice| invoice.number == number);
    if context.state.refuses_repeated_invoice_numbers && is_known {
        return Err(Fail::unprocessable("DUPLICATE_INVOICE_NUMBER"));
    }
    let letters = context.world.ids.letters(16).to_uppercase();
    let groups: Vec<&str> = (0..4).filter_map(|nth| letters.get(nth * 4..nth * 4 + 4)).collect();
    let id = format!("INV2-{}", groups.join("-"));
    let created_ms = context.now_ms;
    let invoice = Invoice { id, created_ms, sent_ms: None, status: "DRAFT", number, total, body };
    let invoice = context.state.invoices.add(invoice);
    let is_wanted = context.request.header("prefer") == Some("return=representation");
    let link = json!({
        "href": format!("https://api-m.paypal.com/v2/invoicing/invoices/{}", invoice.id),
        "rel": "self", "method": "GET",
    });
    Ok((201, if is_wanted { invoice.value() } else { link }))
}

/// The sum of the items, whose quantities are all 1.
fn total(items: &[Value]) -> Result<Amount, Fail> {
    let mut sum: Option<Amount> = None;
    for item in items {
        if item["quantity"] != "1" || item["name"].as_str().is_none_or(str::is_empty) {
            return Err(Fail::invalid("INVALID_PARAMETER_VALUE"));
        }
        let one = Amount::read(&item["unit_amount"])?;
        sum = Some(match sum {
            None => one,
            Some(sum) if sum.currency == one.currency => sum.less(-one.thousandths),
            Some(_) => return Err(Fail::invalid("INVALID_PARAMETER_VALUE")),
        });
    }
    sum.ok_or_else(|| Fail::invalid("MISSING_REQUIRED_PARAMETER"))
}

pub(super) fn show(context: &mut Context<'_, Paypal>) -> Result<Value, Fail> {
    let invoice = context.state.invoices.get(&context.path("id")).ok_or_else(Fail::gone)?;
    // How soon a read shows that it was sent is not written, so a fault may make that late.
    let shown_until_ms = context.now_ms - context.twists.list_lag_ms().unwrap_or(0);
    let is_shown = invoice.sent_ms.is_none_or(|sent_ms| sent_ms <= shown_until_ms);
    let shown = if is_shown {
        invoice.at(context.now_ms)
    } else {
        Invoice { sent_ms: None, status: "DRAFT", ..invoice.clone() }
    };
    Ok(shown.value())
}

pub(super) fn send(context: &mut Context<'_, Paypal>) -> Result<Value, Fail> {
    let now_ms = context.now_ms;
    let invoice = context.state.invoices.get_mut(&context.path("id")).ok_or_else(Fail::gone)?;
    if invoice.status != "DRAFT" {
        return Err(Fail::unprocessable("INVOICE_ALREADY_SENT"));
    }
    let address = &invoice.body["primary_recipients"][0]["billing_info"]["email_address"];
    if !address.is_string() || invoice.has_item("unsendable") {
        return Err(Fail::unprocessable("CANT_SEND_INVOICE_WITHOUT_EMAIL"));
    }
    (invoice.status, invoice.sent_ms) = ("SENT", Some(now_ms));
    let invoice = invoice.clone();
    context.effect(effect(&invoice));
    Ok(json!({ "href": invoice.link(), "rel": "payer-view", "method": "GET" }))
}

fn effect(invoice: &Invoice) -> Effect {
    let reference = invoice.body["detail"]["reference"].as_str().unwrap_or_default().to_owned();
    Effect {
        kind: "invoice".to_owned(),
        object: invoice.id.clone(),
        metadata: [("reference".to_owned(), reference)].into(),
        amount: invoice.total.thousandths / 10,
        currency: invoice.total.currency.clone(),
        ..Effect::default()
    }
}

pub(super) fn cancel(context: &mut Context<'_, Paypal>) -> Result<Reply, Fail> {
    let invoice = context.state.invoices.get_mut(&context.path("id")).ok_or_else(Fail::gone)?;
    match invoice.status {
        "DRAFT" => return Err(Fail::unprocessable("CANNOT_CANCEL_DRAFT_INVOICE")),
        "CANCELLED" => return Err(Fail::unprocessable("INVOICE_CANCELED_ALREADY")),
        _ => invoice.status = "CANCELLED",
    }
    Ok(Reply::empty(204))
}

pub(super) fn delete(context: &mut Context<'_, Paypal>) -> Result<Reply, Fail> {
    let id = context.path("id");
    let invoice = context.state.invoices.get(&id).ok_or_else(Fail::gone)?;
    if !matches!(invoice.status, "DRAFT" | "CANCELLED") {
        return Err(Fail::unprocessable("INVOICE_CANNOT_BE_DELETED"));
    }
    context.state.invoices.remove(&id);
    Ok(Reply::empty(204))
}

pub(super) fn search(context: &mut Context<'_, Paypal>) -> Result<Value, Fail> {
    const SIZE: PageSize = PageSize { usual: 20, most: 100, beyond: Beyond::Refused };
    let (reference, number) = (context.request.json_at("/reference"), context.request.json_at("/invoice_number"));
    let size = SIZE.read(context.request.param("page_size")).map_err(|_| Fail::invalid("INVALID_INTEGER_MAX_VALUE"))?;
    let page = context.request.param("page").and_then(|page| page.parse().ok()).unwrap_or(1);
    let listed = context.list(&context.state.invoices).reversed();
    let listed = listed.equal(reference.as_str(), |invoice| invoice.body["detail"]["reference"].as_str());
    let found = listed.equal(number.as_str(), |invoice| Some(&invoice.number)).numbered(page, size);
    let mut value = json!({ "items": found.values(|invoice| invoice.at(context.now_ms).value()) });
    if context.request.param("total_required") == Some("true") {
        value["total_items"] = found.total.into();
        value["total_pages"] = found.total.div_ceil(size).into();
    }
    Ok(value)
}
