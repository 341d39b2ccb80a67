//! Handlers on a real Restate server whose worker is killed in the middle, against a provider that counts effects.
//!
//! Where the server isn't installed (`tests/third-party/install.sh`), each test says in a line that it is left out.

mod bare;
mod effects;
mod journaled;
mod people;
mod restate;
mod site;
mod worker;

use std::time::Duration;

/// Waits for something that must happen, however busy the machine is.
async fn within_a_minute<T>(what: &str, happens: impl Future<Output = T>) -> T {
    let limit = Duration::from_secs(60);
    tokio::time::timeout(limit, happens).await.unwrap_or_else(|_| panic!("not within a minute: {what}"))
}
