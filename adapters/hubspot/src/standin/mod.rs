//! A stand-in for HubSpot: contacts, deals, tickets, notes and single sends.
//!
//! It behaves as `FAILURE_MODES.md` says, keeps its state in memory, counts what happened and can be told to break.
//! Effects are of the kinds `contact`, `deal`, `ticket`, `note` and `mail`.
//!
//! Every property is there but those whose names begin with `missing`. Unique are `email` and `customer_number` of
//! contacts and `hapax_key` of deals, tickets and notes. Stages that begin with `missing` are none, the record 404 is none, and
//! the mail 404 is none. Mail to an address that begins with `bounced` is accepted and not sent.

mod contacts;
mod fail;
mod mail;
mod records;
mod store;
#[cfg(test)]
mod tests;

use std::io;

use fail::{Fail, usual};
use hapax_standin::{AllowList, Api, Context, RateLimit, Reply, Request, Routes, Server, Service, World};
use serde_json::{Value, json};
use store::Store;

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("token", "standin")];

const ACCOUNT: &str = "12345678";
const TEN_SECONDS_MS: i64 = 10_000;

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
///
/// # Errors
/// The port can't be had.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// HubSpot in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<HubSpot>);

struct HubSpot {
    tokens: AllowList<String>,
    limit: Option<RateLimit>,
    key: KeyProperty,
    store: Store,
    sends: mail::Sends,
}

/// The property `hapax_key` of deals, tickets and notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyProperty {
    Unique,
    Plain,
    Missing,
}

impl StandIn {
    /// A stand-in without records. It accepts every token but `wrong`, until one is named.
    pub fn new(world: World) -> Self {
        let (tokens, store, sends) = (AllowList::default(), Store::default(), mail::Sends::default());
        Self(Service::new(world, HubSpot { tokens, limit: None, key: KeyProperty::Unique, store, sends }))
    }

    /// Accepts this token, and from then on only those that were named.
    pub fn accepts(self, token: &str) -> Self {
        self.0.state().tokens.allow(token.to_owned());
        self
    }

    /// More requests than this within ten seconds of the provider's time are answered 429.
    pub fn requests_per_ten_seconds(self, most: usize) -> Self {
        self.0.state().limit = Some(RateLimit::new(most, TEN_SECONDS_MS));
        self
    }

    /// Nobody has set up the property `hapax_key`.
    pub fn without_key_property(self) -> Self {
        self.0.state().key = KeyProperty::Missing;
        self
    }

    /// The property `hapax_key` is there, and its values are not unique.
    pub fn with_plain_key_property(self) -> Self {
        self.0.state().key = KeyProperty::Plain;
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to act by hand.
    ///
    /// # Errors
    /// The port can't be had.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }

    /// Deletes a record (`deals`, its id) as people do. False if there is none.
    pub fn delete(&self, kind: &str, id: &str) -> bool {
        self.0.state().store.archive(kind, id)
    }
}

impl Api for HubSpot {
    fn routes() -> Routes<Self> {
        Routes::new()
            .get("/account-info/v3/details", |_| {
                Ok::<Value, Fail>(json!({ "portalId": 12_345_678, "accountType": "DEVELOPER_TEST" }))
            })
            .get("/crm/v3/properties/{kind}/{name}", records::property)
            .post("/crm/v3/objects/contacts/batch/upsert", contacts::upsert)
            .plain("POST", "/crm/v3/objects/contacts/batch/read", contacts::read)
            .post("/crm/v3/objects/{kind}", records::create)
            .get("/crm/v3/objects/{kind}/{id}", records::show)
            .delete("/crm/v3/objects/{kind}/{id}", records::archive)
            .post("/marketing/v3/transactional/single-email/send", mail::send)
            .get("/marketing/v3/email/send-statuses/{id}", mail::status)
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        usual(status, code)
    }

    fn admit(&mut self, request: &Request, world: &World) -> Result<String, Reply> {
        let token = request.bearer().filter(|token| *token != "wrong" && self.tokens.allows(&(*token).to_owned()));
        let Some(token) = token else { return Err(usual(401, None)) };
        match self.limit.as_mut().map(|limit| limit.take(token, world.now_ms())) {
            Some(Err(_)) => Err(usual(429, None)),
            _ => Ok(ACCOUNT.to_owned()),
        }
    }

    fn reset(&mut self) {
        self.store = Store::default();
        self.sends = mail::Sends::default();
        self.limit.iter_mut().for_each(RateLimit::reset);
    }
}

/// A text of the body that is not empty.
fn text<'a>(context: &Context<'a, HubSpot>, pointer: &str) -> Option<&'a str> {
    let request: &'a Request = context.request;
    request.json_at(pointer).as_str().filter(|text| !text.is_empty())
}
