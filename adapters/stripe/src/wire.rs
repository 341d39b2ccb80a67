//! Shapes that several operations share; only the fields that are read.

use std::collections::BTreeMap;

use hapax_core::cell::Page;
use hapax_core::transport::{Request, is_plain_segment};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A PaymentIntent. The client secret is not read, so it can't be stored.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PaymentIntent {
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) amount_received: Option<i64>,
    #[serde(default, deserialize_with = "id_of")]
    pub(crate) customer: Option<String>,
    #[serde(default, deserialize_with = "id_of")]
    pub(crate) payment_method: Option<String>,
    #[serde(default, deserialize_with = "id_of")]
    pub(crate) latest_charge: Option<String>,
    pub(crate) metadata: Option<BTreeMap<String, Value>>,
}

/// A Refund.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Refund {
    pub(crate) id: String,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) status: Option<String>,
    #[serde(default, deserialize_with = "id_of")]
    pub(crate) charge: Option<String>,
    #[serde(default, deserialize_with = "id_of")]
    pub(crate) payment_intent: Option<String>,
    pub(crate) metadata: Option<BTreeMap<String, Value>>,
}

/// A Transfer.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Transfer {
    pub(crate) id: String,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    #[serde(default, deserialize_with = "id_of")]
    pub(crate) destination: Option<String>,
    pub(crate) transfer_group: Option<String>,
    #[serde(default, deserialize_with = "id_of")]
    pub(crate) source_transaction: Option<String>,
    #[serde(default)]
    pub(crate) reversed: bool,
    pub(crate) metadata: Option<BTreeMap<String, Value>>,
}

/// A Subscription.
#[derive(Debug, Deserialize)]
pub(crate) struct Subscription {
    pub(crate) id: String,
    pub(crate) status: String,
    #[serde(default, deserialize_with = "id_of")]
    pub(crate) customer: Option<String>,
    pub(crate) items: List<Item>,
    #[serde(default, deserialize_with = "id_of")]
    pub(crate) latest_invoice: Option<String>,
    #[serde(default)]
    pub(crate) cancel_at_period_end: bool,
    pub(crate) cancel_at: Option<i64>,
    pub(crate) ended_at: Option<i64>,
    pub(crate) metadata: Option<BTreeMap<String, Value>>,
}

/// One item of a subscription.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Item {
    id: String,
    #[serde(default, deserialize_with = "id_of")]
    pub(crate) price: Option<String>,
    pub(crate) quantity: Option<u64>,
}

/// Where a PaymentIntent stands, as the operations need to tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Waits for a confirmation: no money was asked for.
    Unconfirmed,
    /// Never given a payment method, or declined. It may be confirmed again, so it is not spent.
    Declined,
    /// The customer has to act first.
    Action,
    /// Under way (bank debits).
    Processing,
    /// Authorised.
    Capturable,
    /// Paid.
    Succeeded,
    /// Over, without an effect that lasts.
    Canceled,
    /// A status that this adapter doesn't know.
    Unknown,
}

impl PaymentIntent {
    pub(crate) fn stage(&self) -> Stage {
        match self.status.as_str() {
            "requires_confirmation" => Stage::Unconfirmed,
            "requires_payment_method" => Stage::Declined,
            "requires_action" => Stage::Action,
            "processing" => Stage::Processing,
            "requires_capture" => Stage::Capturable,
            "succeeded" => Stage::Succeeded,
            "canceled" => Stage::Canceled,
            _ => Stage::Unknown,
        }
    }
}

/// Where our mark is planted.
pub(crate) const MARK: &str = "metadata[hapax]";

/// Whether metadata carries this mark.
pub(crate) fn is_marked(metadata: Option<&BTreeMap<String, Value>>, mark: &str) -> bool {
    metadata.and_then(|pairs| pairs.get("hapax")).and_then(Value::as_str) == Some(mark)
}

/// Whether a text is an id with one of these prefixes. Ids become part of a path, so nothing else
/// may stand in them.
pub(crate) fn is_id(text: &str, prefixes: &[&str]) -> bool {
    let rest = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix));
    rest.is_some_and(is_plain_segment)
}

/// One page of a v1 list.
#[derive(Debug, Deserialize)]
#[serde(try_from = "RawList<T>", bound = "T: Deserialize<'de> + Record")]
pub(crate) struct List<T: Record> {
    data: Vec<T>,
    /// The id to go on from, if there is more.
    after: Option<String>,
}

#[derive(Deserialize)]
struct RawList<T> {
    data: Vec<T>,
    has_more: bool,
}

/// A record that lists are walked by.
pub(crate) trait Record {
    fn id(&self) -> &str;
}

impl Record for PaymentIntent {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Record for Refund {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Record for Transfer {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Record for Subscription {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Record for Item {
    fn id(&self) -> &str {
        &self.id
    }
}

impl<T: Record> TryFrom<RawList<T>> for List<T> {
    type Error = &'static str;

    /// A list that says there is more, and gives nothing to go on from, is unreadable: to take it
    /// for the end would be a false absence.
    fn try_from(raw: RawList<T>) -> Result<Self, Self::Error> {
        let after = raw.data.last().map(|record| record.id().to_owned());
        match (raw.has_more, after) {
            (false, _) => Ok(Self { data: raw.data, after: None }),
            (true, Some(after)) => Ok(Self { data: raw.data, after: Some(after) }),
            (true, None) => Err("has_more without a record"),
        }
    }
}

impl<T: Record> List<T> {
    /// What `keep` keeps of this page, and the request for the next one.
    pub(crate) fn page<R>(self, first: &Request, keep: impl FnMut(T) -> Option<R>) -> Page<R> {
        let next = self.after.map(|after| first.clone().query("starting_after", after));
        Page { hits: self.data.into_iter().filter_map(keep).collect(), next }
    }

    /// All records of a list that lies inside another record; `None` if there are more than it shows.
    pub(crate) fn whole(self) -> Option<Vec<T>> {
        self.after.is_none().then_some(self.data)
    }
}

/// An id, or the expanded object that carries it.
pub(crate) fn id_of<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Option::<Value>::deserialize(deserializer)? {
        Some(Value::String(id)) => Some(id),
        Some(Value::Object(object)) => object.get("id").and_then(Value::as_str).map(str::to_owned),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pages_that_cannot_go_on_are_an_error() {
        let read = |value| serde_json::from_value::<List<PaymentIntent>>(value);
        assert!(read(json!({"data": [], "has_more": true})).is_err());
        assert!(read(json!({"data": []})).is_err());
        let one = json!({"id": "pi_1", "status": "succeeded", "amount": 5, "currency": "eur",
            "latest_charge": {"id": "ch_1"}});
        let list = read(json!({"data": [one], "has_more": true})).expect("a page");
        let page = list.page(&Request::get("/v1/payment_intents").query("limit", "100"), Some);
        assert_eq!(page.hits[0].latest_charge.as_deref(), Some("ch_1"));
        assert_eq!(page.next.expect("a next page").target(), "/v1/payment_intents?limit=100&starting_after=pi_1");
    }
}
