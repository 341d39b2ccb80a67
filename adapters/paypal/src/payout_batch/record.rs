//! A batch as PayPal shows it; only what is read. Receivers are compared with the intent and not kept.

use std::collections::BTreeMap;

use hapax_core::cell::{CellReceipt, Context, Echo};
use hapax_core::identity::Names;
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::args::PayoutBatch;
use super::item_id;
use crate::amounts::{self, Amount, from_paypal};
use crate::wire::is_id;

/// A batch that was accepted; whether its items are paid is its fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PayoutBatchReceipt {
    /// PayPal's id of the batch.
    pub id: String,
    /// PayPal's status of the batch: of its processing, not of its items.
    pub status: String,
    /// What all items come to, if PayPal says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// Its items, in no certain order. None in the answer to the request itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<PaidItem>,
}

/// What became of one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaidItem {
    /// PayPal's id of the item.
    pub id: String,
    /// Our id of it: the operation's mark, and its place in the arguments, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_item_id: Option<String>,
    /// PayPal's status of the item, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The answer to the request that makes a batch.
#[derive(Debug, Deserialize)]
pub(super) struct Accepted {
    pub(super) batch_header: Header,
}

#[derive(Debug, Deserialize)]
pub(super) struct Header {
    payout_batch_id: String,
    batch_status: String,
    sender_batch_header: Sender,
    amount: Option<PayoutAmount>,
}

#[derive(Debug, Deserialize)]
struct Sender {
    sender_batch_id: Option<String>,
}

/// An amount as payouts write it.
#[derive(Clone, Debug, Deserialize)]
struct PayoutAmount {
    currency: String,
    value: String,
}

/// A batch with all its items. It can't be shown, since the receivers are among them.
pub(super) struct Batch {
    header: Header,
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Page {
    batch_header: Header,
    #[serde(default)]
    items: Vec<Item>,
    total_items: Option<usize>,
    total_pages: Option<usize>,
}

#[derive(Deserialize)]
struct Item {
    payout_item_id: String,
    transaction_status: Option<String>,
    payout_item: Sent,
}

/// What was sent of an item.
#[derive(Deserialize)]
struct Sent {
    sender_item_id: Option<String>,
    receiver: String,
    amount: PayoutAmount,
}

/// Where a batch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// It is paid, or will be, item by item.
    Accepted,
    /// Nothing of it is paid.
    Denied,
    /// Nobody says what that means for a batch of the API.
    Unknown,
}

/// Items of a page: those of a thousand would not surely fit into an answer.
const PAGE: usize = 200;
/// Pages of the largest batch.
const MOST_PAGES: usize = 75;

/// Reads a batch with the items of all its pages. A list that isn't whole is an error.
///
/// # Errors
/// As [`Context::call`].
pub(super) async fn read(cx: &Context, id: &str) -> Result<Option<Batch>, Fault> {
    let page = |number: usize| {
        Request::get(format!("/v1/payments/payouts/{id}"))
            .query("page", number.to_string())
            .query("page_size", PAGE.to_string())
            .query("total_required", "true")
    };
    let unread = |what: &str| Fault::Unread(format!("{what} of the batch {id}"));
    let Some(first) = cx.get::<Page>(page(1)).await? else { return Ok(None) };
    let (header, mut items) = (first.batch_header, first.items);
    if header.payout_batch_id != id {
        return Err(unread("another batch instead"));
    }
    let pages = first.total_pages.unwrap_or(1);
    if pages > MOST_PAGES {
        return Err(unread("too many pages"));
    }
    for number in 2..=pages {
        let next: Page = cx.call(page(number)).await?;
        if next.batch_header.payout_batch_id != id {
            return Err(unread("a page of another batch instead"));
        }
        items.extend(next.items);
    }
    let is_whole = first.total_items.map_or(items.len() < PAGE, |total| items.len() == total);
    if is_whole { Ok(Some(Batch { header, items })) } else { Err(unread("the list of items isn't whole")) }
}

impl Header {
    /// Whether it is the batch that we asked for.
    ///
    /// # Errors
    /// [`Fault::Echo`] if its batch id is another one than ours.
    pub(super) fn is_ours(&self, batch_id: &str) -> Result<(), Fault> {
        match self.sender_batch_header.sender_batch_id.as_deref() == Some(batch_id) {
            true => Ok(()),
            false => Err(Fault::Echo("sender_batch_id of the batch".to_owned())),
        }
    }

    pub(super) fn status(&self) -> &str {
        &self.batch_status
    }

    pub(super) fn stand(&self) -> Stand {
        match self.batch_status.as_str() {
            "PENDING" | "PROCESSING" | "SUCCESS" => Stand::Accepted,
            "DENIED" => Stand::Denied,
            _ => Stand::Unknown,
        }
    }

    /// A receipt without items, which the answer to the request doesn't have.
    pub(super) fn receipt(&self) -> Result<PayoutBatchReceipt, Fault> {
        if !is_id(&self.payout_batch_id) {
            return Err(Fault::Unread("a batch without an id of PayPal's form".to_owned()));
        }
        let amount = self.amount.as_ref().map(PayoutAmount::money).transpose()?;
        Ok(PayoutBatchReceipt {
            id: self.payout_batch_id.clone(),
            status: self.batch_status.clone(),
            // Nobody can ask for nothing, so a zero is not filled in yet.
            amount: amount.filter(|amount| amount.amount != 0),
            items: Vec::new(),
        })
    }
}

impl Batch {
    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// Whether the items are those that we asked for. A batch that isn't processed yet may show none.
    ///
    /// # Errors
    /// [`Fault::Echo`] naming what differs.
    pub(super) fn is_of(&self, args: &PayoutBatch, names: &Names) -> Result<(), Fault> {
        let mark = names.mark();
        let places = (1..=args.items.len()).map(|place| item_id(&mark, place));
        let mut wanted: BTreeMap<String, _> = places.zip(&args.items).collect();
        for item in &self.items {
            let sent = &item.payout_item;
            // Taken out, so that an item that is listed twice is none of ours the second time.
            let Some(ours) = sent.sender_item_id.as_ref().and_then(|id| wanted.remove(id)) else {
                return Err(Fault::Echo("sender_item_id of an item".to_owned()));
            };
            if sent.amount.money()? != ours.amount {
                return Err(Fault::Echo("amount of an item".to_owned()));
            }
            if !ours.receiver.is(&sent.receiver) {
                return Err(Fault::Echo("receiver of an item".to_owned()));
            }
        }
        Ok(())
    }

    /// Whether it lists what it pays, as far as that can be told: while it is worked on it may list less.
    pub(super) fn lists_items(&self, args: &PayoutBatch) -> bool {
        match self.header.status() {
            "PENDING" | "PROCESSING" => self.items.len() >= args.items.len(),
            _ => !self.items.is_empty(),
        }
    }

    pub(super) fn receipt(&self) -> Result<PayoutBatchReceipt, Fault> {
        let item = |item: &Item| PaidItem {
            id: item.payout_item_id.clone(),
            sender_item_id: item.payout_item.sender_item_id.clone(),
            status: item.transaction_status.clone(),
        };
        Ok(PayoutBatchReceipt { items: self.items.iter().map(item).collect(), ..self.header.receipt()? })
    }
}

impl PayoutAmount {
    fn money(&self) -> Result<Money, Fault> {
        from_paypal(&Amount { currency_code: self.currency.clone(), value: self.value.clone() })
    }
}

impl PayoutBatchReceipt {
    /// Whether it is known that nobody was paid: the batch was denied, or each item of it came to nothing.
    fn has_failed(&self) -> bool {
        let is_unpaid = |item: &PaidItem| matches!(item.status.as_deref(), Some("FAILED" | "DENIED" | "RETURNED"));
        let all = self.status == "SUCCESS" && !self.items.is_empty() && self.items.iter().all(is_unpaid);
        self.status == "DENIED" || all
    }
}

impl CellReceipt for PayoutBatchReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        let mut echo: Echo = self.amount.iter().flat_map(amounts::echo).collect();
        if !self.items.is_empty() {
            echo.push(("items", self.items.len().to_string()));
        }
        echo
    }

    /// The status of the batch and, once there are any, how many items have which.
    fn fate(&self) -> Option<(String, bool)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for item in &self.items {
            *counts.entry(item.status.as_deref().unwrap_or("unknown")).or_default() += 1;
        }
        let counted: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
        let words = match counted.is_empty() {
            true => self.status.clone(),
            false => format!("{}: {}", self.status, counted.join(", ")),
        };
        Some((words.to_ascii_lowercase(), self.has_failed()))
    }
}

/// The batch to which an error links as the one that has the batch id already. Only the id is taken of an address, so it
/// leads nowhere but to our own base URL.
pub(crate) fn named_batch(body: &[u8]) -> Option<String> {
    let error: Value = serde_json::from_slice(body).ok()?;
    let details = error["details"].as_array().into_iter().flatten();
    let of_details = details.flat_map(|detail| [&detail["link"], &detail["links"]]);
    let lists = of_details.chain([&error["links"]]);
    let links = lists.flat_map(|links| links.as_array().into_iter().flatten());
    let mut ids = links.filter_map(|link| batch_of(link["href"].as_str()?));
    let first = ids.next()?;
    // An error that names several names none.
    ids.all(|id| id == first).then(|| first.to_owned())
}

/// Whether an error speaks of a batch id: a repeat is answered with one that shows it, in words that are not written.
pub(crate) fn speaks_of_a_batch_id(body: &[u8]) -> bool {
    let Ok(error) = serde_json::from_slice::<Value>(body) else { return false };
    let details = error["details"].as_array().into_iter().flatten();
    let texts = details.flat_map(|detail| [&detail["field"], &detail["issue"], &detail["description"]]);
    let mut texts = texts.chain([&error["message"]]).filter_map(Value::as_str);
    texts.any(|text| text.to_ascii_lowercase().contains("sender_batch_id"))
}

fn batch_of(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("/v1/payments/payouts/")?;
    let id = rest.split(['?', '#']).next().unwrap_or_default();
    is_id(id).then_some(id)
}
