//! The provider: one thread that answers at once, or after as long as it is told, and counts keys.
//!
//! It compares nothing: what it is called for twice, it does twice, and says so.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::convert::Infallible;
use std::hash::{BuildHasher, RandomState};
use std::net::Ipv4Addr;
use std::rc::Rc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::net::{TcpListener, TcpStream};

use crate::cell::{Charged, KEY_HEADER, PATH};
use crate::keys::mix;
use crate::moment::unique_now;
use crate::say;

/// Where it says what it has counted.
pub const COUNTS: &str = "/counts";
/// Where it is told how long to take: `/takes/20` is milliseconds.
pub const TAKES: &str = "/takes/";

/// What it says when it listens.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Listening {
    /// Its address.
    pub url: String,
}

/// What it has counted since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Calls.
    pub calls: u64,
    /// Calls with a key that had been called before. Anything but 0 voids the run.
    pub keys_called_twice: u64,
}

struct Provider {
    /// Where its numbers begin: another provider over the same ledger must not give the same ids.
    first: u64,
    /// Digests of keys: millions of them must fit.
    seen: RefCell<HashSet<u64>>,
    hashing: RandomState,
    counts: Cell<Counts>,
    takes: Cell<Duration>,
}

/// Serves until its input ends, so that it doesn't outlive whoever started it.
///
/// # Errors
/// That it can't listen.
pub fn serve() -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    tokio::task::LocalSet::new().block_on(&runtime, listen()).map_err(|error| error.to_string())
}

async fn listen() -> std::io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let listening = Listening { url: format!("http://{}", listener.local_addr()?) };
    say::out(&serde_json::to_string(&listening)?);
    let provider = Rc::new(Provider {
        first: unique_now(),
        seen: RefCell::default(),
        hashing: RandomState::new(),
        counts: Cell::default(),
        takes: Cell::default(),
    });
    let mut lines = crate::drive::lines();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                tokio::task::spawn_local(connection(accepted?.0, Rc::clone(&provider)));
            }
            line = lines.recv() => if line.is_none() { return Ok(()) },
        }
    }
}

async fn connection(stream: TcpStream, provider: Rc<Provider>) {
    // Without it answers wait for acknowledgements; where it fails the connection is gone anyway.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let provider = Rc::clone(&provider);
        async move { Ok::<_, Infallible>(provider.answer(request).await) }
    });
    // Whoever breaks off has its reasons.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

type Answer = hyper::Response<Full<Bytes>>;

impl Provider {
    async fn answer(&self, request: hyper::Request<Incoming>) -> Answer {
        let path = request.uri().path().to_owned();
        if path == COUNTS {
            return ok(&self.counts.get());
        }
        if let Some(ms) = path.strip_prefix(TAKES).and_then(|ms| ms.parse().ok()) {
            self.takes.set(Duration::from_millis(ms));
            return ok(&self.counts.get());
        }
        let key = request.headers().get(KEY_HEADER).map(|key| self.hashing.hash_one(key.as_bytes()));
        let whole = request.into_body().collect().await.is_ok();
        match key {
            Some(key) if whole && path == PATH => self.charge(key).await,
            _ => error(),
        }
    }

    async fn charge(&self, key: u64) -> Answer {
        let mut counts = self.counts.get();
        counts.calls += 1;
        counts.keys_called_twice += u64::from(!self.seen.borrow_mut().insert(key));
        self.counts.set(counts);
        if !self.takes.get().is_zero() {
            tokio::time::sleep(self.takes.get()).await;
        }
        ok(&Charged::of(mix(self.first.wrapping_add(counts.calls))))
    }
}

fn ok(body: &impl Serialize) -> Answer {
    let mut answer = hyper::Response::new(Full::new(serde_json::to_vec(body).unwrap_or_default().into()));
    answer.headers_mut().insert("Content-Type", hyper::header::HeaderValue::from_static("application/json"));
    answer
}

fn error() -> Answer {
    let mut answer = ok(&serde_json::json!({ "error": "not_a_charge" }));
    *answer.status_mut() = hyper::StatusCode::BAD_REQUEST;
    answer
}
