//! Transfers to connected accounts, out of what the charges of the platform brought in.

use super::book::{Book, seconds};
use super::desk::{About, Desk};
use super::fail::Fail;
use super::list::Entry;
use super::money;
use super::params::{self, Metadata};
use hapax_standin::Request;
use serde_json::{Value, json};

const CREATE: &[&str] = &[
    "amount",
    "currency",
    "destination",
    "transfer_group",
    "source_transaction",
    "source_type",
    "description",
    "metadata",
];

#[derive(Clone, Debug)]
pub(super) struct Transfer {
    pub(super) id: String,
    amount: i64,
    currency: String,
    destination: String,
    group: Option<String>,
    source: Option<String>,
    description: Option<String>,
    metadata: Metadata,
    amount_reversed: i64,
    created_ms: i64,
}

pub(super) struct Create {
    amount: i64,
    currency: String,
    destination: String,
    group: Option<String>,
    source: Option<String>,
    description: Option<String>,
    metadata: Metadata,
}

impl Create {
    pub(super) fn parse(request: &Request) -> Result<Self, Fail> {
        params::known(request, CREATE)?;
        params::required(request, "amount")?;
        let amount = params::positive(request, "amount")?.unwrap_or_default();
        let currency = params::required(request, "currency")?.to_owned();
        money::step(amount, &currency)?;
        let destination = params::required(request, "destination")?;
        if !destination.starts_with("acct_") || destination == "acct_missing" {
            return Err(Fail::missing(400, "destination", destination, "destination"));
        }
        let text = |name| params::text(request, name).map(|text| text.map(str::to_owned));
        Ok(Self {
            amount,
            currency,
            destination: destination.to_owned(),
            group: text("transfer_group")?,
            source: text("source_transaction")?,
            description: text("description")?,
            metadata: params::metadata(request)?,
        })
    }

    pub(super) fn run(self, desk: &mut Desk<'_>) -> Result<Value, Fail> {
        match &self.source {
            Some(source) => self.within_source(source, desk)?,
            None if self.amount > available(desk.book, &self.currency) => {
                let message = "You have insufficient available funds in your Stripe account.";
                return Err(Fail::invalid(message).code("balance_insufficient"));
            }
            None => {}
        }
        // Where a charge is the source and nobody names a group, Stripe makes one.
        let made = self.source.as_ref().map(|source| format!("group_{source}"));
        let transfer = Transfer {
            id: desk.world.ids.next("tr", 24),
            amount: self.amount,
            currency: self.currency,
            destination: self.destination,
            group: self.group.or(made),
            source: self.source,
            description: self.description,
            metadata: self.metadata,
            amount_reversed: 0,
            created_ms: desk.now_ms,
        };
        let value = transfer.value();
        let (object, amount) = (&transfer.id, transfer.amount);
        desk.effect("transfer", &About { object, amount, currency: &transfer.currency, metadata: &transfer.metadata });
        desk.book.transfers.push(transfer);
        desk.event("transfer.created", value.clone());
        Ok(value)
    }

    /// The transfers of one charge may not be more than it; Stripe gives that error no code.
    fn within_source(&self, source: &str, desk: &mut Desk<'_>) -> Result<(), Fail> {
        let charged = match desk.charge(source) {
            Ok(charge) if charge.status != "failed" => charge.amount,
            _ => return Err(Fail::missing(400, "charge", source, "source_transaction")),
        };
        let of_it = desk.book.transfers.iter().filter(|transfer| transfer.source.as_deref() == Some(source));
        let sent: i64 = of_it.map(|transfer| transfer.amount - transfer.amount_reversed).sum();
        if sent + self.amount > charged {
            let message = format!("Transfers using this transaction as a source must not exceed {charged}.");
            return Err(Fail::invalid(message).param("amount"));
        }
        Ok(())
    }
}

/// What charges brought in, less what was refunded and sent on. Nothing is pending here.
fn available(book: &Book, currency: &str) -> i64 {
    let charged = book.charges.iter().filter(|charge| charge.currency == currency);
    let brought: i64 = charged.map(super::book::Charge::remaining).sum();
    let sent = book.transfers.iter().filter(|transfer| transfer.currency == currency);
    brought - sent.map(|transfer| transfer.amount - transfer.amount_reversed).sum::<i64>()
}

impl Transfer {
    pub(super) fn value(&self) -> Value {
        json!({
            "id": self.id, "object": "transfer", "amount": self.amount, "amount_reversed": self.amount_reversed,
            "created": seconds(self.created_ms), "currency": self.currency, "description": self.description,
            "destination": self.destination, "livemode": false, "metadata": self.metadata,
            "reversed": self.amount_reversed == self.amount, "source_transaction": self.source,
            "source_type": "card", "transfer_group": self.group,
        })
    }
}

impl Desk<'_> {
    pub(super) fn transfer(&mut self, id: &str) -> Result<&mut Transfer, Fail> {
        let found = self.book.transfers.iter_mut().find(|transfer| transfer.id == id);
        found.ok_or_else(|| Fail::missing(404, "transfer", id, "id"))
    }

    /// Gives all of a transfer back, as a person does in the Dashboard.
    pub(super) fn reverse(&mut self, id: &str) -> bool {
        let Ok(transfer) = self.transfer(id) else { return false };
        transfer.amount_reversed = transfer.amount;
        let value = transfer.value();
        self.event("transfer.reversed", value);
        true
    }
}

/// Transfers that a list asks for.
pub(super) fn listed(request: &Request, desk: &Desk<'_>) -> Vec<Entry> {
    let (group, destination) = (request.param("transfer_group"), request.param("destination"));
    let wanted = desk.book.transfers.iter().filter(|transfer| {
        (group.is_none() || transfer.group.as_deref() == group)
            && destination.is_none_or(|destination| transfer.destination == destination)
    });
    wanted.map(|transfer| Entry { created_ms: transfer.created_ms, value: transfer.value() }).collect()
}
