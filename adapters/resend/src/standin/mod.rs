//! A stand-in for Resend: mails, batches and schedules, with their list.
//!
//! It behaves as Resend's documents say (`FAILURE_MODES.md` lists them), keeps its state in memory, counts what happened
//! and can be told to break. Effects are of the kinds `mail`, `batch` and `cancel`; of each it keeps our mark, and of a
//! mail to whom it went.
//!
//! What becomes of a mail is decided by its recipient, as at Resend: `delivered@resend.dev`, `bounced@resend.dev`,
//! `complained@resend.dev` and `suppressed@resend.dev`, each with a label after a `+` if wanted. Mail to `example.com` is
//! refused. One is of this stand-in alone: nothing may be sent from `unverified.example`.
//!
//! Where the documents are silent it does this: keys belong to the account, whatever the endpoint, and a failed request
//! leaves nothing of its key; only a mail that is still scheduled can be canceled, anything else is 422.

mod fail;
mod mail;
mod post;
#[cfg(test)]
mod tests;

use fail::Fail;
use hapax_standin::{
    AllowList, Api, Beyond, Collection, Context, FailuresKept, Idempotency, KeyRefusal, KeyRules, KeyScope, PageSize,
    RateLimit, Reply, Request, Routes, Server, Service, Twins, World,
};
use mail::Mail;
use serde_json::{Value, json};
use std::io;

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("api_key", "re_standin")];

/// The account: API keys of one team share everything.
const TEAM: &str = "team";

/// Keys are kept for a day; the rest of this is not documented.
const RULES: KeyRules = KeyRules {
    window_ms: 24 * 3600 * 1000,
    scope: KeyScope::Account,
    failures: FailuresKept::Rerun,
    twins: Twins::OneWins,
    replay_marker: None,
};

const SIZE: PageSize = PageSize { usual: 20, most: 100, beyond: Beyond::Refused };

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// Resend in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<Resend>);

struct Resend {
    accepted: AllowList<String>,
    sending_only: Vec<String>,
    shows_tags: bool,
    settles_after_ms: i64,
    requests_per_second: Option<RateLimit>,
    mails: Collection<Mail>,
}

impl StandIn {
    /// A stand-in without any mails, which accepts every API key.
    pub fn new(world: World) -> Self {
        Self(Service::new(
            world,
            Resend {
                accepted: AllowList::default(),
                sending_only: Vec::new(),
                shows_tags: true,
                settles_after_ms: 2_000,
                requests_per_second: None,
                mails: Collection::default(),
            },
        ))
    }

    /// Accepts this API key, and from then on only those that were named.
    pub fn accepts(self, key: &str) -> Self {
        self.0.state().accepted.allow(key.to_owned());
        self
    }

    /// This API key may only send.
    pub fn sending_only(self, key: &str) -> Self {
        self.0.state().sending_only.push(key.to_owned());
        self
    }

    /// Mails are shown without their tags.
    pub fn without_tags(self) -> Self {
        self.0.state().shows_tags = false;
        self
    }

    /// How long it takes until a mail is delivered, in milliseconds of the provider's time; 2 seconds if not said.
    pub fn settles_after_ms(self, ms: i64) -> Self {
        self.0.state().settles_after_ms = ms;
        self
    }

    /// More requests than this within a second of the provider's time are answered 429.
    pub fn requests_per_second(self, most: usize) -> Self {
        self.0.state().requests_per_second = Some(RateLimit::new(most, 1_000));
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to act by hand.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }
}

impl Api for Resend {
    fn routes() -> Routes<Self> {
        Routes::new()
            .parsed("POST", "/emails", post::One::parse, post::One::run)
            .parsed("POST", "/emails/batch", post::Batch::parse, post::Batch::run)
            .post("/emails/{id}/cancel", cancel)
            .get("/emails", list)
            .get("/emails/{id}", show)
            .get("/domains", domains)
    }

    fn admit(&mut self, request: &Request, world: &World) -> Result<String, Reply> {
        let key = request.bearer().ok_or_else(fail::no_key)?.to_owned();
        let sends = request.method == "POST" && matches!(request.path.as_str(), "/emails" | "/emails/batch");
        if !self.accepted.allows(&key) {
            return Err(fail::wrong_key(sends).into());
        }
        if !sends && self.sending_only.contains(&key) {
            return Err(fail::restricted().into());
        }
        match self.requests_per_second.as_mut().map(|limit| limit.take("", world.now_ms())) {
            Some(Err(over)) => {
                Err(Reply::from(fail::too_many()).with_header("retry-after", &over.retry_after_s().to_string()))
            }
            _ => Ok(TEAM.to_owned()),
        }
    }

    fn idempotency() -> Option<Idempotency> {
        let refuse = |why: KeyRefusal<'_>| match why {
            KeyRefusal::InUse => fail::in_use().into(),
            KeyRefusal::OtherParameters | KeyRefusal::OtherEndpoint(_) => fail::other_payload().into(),
        };
        Some(Idempotency { rules: RULES, key: idempotency_key, compared: Request::parameters, refuse })
    }

    fn catch_up(context: &mut Context<'_, Self>) {
        context.state.mails.iter_mut().for_each(|mail| mail.catch_up(context.now_ms));
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        fail::usual(status, code)
    }

    fn reset(&mut self) {
        self.mails.clear();
        self.requests_per_second.iter_mut().for_each(RateLimit::reset);
    }
}

/// The key of a request that sends.
fn idempotency_key(request: &Request) -> Result<Option<String>, Reply> {
    let key = request.header("idempotency-key").filter(|_| !request.path.ends_with("/cancel"));
    match key {
        Some(key) if key.is_empty() || key.chars().count() > 256 => Err(fail::no_idempotency_key().into()),
        key => Ok(key.map(str::to_owned)),
    }
}

fn cancel(context: &mut Context<'_, Resend>) -> Result<Value, Fail> {
    let id = context.path("id");
    let mail = context.state.mails.get_mut(&id).ok_or_else(fail::no_mail)?;
    mail.cancel()?;
    let effect = mail.effect("cancel");
    context.effect(effect);
    Ok(json!({ "object": "email", "id": id }))
}

fn list(context: &mut Context<'_, Resend>) -> Result<Value, Fail> {
    let request = context.request;
    let size = SIZE.read(request.param("limit")).map_err(|_| Fail::invalid("limit must be between 1 and 100"))?;
    let listing = context.list(&context.state.mails).reversed();
    let page = listing.after(request.param("after"), size).map_err(|_| Fail::invalid("after is no known id"))?;
    Ok(json!({ "object": "list", "has_more": page.has_more(), "data": page.values(Mail::listed) }))
}

fn show(context: &mut Context<'_, Resend>) -> Result<Value, Fail> {
    let mail = context.state.mails.get(&context.path("id")).ok_or_else(fail::no_mail)?;
    Ok(mail.shown(context.state.shows_tags))
}

fn domains(_: &mut Context<'_, Resend>) -> Result<Value, Fail> {
    Ok(
        json!({ "object": "list", "data": [{ "id": "d91cd9bd-1176-453e-8fc1-35364d380206", "name": "stand-in.dev", "status": "verified" }] }),
    )
}
