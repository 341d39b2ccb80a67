use hapax_standin::{Collection, Context, Effect, Listing, PageSize, Record, Reply};
use serde_json::{Value, json};

use super::Paypal;
use super::amount::Amount;
use super::fail::Fail;

/// How long a batch id is remembered.
const IDS_LIVE_MS: i64 = 30 * 86_400_000;
/// How long a batch takes: longer than it takes to ask for one after a lost answer, so that a look meets it under way.
const DONE_AFTER_MS: i64 = 180_000;

/// A batch that was accepted.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    id: String,
    created_ms: i64,
    /// The request's header.
    sent: Value,
    total: Amount,
    items: Collection<Item>,
    end: End,
}

/// What becomes of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Processed,
    DeniedLater,
    DeniedAtOnce,
}

#[derive(Clone, Debug)]
struct Item {
    id: String,
    created_ms: i64,
    /// The item as it was sent.
    sent: Value,
    amount: Amount,
}

impl Record for Batch {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Record for Item {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Batch {
    fn batch_id(&self) -> Option<&str> {
        self.sent["sender_batch_id"].as_str()
    }

    fn status(&self, now_ms: i64) -> &'static str {
        match (self.end, now_ms - self.created_ms >= DONE_AFTER_MS) {
            (End::DeniedAtOnce, _) | (End::DeniedLater, true) => "DENIED",
            (_, false) => "PENDING",
            (End::Processed, true) => "SUCCESS",
        }
    }

    fn header(&self, now_ms: i64) -> Value {
        json!({ "payout_batch_id": self.id, "batch_status": self.status(now_ms), "sender_batch_header": self.sent })
    }

    fn link(&self) -> Value {
        json!({ "href": format!("https://api-m.paypal.com/v1/payments/payouts/{}", self.id), "rel": "self", "method": "GET" })
    }
}

impl Item {
    /// What becomes of it is decided by the receiver.
    fn value(&self, batch: &Batch, now_ms: i64) -> Value {
        let receiver = self.sent["receiver"].as_str().unwrap_or_default();
        let status = match (batch.status(now_ms), receiver.split('@').next()) {
            ("SUCCESS", Some("unclaimed")) => "UNCLAIMED",
            ("SUCCESS", Some("failed")) => "FAILED",
            (status, _) => status,
        };
        let mut sent = self.sent.clone();
        sent["amount"] = written(&self.amount);
        json!({
            "payout_item_id": self.id, "payout_batch_id": batch.id, "transaction_status": status, "payout_item": sent,
        })
    }
}

pub(super) fn create(context: &mut Context<'_, Paypal>) -> Result<(u16, Value), Reply> {
    let sent = context.request.json_at("/sender_batch_header").clone();
    let mut items = Collection::default();
    for item in context.request.json_at("/items").as_array().into_iter().flatten() {
        let (id, amount) = (context.world.ids.letters(13).to_uppercase(), read(&item["amount"])?);
        items.add(Item { id, created_ms: context.now_ms, sent: item.clone(), amount });
    }
    let total = total(&items).ok_or_else(|| Fail::new(400, "VALIDATION_ERROR", "Items are missing or mixed"))?;
    if let Some(batch) = taken(context, &sent) {
        return Err(refused(batch));
    }
    let end = match items.iter().find_map(|item| item.sent["receiver"].as_str()?.split('@').next()) {
        Some("refused") => return Err(Fail::new(422, "INSUFFICIENT_FUNDS", "").into()),
        Some("denied") => End::DeniedAtOnce,
        Some("denied-later") => End::DeniedLater,
        _ => End::Processed,
    };
    let id = context.world.ids.letters(13).to_uppercase();
    let batch = Batch { id, created_ms: context.now_ms, sent, total, items, end };
    // What was denied at once takes its id, and pays nobody.
    if end != End::DeniedAtOnce {
        context.effect(effect(&batch));
    }
    let now_ms = context.now_ms;
    let batch = context.state.payouts.add(batch);
    Ok((201, json!({ "batch_header": batch.header(now_ms), "links": [batch.link()] })))
}

pub(super) fn show(context: &mut Context<'_, Paypal>) -> Result<Value, Fail> {
    const SIZE: PageSize = PageSize { usual: 1000, most: 1000, beyond: hapax_standin::Beyond::Refused };
    let missing = || Fail::new(404, "INVALID_RESOURCE_ID", "");
    let batch = context.state.payouts.get(&context.path("id")).ok_or_else(missing)?;
    let invalid = |_| Fail::new(400, "VALIDATION_ERROR", "Page size is out of range");
    let size = SIZE.read(context.request.param("page_size")).map_err(invalid)?;
    let number = context.request.param("page").and_then(|page| page.parse().ok()).unwrap_or(1);
    // Whether a batch lists its items while it is under way is not written.
    let is_under_way = batch.status(context.now_ms) == "PENDING";
    let items = batch.items.iter().filter(|_| !is_under_way);
    let page = Listing::new(items, context.now_ms, context.twists).numbered(number, size);
    let mut header = batch.header(context.now_ms);
    if !is_under_way {
        header["amount"] = written(&batch.total);
    }
    let items = page.values(|item| item.value(batch, context.now_ms));
    let mut value = json!({ "batch_header": header, "items": items, "links": [batch.link()] });
    if context.request.param("total_required") == Some("true") {
        value["total_items"] = page.total.into();
        value["total_pages"] = page.number_of().1.into();
    }
    Ok(value)
}

/// The batch that had the batch id in the last 30 days. One without an id is never a repeat.
fn taken<'a>(context: &'a Context<'_, Paypal>, sent: &Value) -> Option<&'a Batch> {
    let batch_id = sent["sender_batch_id"].as_str()?;
    let mut batches = context.state.payouts.iter().filter(|batch| context.now_ms - batch.created_ms < IDS_LIVE_MS);
    batches.find(|batch| batch.batch_id() == Some(batch_id)).filter(|_| !context.twists.key_ignored())
}

/// The refusal of a batch id that this batch has.
fn refused(batch: &Batch) -> Reply {
    let issue = "Batch with given sender_batch_id already exists";
    let details = json!([{ "field": "SENDER_BATCH_ID", "location": "body", "issue": issue, "link": [batch.link()] }]);
    let error = json!({
        "name": "USER_BUSINESS_ERROR", "message": "User business error.", "debug_id": "d3bug1d", "details": details,
    });
    Reply::json(400, &error).with_header("Paypal-Debug-Id", "d3bug1d")
}

/// What is counted of a batch: once, however many items it has.
fn effect(batch: &Batch) -> Effect {
    let planted = |name: &'static str| {
        let texts = batch.items.iter().filter_map(move |item| item.sent[name].as_str());
        texts.enumerate().map(move |(index, text)| (format!("{name} {}", index + 1), text.to_owned()))
    };
    Effect {
        kind: "payout_batch".to_owned(),
        object: batch.id.clone(),
        token: batch.batch_id().map(str::to_owned),
        metadata: planted("sender_item_id").chain(planted("receiver")).collect(),
        amount: batch.total.thousandths / 10,
        currency: batch.total.currency.clone(),
        ..Effect::default()
    }
}

/// What all items come to; none if there are none, or in several currencies.
fn total(items: &Collection<Item>) -> Option<Amount> {
    let first = items.iter().next()?;
    items.iter().skip(1).try_fold(first.amount.clone(), |sum, item| {
        (sum.currency == item.amount.currency).then(|| sum.less(-item.amount.thousandths))
    })
}

/// Payouts call the currency otherwise than orders do.
fn read(value: &Value) -> Result<Amount, Fail> {
    Amount::read(&json!({ "currency_code": value["currency"], "value": value["value"] }))
}

fn written(amount: &Amount) -> Value {
    let value = amount.value();
    json!({ "currency": value["currency_code"], "value": value["value"] })
}
