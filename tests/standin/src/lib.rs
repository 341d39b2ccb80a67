//! Toolkit for stand-ins, and a fault proxy.
//!
//! A *stand-in* is a small provider with its state in memory. It behaves as the provider's documents say, its
//! effects can be counted, and it can be broken at will. This crate has what stand-ins share; the provider itself
//! lives in its adapter, behind the feature `standin`.
//!
//! - [`Api`] is a provider as a declaration, and [`Service`] makes a stand-in of it: [`Routes`], who is let in, the
//!   idempotency layer, faults.
//! - [`Collection`] holds records by id; a [`Listing`] is what a list or a search shows of them, with lag and horizon; a
//!   [`Page`] is cut out of it by cursor, by opaque token ([`PageTokens`]) or by number.
//! - [`KeyStore`] is a provider's idempotency layer, as data; [`RateLimit`], [`IssuedTokens`], [`AllowList`],
//!   [`Machine`] and [`Due`] are what else providers have in common.
//! - [`World`] is what a provider stands on: a clock, [`Ids`], [`Effects`] and [`Injections`].
//! - [`Server`] speaks HTTP/1.1 on a real socket and hands parsed requests to a [`Provider`].
//! - [`FaultProxy`] sits in front of any server and cuts, delays, loses or replaces what passes through, at a point
//!   that a script names and at a moment that a signal gives: nothing here waits for time to pass.
//!
//! # A whole stand-in
//!
//! Notes are created under a key, read, listed by page number, searched with a lag, and deleted.
//!
//! ```
//! use hapax_standin::*;
//! use serde_json::{Value, json};
//!
//! #[derive(Default)]
//! struct Notes(Collection<Note>);
//! struct Note { id: String, text: String, created_ms: i64 }
//!
//! impl Record for Note {
//!     fn id(&self) -> &str { &self.id }
//!     fn created_ms(&self) -> i64 { self.created_ms }
//! }
//!
//! impl Api for Notes {
//!     fn routes() -> Routes<Self> {
//!         Routes::new()
//!             .post("/notes", create)
//!             .get("/notes", list)
//!             .get("/notes/search", search)
//!             .get("/notes/{id}", show)
//!             .delete("/notes/{id}", delete)
//!     }
//!     fn error(status: u16, code: Option<&str>) -> Reply {
//!         Reply::json(status, &json!({ "error": code.unwrap_or("error") }))
//!     }
//!     fn admit(&mut self, request: &Request, _: &World) -> Result<String, Reply> {
//!         request.bearer().map(str::to_owned).ok_or_else(|| Self::error(401, Some("unauthorized")))
//!     }
//!     fn idempotency() -> Option<Idempotency> {
//!         let rules = KeyRules { window_ms: 86_400_000, scope: KeyScope::Account, failures: FailuresKept::Rerun,
//!             twins: Twins::OneWins, replay_marker: None };
//!         let key = |request: &Request| Ok(request.header("idempotency-key").map(str::to_owned));
//!         let refuse = |_: KeyRefusal<'_>| Self::error(409, Some("key_reused"));
//!         Some(Idempotency { rules, key, compared: Request::parameters, refuse })
//!     }
//!     fn reset(&mut self) { *self = Self::default(); }
//! }
//!
//! fn value(note: &Note) -> Value { json!({ "id": note.id, "text": note.text }) }
//! fn missing() -> Reply { Notes::error(404, Some("not_found")) }
//!
//! fn create(context: &mut Context<'_, Notes>) -> Result<(u16, Value), Reply> {
//!     let text = context.request.json_at("/text").as_str().ok_or_else(|| Notes::error(422, Some("no_text")))?;
//!     let note = Note { id: context.world.ids.next("note", 8), text: text.to_owned(), created_ms: context.now_ms };
//!     context.effect(Effect { kind: "note".to_owned(), object: note.id.clone(), ..Effect::default() });
//!     Ok((201, value(context.state.0.add(note))))
//! }
//! fn show(context: &mut Context<'_, Notes>) -> Result<Value, Reply> {
//!     context.state.0.get(&context.path("id")).map(value).ok_or_else(missing)
//! }
//! fn delete(context: &mut Context<'_, Notes>) -> Result<Reply, Reply> {
//!     let id = context.path("id");
//!     context.state.0.remove(&id).map(|_| Reply::empty(204)).ok_or_else(missing)
//! }
//! fn list(context: &mut Context<'_, Notes>) -> Result<Reply, Reply> {
//!     const SIZE: PageSize = PageSize { usual: 30, most: 100, beyond: Beyond::Clamped };
//!     let size = SIZE.read(context.request.param("per_page")).unwrap_or(SIZE.usual);
//!     let number = context.request.param("page").and_then(|page| page.parse().ok()).unwrap_or(1);
//!     let page = context.list(&context.state.0).reversed().numbered(number, size);
//!     let reply = Reply::from(Value::from(page.values(value)));
//!     Ok(match page.link_header(context.request, "page") {
//!         Some(link) => reply.with_header("link", &link),
//!         None => reply,
//!     })
//! }
//! fn search(context: &mut Context<'_, Notes>) -> Result<Value, Reply> {
//!     let shown = context.list(&context.state.0).lagging_ms(30_000);
//!     let found = shown.equal(context.request.param("text"), |note| Some(&note.text));
//!     Ok(found.all().into_iter().map(value).collect())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let clock = clock::Scripted::at(0);
//! let server = Service::new(World::with_clock(1, clock.clock()), Notes::default()).serve(0).await?;
//! let ask = |method: &str, path: &str| {
//!     client::Call::new(method, &format!("{}{path}", server.url())).header("authorization", "Bearer me")
//! };
//! let create = |key: &str, text: &str| {
//!     ask("POST", "/notes").header("idempotency-key", key).json(&json!({ "text": text })).send()
//! };
//!
//! let made = create("k1", "one").await?;
//! assert_eq!((made.status, create("k1", "one").await?), (201, made.clone()));
//! assert_eq!((create("k1", "two").await?.status, server.effects().count("note")), (409, 1));
//! create("k2", "two").await?;
//! let page = ask("GET", "/notes?per_page=1").send().await?;
//! assert_eq!(page.value()[0]["text"], "two");
//! assert!(page.header("link").is_some_and(|link| link.contains("page=2>; rel=\"next\"")));
//! assert_eq!(ask("GET", "/notes/search?text=one").send().await?.value(), json!([]));
//! clock.advance(30_000);
//! assert_eq!(ask("GET", "/notes/search?text=one").send().await?.value()[0]["id"], made.value()["id"]);
//! let path = format!("/notes/{}", made.value()["id"].as_str().unwrap_or_default());
//! assert_eq!(ask("DELETE", &path).send().await?.status, 204);
//! assert_eq!(ask("GET", &path).send().await?.status, 404);
//! # Ok(())
//! # }
//! ```
//!
//! The crate knows nothing about hapax itself, so it can be used to test any client.

mod api;
mod auth;
pub mod client;
pub mod clock;
mod due;
mod effects;
mod framing;
mod ids;
mod injection;
mod keys;
mod list;
mod machine;
mod pattern;
pub mod proxy;
mod rate_limit;
mod reply;
mod request;
mod router;
mod server;
mod signal;
#[cfg(test)]
mod testing;
#[cfg(feature = "third-party")]
pub mod third_party;
mod when;
mod world;

pub use api::{Api, Context, Idempotency, KeyRefusal, Routes, Service};
pub use auth::{AllowList, IssuedTokens};
pub use clock::Clock;
pub use due::Due;
pub use effects::{Effect, Effects};
pub use ids::Ids;
pub use injection::{Injection, Injections, Kind, Twists};
pub use keys::{Admission, FailuresKept, KeyRules, KeyScope, KeyStore, Permit, Twins};
pub use list::{Beyond, Collection, Listing, Page, PageSize, PageTokens, Record, UnfitPageSize, UnknownCursor};
pub use machine::Machine;
pub use pattern::PathParams;
pub use proxy::{Canned, Fault, FaultProxy, Rewrite, Seen};
pub use rate_limit::{LimitExceeded, Quota, RateLimit};
pub use reply::Reply;
pub use request::Request;
pub use router::{Routed, Router};
pub use server::{Provider, Server};
pub use signal::Handle;
pub use when::When;
pub use world::World;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks even after a panic elsewhere: a stand-in's counts must stay readable when a test fails.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
