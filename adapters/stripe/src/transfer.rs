//! `stripe.transfer`: send money to a connected account once.

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::money::Money;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::amounts::{self, from_stripe, to_stripe};
use crate::client::post;
use crate::facts;
use crate::wire::{self, List, MARK, is_id, is_marked};

/// Sends money from the platform's balance to a connected account. Two equal transfers are two.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// How much, in ISO 4217 minor units.
    pub amount: Money,
    /// `acct_...`: who gets it.
    pub destination: String,
    /// What it belongs to, such as an order; a group of its own if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer_group: Option<String>,
    /// `ch_...` or `py_...`: the charge whose money it is, which need not be available yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_transaction: Option<String>,
    /// Words for the Dashboard. Models rephrase, so a changed one is no other intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A transfer that was made; whether somebody reverses it is its fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TransferReceipt {
    /// `tr_...`
    pub id: String,
    /// How much.
    pub amount: Money,
    /// Who got it.
    pub destination: String,
    /// What it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer_group: Option<String>,
    /// The charge whose money it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_transaction: Option<String>,
    /// Whether all of it was given back.
    pub reversed: bool,
}

/// The cell `stripe.transfer`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TransferCell;

const SPEC: CellSpec = CellSpec::new(
    "stripe.transfer",
    "Sends money to a connected account",
    &[
        Rung::Native(facts::KEY),
        Rung::Query(facts::TRANSFER_BY_MARK),
        Rung::Human(Human {
            place: "https://dashboard.stripe.com/connect/transfers: one to {destination} whose metadata has hapax={mark}",
        }),
    ],
)
.stakes(Stakes::High)
.answers(&[
    facts::BALANCE,
    facts::OTHER_PARAMETERS,
    facts::IN_USE,
    facts::LOCKED,
    facts::LIMITED,
    facts::UNAUTHORIZED,
    facts::ADRIFT_500,
])
.answers_within(facts::ANSWERS_WITHIN)
.patience(facts::PATIENCE)
.later("reversed on the transfer, or the webhook transfer.reversed")
.reversal("by reversing the transfer by hand, as far as the connected account's balance allows")
.residual("a transfer that Stripe answered with a stored 500 may be rolled forward after 24 hours, when a person may have sent the money again; and if somebody clears the metadata of a transfer in a group of the caller's while its answer is missing, a second one may be sent after a day");

impl Cell for TransferCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Transfer;
    type Receipt = TransferReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Transfer) -> Answer<TransferReceipt> {
        let amount = match to_stripe(&args.amount) {
            Ok(amount) => amount,
            Err(why) => return Answer::NotDone(why, None),
        };
        let names = shot.names();
        let mark = names.mark();
        let request = post("/v1/transfers", names.token("transfer")).form([
            ("amount", Some(amount.to_string())),
            ("currency", Some(args.amount.currency.to_ascii_lowercase())),
            ("destination", Some(args.destination.clone())),
            ("transfer_group", args.group(&mark).map(str::to_owned)),
            ("source_transaction", args.source_transaction.clone()),
            ("description", args.description.clone()),
            (MARK, Some(mark.clone())),
        ]);
        shot.send(request, |transfer: wire::Transfer| {
            if !is_marked(transfer.metadata.as_ref(), &mark) {
                return Answer::Unclear(Fault::Echo("mark of the transfer".to_owned()));
            }
            receipt(transfer).map_or_else(Answer::Unclear, Answer::Happened)
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &Transfer) -> Result<Finding<TransferReceipt>, Fault> {
        let mark = cx.names().mark();
        let first = Request::get("/v1/transfers").query("limit", "100");
        // No filter by time: a restored ledger may have forgotten when it was sent.
        let first = match args.group(&mark) {
            Some(group) => first.query("transfer_group", group),
            None => first.query("destination", &args.destination),
        };
        // Anybody may change metadata afterwards; nobody a group.
        let is_ours = |transfer: &wire::Transfer| {
            is_marked(transfer.metadata.as_ref(), &mark) || transfer.transfer_group.as_ref() == Some(&mark)
        };
        let ours = |transfer| Some(transfer).filter(is_ours);
        let hits = cx.search(first.clone(), |list: List<wire::Transfer>, _| Ok(list.page(&first, &ours))).await?;
        Ok(found(hits.into_iter().map(receipt).collect::<Result<_, _>>()?))
    }

    async fn fetch(&self, cx: &Context, _args: &Transfer, id: &str) -> Result<Option<TransferReceipt>, Fault> {
        if !is_id(id, &["tr_"]) {
            return Err(Fault::Unread("a transfer is named by its id, tr_...".to_owned()));
        }
        cx.get::<wire::Transfer>(Request::get(format!("/v1/transfers/{id}"))).await?.map(receipt).transpose()
    }
}

fn receipt(transfer: wire::Transfer) -> Result<TransferReceipt, Fault> {
    Ok(TransferReceipt {
        amount: from_stripe(transfer.amount, &transfer.currency)?,
        id: transfer.id,
        destination: transfer.destination.unwrap_or_default(),
        transfer_group: transfer.transfer_group,
        source_transaction: transfer.source_transaction,
        reversed: transfer.reversed,
    })
}

impl Transfer {
    /// A transfer from the balance; for more, `Transfer { transfer_group, ..Transfer::new(..) }`.
    pub fn new(amount: Money, destination: impl Into<String>) -> Self {
        let (transfer_group, source_transaction, description) = (None, None, None);
        Self { amount, destination: destination.into(), transfer_group, source_transaction, description }
    }

    /// The group that goes along: the caller's, or one of ours to find it by. Where a charge is the
    /// source, Stripe makes one itself.
    fn group<'a>(&'a self, mark: &'a str) -> Option<&'a str> {
        self.transfer_group.as_deref().or_else(|| self.source_transaction.is_none().then_some(mark))
    }
}

/// The pairs that arguments and receipt have in common.
fn echo(amount: &Money, destination: &str, group: Option<&String>, source: Option<&String>) -> Echo {
    let mut echo = amounts::echo(amount);
    echo.push(("destination", destination.to_owned()));
    echo.extend(group.map(|group| ("transfer_group", group.clone())));
    echo.extend(source.map(|source| ("source_transaction", source.clone())));
    echo
}

impl CellArgs for Transfer {
    const VOLATILE: &'static [&'static str] = &["description"];

    fn check(&self) -> Result<(), String> {
        to_stripe(&self.amount)?;
        if !is_id(&self.destination, &["acct_"]) {
            return Err("destination: give the id of a connected account, acct_...".to_owned());
        }
        if self.transfer_group.as_ref().is_some_and(|group| group.trim().is_empty()) {
            return Err("transfer_group: name the group, or leave it out".to_owned());
        }
        if self.source_transaction.as_ref().is_some_and(|source| !is_id(source, &["ch_", "py_"])) {
            return Err("source_transaction: give the id of a charge, ch_... or py_...".to_owned());
        }
        Ok(())
    }

    fn echo(&self) -> Echo {
        let (group, source) = (self.transfer_group.as_ref(), self.source_transaction.as_ref());
        echo(&self.amount, &self.destination, group, source)
    }

    fn money(&self) -> Option<Money> {
        Some(self.amount.clone())
    }
}

impl CellReceipt for TransferReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        let (group, source) = (self.transfer_group.as_ref(), self.source_transaction.as_ref());
        echo(&self.amount, &self.destination, group, source)
    }

    fn fate(&self) -> Option<(String, bool)> {
        Some((if self.reversed { "reversed" } else { "transferred" }.to_owned(), self.reversed))
    }
}

#[cfg(test)]
mod tests;
