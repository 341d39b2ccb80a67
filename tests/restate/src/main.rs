//! A worker of Restate whose handlers call out through hapax: the worked example of `docs/guides/workflow-engines.md`.
//!
//! - [`effects::Effects`] runs the executor inside the handler's steps; hapax's ledger is the truth about effects.
//! - [`journaled::Journaled`] is an executor of its own around cells and `next`, with Restate's journal in the place of
//!   the ledger.
//! - [`bare::Bare`] makes the same call without hapax: what the guide warns of.

mod bare;
mod effects;
mod journaled;
mod parts;
mod pause;
mod say;

use std::net::SocketAddr;
use std::sync::Arc;

use hapax_core::executor::Executor;
use hapax_ledger_sqlite::SqliteLedger;
use restate_sdk::prelude::*;
use tokio::net::{TcpListener, TcpSocket};

use parts::Parts;
use pause::Pause;

/// What may go wrong before the worker serves.
type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let parts = Arc::new(Parts::from_environment()?);
    let ledger = Arc::new(SqliteLedger::open(&parts.ledger)?);
    let executor = Executor::builder(ledger, parts.transport.clone(), parts.secret.clone())
        .clock(parts.clock.clone())
        .connection(parts.connection()?)
        .probe(Arc::new(Pause))
        .build()
        .await?;
    let endpoint = Endpoint::builder()
        .bind(effects::Effects::new(executor, parts.clone()))
        .bind(journaled::Journaled::new(parts.clone()))
        .bind(bare::Bare::new(parts.provider.clone()))
        .build();
    let listener = listen(parts.listen)?;
    say::line(&serde_json::json!({ "listening": listener.local_addr()?.to_string() }));
    HttpServer::new(endpoint).serve_with_cancel(listener, parent_is_gone()).await;
    Ok(())
}

/// A listener without Nagle's algorithm, which accepted connections inherit: each step of a handler is a small message
/// that the server waits for.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_nodelay(true)?;
    socket.bind(address)?;
    socket.listen(1024)
}

/// The pipe to the process that started this one closes when that one ends, however it ends.
async fn parent_is_gone() {
    let (gone, is_gone) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        let _ = gone.send(());
    });
    let _ = is_gone.await;
}
