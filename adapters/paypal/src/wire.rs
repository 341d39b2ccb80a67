//! Shapes of answers that several operations share; only the fields that are read. Names and addresses of
//! buyers are not among them, so they can't reach a receipt.

use serde::Deserialize;

use crate::amounts::Amount;

/// An order. A minimal one has no purchase units.
#[derive(Debug, Deserialize)]
pub(crate) struct Order {
    pub(crate) id: String,
    pub(crate) status: String,
    #[serde(default)]
    pub(crate) purchase_units: Vec<PurchaseUnit>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct PurchaseUnit {
    pub(crate) amount: Option<Amount>,
    pub(crate) custom_id: Option<String>,
    #[serde(default)]
    pub(crate) payments: Payments,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Payments {
    #[serde(default)]
    pub(crate) captures: Vec<Capture>,
    #[serde(default)]
    pub(crate) refunds: Vec<Refunded>,
}

/// A captured payment.
#[derive(Debug, Deserialize)]
pub(crate) struct Capture {
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) amount: Option<Amount>,
    pub(crate) supplementary_data: Option<Supplementary>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Supplementary {
    pub(crate) related_ids: Option<Related>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Related {
    pub(crate) order_id: Option<String>,
}

/// A refund.
#[derive(Debug, Deserialize)]
pub(crate) struct Refunded {
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) amount: Option<Amount>,
    pub(crate) custom_id: Option<String>,
    #[serde(default)]
    links: Vec<Link>,
}

#[derive(Debug, Deserialize)]
struct Link {
    rel: String,
    href: String,
}

impl Refunded {
    /// The captured payment, which the link `up` names.
    pub(crate) fn capture(&self) -> Option<&str> {
        let up = self.links.iter().find(|link| link.rel == "up")?;
        let id = up.href.rsplit_once("/v2/payments/captures/")?.1;
        is_id(id).then_some(id)
    }
}

/// Whether a text is an id as PayPal writes them. It becomes part of a path as it is.
pub(crate) fn is_id(text: &str) -> bool {
    (1..=36).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}
