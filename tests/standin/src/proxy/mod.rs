//! A proxy that breaks HTTP, or PostgreSQL's protocol, where a script says.
//!
//! It works on TCP with its own knowledge of where messages end, so a cut is a cut: no library in between repairs it,
//! repeats a request or answers in its place. It speaks plain HTTP/1.1 and passes every byte on unchanged, `Host`
//! included, unless a script rewrites a request's head.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use hapax_standin::{Fault, FaultProxy, When};
//! let proxy = FaultProxy::start("http://127.0.0.1:4300").await?;
//! let cut = proxy.inject(When::on("POST", "/v1/refunds"), Fault::CutAfterCommit);
//! // ... a client sends to proxy.url() ...
//! cut.reached().await; // the effect has happened, and the client has not heard of it
//! # Ok(())
//! # }
//! ```

mod connection;
mod door;
mod exchange;
mod fault;
mod postgres;
mod script;
#[cfg(test)]
mod tests;

use crate::client;
use crate::lock;
use crate::signal::Handle;
use crate::when::When;
pub use fault::{Canned, Fault, Rewrite};
use script::Script;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::task::JoinHandle;

const HTTP: &str = "http://";
const SQL: &str = "postgres://";

/// A request that came to the proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The connection on which it came, counted from 1.
    pub connection: u64,
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as it was on the wire, as far as it was read.
    pub body: Vec<u8>,
    /// Whether the whole request was read.
    pub whole: bool,
    /// Whether the whole request was forwarded.
    pub forwarded: bool,
    /// The status of the provider's reply, if that came whole.
    pub status: Option<u16>,
    /// The headers of that reply, names in lower case.
    pub reply_headers: Vec<(String, String)>,
    /// The fault that applied to it.
    pub fault: Option<&'static str>,
}

impl Seen {
    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        first(&self.headers, name)
    }

    /// The first header of this name in the provider's reply.
    pub fn reply_header(&self, name: &str) -> Option<&str> {
        first(&self.reply_headers, name)
    }
}

fn first<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// A proxy at work, on a free port of 127.0.0.1. It stops, and cuts what is open, when it is dropped.
#[derive(Debug)]
pub struct FaultProxy {
    address: SocketAddr,
    scheme: &'static str,
    prefix: String,
    script: Arc<Script>,
    task: JoinHandle<()>,
}

impl FaultProxy {
    /// Starts in front of a base URL: `http`, or `postgres` for PostgreSQL's protocol without encryption.
    ///
    /// Fails if the URL cannot be read or no port can be had; whether anybody listens there is not asked.
    pub async fn start(upstream: &str) -> io::Result<Self> {
        let speaks_sql = upstream.starts_with(SQL);
        let upstream = upstream.replacen(SQL, HTTP, 1);
        let (authority, path) = client::split(&upstream)?;
        let door = door::Door::open().await?;
        let address = door.address;
        let script = Arc::new(Script::new(authority.to_owned(), speaks_sql));
        // Before the task begins, so that an order given at once is not missed.
        let orders = script.door.subscribe();
        let task = tokio::spawn(door::keep(door, Arc::clone(&script), orders));
        let scheme = if speaks_sql { SQL } else { HTTP };
        Ok(Self { address, scheme, prefix: path.trim_end_matches('/').to_owned(), script, task })
    }

    /// The base URL to call instead of the upstream one: same path, other host.
    pub fn url(&self) -> String {
        format!("{}{}{}", self.scheme, self.address, self.prefix)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Adds a fault to the script. Of several that match one request, the one that was added first applies.
    pub fn inject(&self, when: When, fault: Fault) -> Handle {
        self.script.add(when, fault)
    }

    /// Takes all faults away and lets go what they hold.
    pub fn clear(&self) {
        self.script.clear();
    }

    /// Points at another provider (host and port of the URL), for new upstream connections.
    pub fn redirect_to(&self, upstream: &str) -> io::Result<()> {
        let upstream = upstream.replacen(SQL, HTTP, 1);
        let (authority, _) = client::split(&upstream)?;
        authority.clone_into(&mut lock(&self.script.upstream));
        Ok(())
    }

    /// Every request so far whose head came through whole, in order.
    pub fn seen(&self) -> Vec<Seen> {
        self.script.seen()
    }

    /// How many requests with this method and path (with `*`) came.
    pub fn count(&self, method: &str, path: &str) -> usize {
        let when = When::on(method, path);
        self.script.seen().iter().filter(|seen| when.matches(&seen.method, &seen.target)).count()
    }

    /// How many connections were accepted.
    pub fn connections(&self) -> u64 {
        self.script.connections()
    }

    /// How many bytes came from clients. Unchanged means that not a byte left one.
    pub fn bytes_received(&self) -> u64 {
        self.script.read.load(Ordering::SeqCst)
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}
