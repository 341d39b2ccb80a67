use hapax_standin::{Context, Effect, Record};
use serde_json::{Value, json};

use super::amount::Amount;
use super::fail::Fail;
use super::refunds::Refund;
use super::{Paypal, invoice_of, planted};

const KEYS_LIVE_MS: i64 = 6 * 3_600_000;

/// An order with its one purchase unit.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) id: String,
    created_ms: i64,
    status: &'static str,
    /// The purchase unit as it was sent.
    unit: Value,
    amount: Amount,
    pub(super) capture: Option<Capture>,
    pub(super) refunds: Vec<Refund>,
}

/// The payment of an order.
#[derive(Clone, Debug)]
pub(super) struct Capture {
    pub(super) id: String,
    pub(super) status: &'static str,
    pub(super) amount: Amount,
    pub(super) can_be_refunded: bool,
}

impl Record for Order {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Order {
    fn value(&self) -> Value {
        self.with_refunds(|_| true)
    }

    /// The order with those of its refunds that are shown already.
    fn with_refunds(&self, is_shown: impl Fn(&Refund) -> bool) -> Value {
        let mut unit = self.unit.clone();
        unit["reference_id"] = "default".into();
        if self.capture.is_some() {
            let shown = self.refunds.iter().filter(|refund| is_shown(refund));
            let refunds: Vec<Value> = shown.map(Refund::value).collect();
            unit["payments"] = json!({ "captures": [self.capture_value()], "refunds": refunds });
        }
        json!({ "id": self.id, "intent": "CAPTURE", "status": self.status, "purchase_units": [unit] })
    }

    pub(super) fn capture_value(&self) -> Value {
        let Some(capture) = &self.capture else { return Value::Null };
        json!({
            "id": capture.id, "status": capture.status, "amount": capture.amount.value(), "final_capture": true,
            "custom_id": self.unit["custom_id"], "invoice_id": self.unit["invoice_id"],
            "supplementary_data": { "related_ids": { "order_id": self.id } },
        })
    }
}

pub(super) fn create(context: &mut Context<'_, Paypal>) -> Result<(u16, Value), Fail> {
    if let Some(order) = under_key(context)? {
        return Ok((200, order));
    }
    let (intent, units) = (context.request.json_at("/intent"), context.request.json_at("/purchase_units"));
    if intent != "CAPTURE" || units.as_array().is_none_or(|units| units.len() != 1) {
        return Err(Fail::invalid("MISSING_REQUIRED_PARAMETER"));
    }
    let unit = units[0].clone();
    let order = Order {
        id: context.world.ids.letters(17).to_uppercase(),
        created_ms: context.now_ms,
        status: "CREATED",
        amount: Amount::read(&unit["amount"])?,
        unit,
        capture: None,
        refunds: Vec::new(),
    };
    remember(context, &order.id);
    Ok((201, context.state.orders.add(order).value()))
}

pub(super) fn show(context: &mut Context<'_, Paypal>) -> Result<Value, Fail> {
    let order = context.state.orders.get(&context.path("id")).ok_or_else(Fail::missing)?;
    // How soon a refund shows in its order is not written, so a fault may make it late.
    let shown_until_ms = context.now_ms - context.twists.list_lag_ms().unwrap_or(0);
    Ok(order.with_refunds(|refund| refund.created_ms <= shown_until_ms))
}

pub(super) fn capture(context: &mut Context<'_, Paypal>) -> Result<(u16, Value), Fail> {
    if let Some(order) = under_key(context)? {
        return Ok((200, order));
    }
    let order = context.state.orders.get(&context.path("id")).ok_or_else(Fail::missing)?;
    if order.status != "CREATED" {
        return Err(Fail::unprocessable("ORDER_ALREADY_CAPTURED"));
    }
    let invoice = invoice_of(&order.unit);
    let is_paid = |other: &Order| other.capture.is_some() && invoice_of(&other.unit) == invoice;
    if context.state.blocks_repeated_invoice_ids && invoice.is_some() && context.state.orders.iter().any(is_paid) {
        return Err(Fail::unprocessable("DUPLICATE_INVOICE_ID"));
    }
    let source = context.request.json_at("/payment_source");
    let ids = ["/paypal/vault_id", "/card/vault_id", "/token/id"];
    let Some(source) = ids.iter().find_map(|place| source.pointer(place)?.as_str()) else {
        return Err(Fail::unprocessable("ORDER_NOT_APPROVED"));
    };
    let status = match source {
        "declined" => return Err(Fail::unprocessable("INSTRUMENT_DECLINED")),
        "refused-by-bank" => "DECLINED",
        "pending" => "PENDING",
        _ => "COMPLETED",
    };
    let (id, can_be_refunded) = (context.world.ids.letters(17).to_uppercase(), source != "no-refund");
    let order = context.state.orders.get_mut(&context.path("id")).ok_or_else(Fail::missing)?;
    order.status = "COMPLETED";
    order.capture = Some(Capture { id, status, amount: order.amount.clone(), can_be_refunded });
    let order = order.clone();
    if status != "DECLINED" {
        context.effect(effect("payment", &order, context.request.header("paypal-request-id")));
    }
    remember(context, &order.id);
    Ok((201, order.value()))
}

/// What is counted of a payment: what was planted on the order, and its id.
fn effect(kind: &str, order: &Order, key: Option<&str>) -> Effect {
    let mut metadata = planted(&order.unit);
    metadata.insert("order".to_owned(), order.id.clone());
    Effect {
        kind: kind.to_owned(),
        object: order.capture.as_ref().map(|capture| capture.id.clone()).unwrap_or_default(),
        token: key.map(str::to_owned),
        metadata,
        amount: order.amount.thousandths / 10,
        currency: order.amount.currency.clone(),
        ..Effect::default()
    }
}

/// The present state of the order for which the key was used before, whatever the body says now.
fn under_key(context: &mut Context<'_, Paypal>) -> Result<Option<Value>, Fail> {
    let Some(slot) = slot(context)? else { return Ok(None) };
    let now_ms = context.now_ms;
    context.state.order_keys.retain(|_, (_, since_ms)| now_ms - *since_ms < KEYS_LIVE_MS);
    let order = context.state.order_keys.get(&slot).and_then(|(order, _)| context.state.orders.get(order));
    Ok(order.map(Order::value))
}

fn remember(context: &mut Context<'_, Paypal>, order: &str) {
    if let Ok(Some(slot)) = slot(context) {
        context.state.order_keys.insert(slot, (order.to_owned(), context.now_ms));
    }
}

/// The key of a request, which belongs to its endpoint.
fn slot(context: &Context<'_, Paypal>) -> Result<Option<String>, Fail> {
    let Some(key) = context.request.header("paypal-request-id") else { return Ok(None) };
    if !(1..=108).contains(&key.len()) {
        return Err(Fail::invalid("INVALID_STRING_LENGTH"));
    }
    Ok((!context.twists.key_ignored()).then(|| format!("{} {key}", context.request.path)))
}
