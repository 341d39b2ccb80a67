//! Shapes of PayPal's answers about invoices; only the fields that are read. None of them can be shown, since the
//! recipient is among them.

use hapax_core::words::Fault;
use serde::Deserialize;

use crate::amounts::Amount;

/// An invoice. What creating one answers may be a link to it instead, so all fields may be missing.
#[derive(Deserialize)]
pub(super) struct Invoice {
    #[serde(default)]
    pub(super) id: String,
    #[serde(default)]
    pub(super) status: String,
    #[serde(default)]
    pub(super) detail: Detail,
    pub(super) amount: Option<Amount>,
    #[serde(default)]
    primary_recipients: Vec<Recipient>,
    href: Option<String>,
}

#[derive(Default, Deserialize)]
pub(super) struct Detail {
    pub(super) reference: Option<String>,
    pub(super) invoice_number: Option<String>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    create_time: Option<String>,
    first_sent_time: Option<String>,
}

#[derive(Deserialize)]
struct Recipient {
    billing_info: Option<Billing>,
}

#[derive(Deserialize)]
struct Billing {
    email_address: Option<String>,
}

/// How far an invoice has come, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nobody was sent it, and it can still be sent.
    Draft,
    /// It was sent, or will be on its day.
    Sent,
    /// It was sent, and can't be paid any more.
    Canceled,
    /// Its status doesn't tell.
    Unknown,
}

impl Invoice {
    /// Most states can also be reached without a mail, by sharing a link or by marking the invoice as paid, so there
    /// the time of the first sending decides.
    pub(super) fn stage(&self) -> Stage {
        let was_sent = self.detail.metadata.first_sent_time.is_some();
        match (self.status.as_str(), was_sent) {
            ("DRAFT", false) => Stage::Draft,
            ("SENT" | "SCHEDULED", _) => Stage::Sent,
            ("CANCELLED" | "AUTO_CANCELLED", true) => Stage::Canceled,
            (
                "UNPAID" | "PAID" | "MARKED_AS_PAID" | "PARTIALLY_PAID" | "PAYMENT_PENDING" | "REFUNDED"
                | "PARTIALLY_REFUNDED" | "MARKED_AS_REFUNDED",
                true,
            ) => Stage::Sent,
            _ => Stage::Unknown,
        }
    }

    /// The id that a creation gave, in the invoice or at the end of a link to it.
    pub(super) fn new_id(&self) -> Option<&str> {
        let linked = || self.href.as_deref().and_then(|href| href.rsplit('/').next());
        let id = if self.id.is_empty() { linked() } else { Some(self.id.as_str()) };
        id.filter(|id| is_invoice_id(id))
    }

    /// Whether it is more than a link.
    pub(super) fn is_whole(&self) -> bool {
        !self.id.is_empty() && !self.status.is_empty() && self.amount.is_some()
    }

    pub(super) fn is_marked(&self, mark: &str) -> bool {
        self.detail.reference.as_deref() == Some(mark)
    }

    pub(super) fn has_number(&self, number: &str) -> bool {
        self.detail.invoice_number.as_deref() == Some(number)
    }

    /// Its only recipient.
    pub(super) fn recipient(&self) -> Option<&str> {
        match self.primary_recipients.as_slice() {
            [one] => one.billing_info.as_ref()?.email_address.as_deref(),
            _ => None,
        }
    }

    /// By what the oldest of several is told, the same by every ledger.
    pub(super) fn age(&self) -> (Option<&str>, &str) {
        (self.detail.metadata.create_time.as_deref(), &self.id)
    }
}

/// What sending an invoice answers.
#[derive(Deserialize)]
pub(super) struct Link {
    href: String,
}

impl Link {
    /// Whether it leads to this invoice. Its form isn't written: known are those that end in the id, with dashes and
    /// prefix or without.
    ///
    /// # Errors
    /// [`Fault::Echo`] if it names another invoice, [`Fault::Unread`] if it names none.
    pub(super) fn names(&self, id: &str) -> Result<(), Fault> {
        let last = self.href.rsplit(['/', '#', '=']).next().unwrap_or_default();
        let bare = |text: &str| text.trim_start_matches(PREFIX).replace('-', "");
        match bare(last) == bare(id) {
            true => Ok(()),
            false if self.href.contains(PREFIX) => Err(Fault::Echo("id of the invoice".to_owned())),
            false => Err(Fault::Unread("a link that names no invoice".to_owned())),
        }
    }
}

/// A page of a search.
#[derive(Deserialize)]
pub(super) struct Hits {
    pub(super) items: Option<Vec<Hit>>,
    pub(super) total_pages: Option<u32>,
    pub(super) total_items: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct Hit {
    pub(super) id: String,
}

const PREFIX: &str = "INV2-";

/// Whether a text is an id of an invoice as PayPal writes them. It becomes part of a path as it is.
pub(super) fn is_invoice_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-';
    (6..=30).contains(&text.len()) && text.starts_with(PREFIX) && text.bytes().all(is_plain)
}
