//! What creating an order and looking for it have in common, whether it is bought or held.

use std::collections::BTreeMap;

use hapax_core::cell::{Context, Page};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use serde_json::{Value, json};

use crate::client::v2;
use crate::passengers::Passenger;
use crate::wire::{Answered, MARK, ORDERS, Order, Orders, is_id};

/// What an order is made of, bought or held.
pub(crate) struct Wanted<'a> {
    pub(crate) offer: &'a str,
    pub(crate) passengers: &'a [Passenger],
    pub(crate) users: &'a [String],
    pub(crate) metadata: &'a BTreeMap<String, String>,
}

/// Pairs that fit beside ours.
const MOST_METADATA: usize = 49;

impl Wanted<'_> {
    /// The request that makes it, with our mark.
    pub(crate) fn request(&self, kind: &str, mark: &str, more: &[(&str, Value)]) -> Request {
        let mut metadata = self.metadata.clone();
        metadata.insert(MARK.to_owned(), mark.to_owned());
        let mut data = json!({
            "type": kind,
            "selected_offers": [self.offer],
            "passengers": self.passengers,
            "metadata": metadata,
        });
        if !self.users.is_empty() {
            data["users"] = json!(self.users);
        }
        for (name, value) in more {
            data[*name] = value.clone();
        }
        v2(Request::post(ORDERS)).json(json!({ "data": data }))
    }

    /// Names the field that is wrong.
    pub(crate) fn check(&self) -> Result<(), String> {
        if !is_id(self.offer, "off_") {
            return Err("offer_id: give the id of an offer, off_...".to_owned());
        }
        crate::passengers::check(self.passengers)?;
        if self.users.iter().any(|user| !is_id(user, "icu_")) {
            return Err("users: give ids of customer users, icu_...".to_owned());
        }
        if self.metadata.len() > MOST_METADATA {
            return Err(format!("metadata: at most {MOST_METADATA} pairs"));
        }
        let is_name = |name: &str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            (1..=40).contains(&name.len()) && name.bytes().all(is_plain)
        };
        for (name, value) in self.metadata {
            if !is_name(name) || name == MARK {
                return Err(format!(
                    "metadata: a name has up to 40 letters, digits, dashes and underscores, and isn't {MARK}"
                ));
            }
            if value.chars().count() > 500 {
                return Err("metadata: a value has at most 500 characters".to_owned());
            }
        }
        Ok(())
    }
}

/// Reads the answer to our own request.
pub(crate) fn made<R>(order: &Order, mark: &str, receipt: fn(&Order) -> Result<R, Fault>) -> Answer<R> {
    if !is_id(&order.id, "ord_") {
        return Answer::Unclear(Fault::Unread("an order without an id of Duffel's form".to_owned()));
    }
    if !order.is_marked(mark) {
        return Answer::Unclear(Fault::Echo("mark of the order".to_owned()));
    }
    receipt(order).map_or_else(Answer::Unclear, Answer::Happened)
}

/// Our orders among those of an offer: every page is read, and the mark compared.
pub(crate) async fn ours<R>(
    cx: &Context,
    offer: &str,
    receipt: fn(&Order) -> Result<R, Fault>,
) -> Result<Finding<R>, Fault> {
    let mark = cx.names().mark();
    let ours = |order: &Order| order.is_marked(&mark);
    let hits = listed(cx, ("offer_id", offer), ours).await?.iter().map(receipt).collect::<Result<_, _>>()?;
    Ok(found(hits))
}

/// Orders by a filter, of which these count: one that is taken no notice of shows others too, on any page.
async fn listed(
    cx: &Context,
    by: (&str, &str),
    counts: impl Fn(&Order) -> bool + Send + Sync,
) -> Result<Vec<Order>, Fault> {
    let page = |after: Option<&str>| {
        let request = v2(Request::get(ORDERS)).query(by.0, by.1).query("limit", "200");
        after.iter().fold(request, |request, after| request.query("after", *after))
    };
    cx.search(page(None), |orders: Orders, _| {
        let next = orders.meta.after.as_deref().map(|at| page(Some(at)));
        Ok(Page { hits: orders.data.into_iter().filter(&counts).collect(), next })
    })
    .await
}

/// The order of this id.
pub(crate) async fn read(cx: &Context, id: &str) -> Result<Option<Order>, Fault> {
    let found: Option<Answered<Order>> = cx.get(v2(Request::get(format!("{ORDERS}/{id}")))).await?;
    match found {
        Some(found) if found.data.id != id => Err(Fault::Unread("the answer is about another order".to_owned())),
        found => Ok(found.map(|found| found.data)),
    }
}

/// The order that a person names, by its id or its booking reference. One that carries the mark of another
/// operation is that one's.
pub(crate) async fn named(cx: &Context, name: &str) -> Result<Option<Order>, Fault> {
    let order = if is_id(name, "ord_") { read(cx, name).await? } else { referred_to(cx, name).await? };
    match order {
        Some(order) if order.is_anothers(&cx.names().mark()) => Err(Fault::Echo("mark of the order".to_owned())),
        order => Ok(order),
    }
}

async fn referred_to(cx: &Context, reference: &str) -> Result<Option<Order>, Fault> {
    if !(5..=20).contains(&reference.len()) || !reference.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Fault::Unread("an order is named by its id, ord_..., or its booking reference".to_owned()));
    }
    let counts = |order: &Order| order.booking_reference.as_deref() == Some(reference);
    let mut named = listed(cx, ("booking_reference", reference), counts).await?;
    match named.len() {
        0 => Ok(None),
        1 => Ok(named.pop()),
        several => Err(Fault::Unread(format!("{several} orders have this booking reference; name one by its id"))),
    }
}
