//! Toolkit for stand-ins, and a fault proxy.
//!
//! A *stand-in* is a small provider with its state in memory. It behaves as the provider's documents say, its
//! effects can be counted, and it can be broken at will. This crate has what stand-ins share; the provider itself
//! lives in its adapter, behind the feature `standin`.
//!
//! - [`Server`] speaks HTTP/1.1 on a real socket and hands parsed requests to a [`Provider`].
//! - [`World`] is what a provider stands on: a clock, [`Ids`], [`Effects`] and [`Injections`].
//! - [`KeyStore`] is a provider's idempotency layer, as data.
//! - [`FaultProxy`] sits in front of any server and cuts, delays, loses or replaces what passes through, at a point
//!   that a script names and at a moment that a signal gives: nothing here waits for time to pass.
//!
//! The crate knows nothing about hapax itself, so it can be used to test any client.

pub mod client;
pub mod clock;
mod effects;
mod framing;
mod ids;
mod injection;
mod keys;
pub mod proxy;
mod reply;
mod request;
mod server;
mod signal;
#[cfg(test)]
mod testing;
#[cfg(feature = "third-party")]
pub mod third_party;
mod when;
mod world;

pub use clock::Clock;
pub use effects::{Effect, Effects};
pub use ids::Ids;
pub use injection::{Injection, Injections, Kind, Twists};
pub use keys::{Admission, FailuresKept, KeyRules, KeyScope, KeyStore, Permit, Twins};
pub use proxy::{Canned, Fault, FaultProxy, Seen};
pub use reply::Reply;
pub use request::Request;
pub use server::{Provider, Server};
pub use signal::Handle;
pub use when::When;
pub use world::World;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks even after a panic elsewhere: a stand-in's counts must stay readable when a test fails.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
