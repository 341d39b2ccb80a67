//! A stand-in for SendGrid: mails and their activity, batches, marketing contacts.
//!
//! It behaves as SendGrid's documents say (`FAILURE_MODES.md` lists them), keeps its state in memory, counts what happened
//! and can be told to break. Effects are of the kinds `mail`, `cancel` and `contact`; of a mail it keeps the custom args
//! and to whom it went, of a contact its job and address.
//!
//! What becomes of a mail is decided by its recipient: one whose address begins with `bounce` isn't delivered. Nothing may
//! be sent from `unverified.example`, and the list `unknown` doesn't exist.
//!
//! Where the documents are silent it does this: mails are shown after 20 seconds, scheduled ones 20 seconds after they
//! left; a contact is shown after 5 seconds; a batch without a cancellation is an empty list; one within 10 minutes of its
//! time is refused with 400.

mod activity;
mod batches;
mod contacts;
mod mails;
#[cfg(test)]
mod tests;

use std::io;

use hapax_standin::{AllowList, Api, Collection, Context, RateLimit, Reply, Request, Routes, Server, Service, World};
use serde_json::{Value, json};

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("api_key", "SG.standin")];

/// The account: all API keys share everything.
const ACCOUNT: &str = "account";

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
///
/// # Errors
/// The port can't be had.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// SendGrid in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<SendGrid>);

#[derive(Default)]
struct SendGrid {
    accepted: AllowList<String>,
    is_without_activity: bool,
    activity_rate: Option<RateLimit>,
    messages: Collection<activity::Message>,
    batches: Collection<batches::Batch>,
    contacts: Collection<contacts::Contact>,
    jobs: Collection<contacts::Job>,
}

impl StandIn {
    /// A stand-in without mails and contacts, which accepts every API key and has the activity.
    pub fn new(world: World) -> Self {
        Self(Service::new(world, SendGrid::default()))
    }

    /// Accepts this API key, and from then on only those that were named.
    pub fn accepts(self, key: &str) -> Self {
        self.0.state().accepted.allow(key.to_owned());
        self
    }

    /// The add-on was not bought: the activity can't be asked.
    pub fn without_activity(self) -> Self {
        self.0.state().is_without_activity = true;
        self
    }

    /// More questions to the activity than this within a minute of the provider's time are answered 429; SendGrid's
    /// number is 6.
    pub fn activity_per_minute(self, most: usize) -> Self {
        self.0.state().activity_rate = Some(RateLimit::new(most, 60_000));
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to act by hand.
    ///
    /// # Errors
    /// The port can't be had.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }
}

impl Api for SendGrid {
    fn routes() -> Routes<Self> {
        Routes::new()
            .post("/v3/mail/send", mails::send)
            .plain("POST", "/v3/mail/batch", batches::create)
            .get("/v3/messages", activity::list)
            .get("/v3/messages/{id}", activity::show)
            .post("/v3/user/scheduled_sends", batches::put)
            .get("/v3/user/scheduled_sends/{id}", batches::show)
            .acting("PUT", "/v3/marketing/contacts", contacts::upsert)
            .plain("POST", "/v3/marketing/contacts/search/emails", contacts::search)
            .get("/v3/marketing/contacts/imports/{id}", contacts::job)
            .get("/v3/scopes", scopes)
    }

    fn admit(&mut self, request: &Request, world: &World) -> Result<String, Reply> {
        let key = request.bearer().map(str::to_owned).filter(|key| self.accepted.allows(key));
        if key.is_none() {
            return Err(fail(401, None, "authorization required"));
        }
        if request.path.starts_with("/v3/messages") {
            if self.is_without_activity {
                return Err(fail(403, None, "access forbidden"));
            }
            if self.activity_rate.as_mut().is_some_and(|rate| rate.take("", world.now_ms()).is_err()) {
                return Err(fail(429, None, "too many requests"));
            }
        }
        Ok(ACCOUNT.to_owned())
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        match status {
            502..=504 if code.is_none() => Reply::gateway(status),
            _ => fail(status, code, "the request was not carried out"),
        }
    }

    fn reset(&mut self) {
        let (accepted, is_without_activity) = (std::mem::take(&mut self.accepted), self.is_without_activity);
        let mut activity_rate = self.activity_rate.take();
        activity_rate.iter_mut().for_each(RateLimit::reset);
        *self = Self { accepted, is_without_activity, activity_rate, ..Self::default() };
    }
}

/// An error in SendGrid's envelope.
fn fail(status: u16, field: Option<&str>, message: &str) -> Reply {
    Reply::json(status, &json!({ "errors": [{ "message": message, "field": field, "help": null }] }))
}

fn scopes(_: &mut Context<'_, SendGrid>) -> Result<Value, Reply> {
    Ok(json!({ "scopes": ["mail.send", "mail.batch.create", "messages.read", "user.scheduled_sends.read"] }))
}
