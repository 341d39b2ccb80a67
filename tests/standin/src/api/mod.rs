//! A provider's API as a declaration, and what makes a stand-in of it.

mod context;
mod idempotency;
mod routes;
mod service;
#[cfg(test)]
mod tests;

pub use context::Context;
pub use idempotency::{Idempotency, KeyRefusal};
pub use routes::Routes;
pub use service::Service;

use crate::reply::Reply;
use crate::request::Request;
use crate::world::World;

/// A provider: its state, and what it does with it. The type that implements this is the state.
///
/// What is common to all is [`Service`]'s: it finds the endpoint, lets the caller in, looks at the key, waits where a
/// fault hangs, puts an injected error in place of the answer, and stores the answer under the key. While an endpoint
/// runs it has the state to itself, so an effect is noted in the same step in which the state changes.
///
/// A request passes, in this order: [`admit`](Self::admit), the key, the endpoint's reading of its parameters,
/// [`catch_up`](Self::catch_up), the endpoint, [`finish`](Self::finish).
pub trait Api: Sized + Send + 'static {
    /// Which request asks for what.
    fn routes() -> Routes<Self>;

    /// An error in the provider's own envelope; without a code, the one that this status usually comes with.
    fn error(status: u16, code: Option<&str>) -> Reply;

    /// Forgets what was kept, and keeps what the stand-in was set to.
    fn reset(&mut self);

    /// Lets a request in and says in which account it acts. Everybody is let in, if not said.
    ///
    /// # Errors
    /// The provider's refusal: unknown credentials, a rate limit.
    fn admit(&mut self, _request: &Request, _world: &World) -> Result<String, Reply> {
        Ok(String::new())
    }

    /// The provider's idempotency layer, if it has one.
    fn idempotency() -> Option<Idempotency> {
        None
    }

    /// Lets happen what time has brought about. It comes before every endpoint.
    fn catch_up(_context: &mut Context<'_, Self>) {}

    /// The answer where there is no such path (`allowed` is empty), or it does not take this method.
    fn no_route(_request: &Request, allowed: &[&str]) -> Reply {
        Self::error(if allowed.is_empty() { 404 } else { 405 }, None)
    }

    /// What every answer to a request has: the headers of a request id or of the rate limit.
    fn finish(&mut self, reply: Reply, _request: &Request, _world: &World) -> Reply {
        reply
    }
}
