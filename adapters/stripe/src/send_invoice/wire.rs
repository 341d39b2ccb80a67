//! Invoices, their lines and events; only the fields that are read.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::wire::{Record, id_of};

/// The name in an invoice's metadata that says for which epoch it was made.
pub(super) const EPOCH: &str = "hapax_epoch";
/// The name in a line's metadata that says which of the items it is.
pub(super) const ITEM: &str = "hapax_item";

/// An invoice.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Invoice {
    pub(super) id: String,
    pub(super) status: Option<String>,
    pub(super) total: i64,
    pub(super) currency: String,
    pub(super) created: i64,
    pub(super) number: Option<String>,
    #[serde(default, deserialize_with = "id_of")]
    pub(super) customer: Option<String>,
    pub(super) metadata: Option<BTreeMap<String, Value>>,
}

/// Where an invoice stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Can be changed and deleted, and was never sent.
    Draft,
    /// Finalized, and waits for payment.
    Open,
    /// Paid.
    Paid,
    /// Voided or given up.
    Dead,
    /// A status that this adapter doesn't know.
    Unknown,
}

impl Invoice {
    pub(super) fn stage(&self) -> Stage {
        match self.status.as_deref() {
            Some("draft") => Stage::Draft,
            Some("open") => Stage::Open,
            Some("paid") => Stage::Paid,
            Some("void" | "uncollectible") => Stage::Dead,
            _ => Stage::Unknown,
        }
    }

    /// The epoch for which it was made.
    pub(super) fn epoch(&self) -> Option<u32> {
        number(self.metadata.as_ref(), EPOCH)
    }
}

/// A line of an invoice.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Line {
    id: String,
    pub(super) amount: i64,
    pub(super) currency: String,
    metadata: Option<BTreeMap<String, Value>>,
}

impl Line {
    /// Which of the items it is; none is not ours.
    pub(super) fn item(&self) -> Option<usize> {
        number(self.metadata.as_ref(), ITEM)
    }
}

/// An event `invoice.sent`, of which only the invoice's id is read: its shape is that of the version
/// at the time.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Sent {
    id: String,
    data: Data,
}

#[derive(Clone, Debug, Deserialize)]
struct Data {
    object: Object,
}

#[derive(Clone, Debug, Deserialize)]
struct Object {
    id: String,
}

impl Sent {
    pub(super) fn invoice(&self) -> &str {
        &self.data.object.id
    }
}

/// What is left of an invoice that was deleted.
#[derive(Debug, Deserialize)]
pub(super) struct Deleted {}

impl Record for Invoice {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Record for Line {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Record for Sent {
    fn id(&self) -> &str {
        &self.id
    }
}

fn number<N: std::str::FromStr>(metadata: Option<&BTreeMap<String, Value>>, name: &str) -> Option<N> {
    metadata?.get(name)?.as_str()?.parse().ok()
}
