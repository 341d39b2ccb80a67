use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tracing::{Instrument, Span, debug, debug_span, field};
use url::Url;

use super::harmless::Harmless;
use super::line::Line;
use super::outgoing::{Outgoing, Place};
use super::pool::Pool;
use super::stats::{Counters, Stats};
use super::tls::Tls;
use super::{Gate, Request, Response, Transport};
use crate::words::Fault;

/// HTTP/1.1 over sockets: what hapax uses outside of tests.
///
/// It takes no proxy from the environment, follows no redirect, keeps no cookies, and trusts the
/// platform's certificate authorities.
pub struct HttpTransport {
    tls: Tls,
    harmless: Harmless,
    pool: Pool,
    counters: Arc<Counters>,
}

impl HttpTransport {
    /// A transport without connections. Nothing is loaded or opened before the first request; where
    /// the platform has no certificate authorities, each encrypted request is [`Fault::NotSent`] and
    /// says so.
    pub fn new() -> Self {
        Self::with(Tls::platform())
    }

    /// A transport that trusts these DER certificates instead of the platform's: for stand-ins and
    /// for networks with an authority of their own.
    pub fn with_roots(roots: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self::with(Tls::with_roots(roots.into_iter().collect()))
    }

    fn with(tls: Tls) -> Self {
        let counters = Arc::<Counters>::default();
        Self { tls, harmless: Harmless::default(), pool: Pool::new(Arc::clone(&counters)), counters }
    }

    /// What the connections for shots have done so far.
    pub fn stats(&self) -> Stats {
        self.counters.read()
    }

    /// Shoots on an idle connection, or on a new one if there is none or it proves dead before the
    /// first byte. That is no retry: nothing of the request had left.
    async fn aim(&self, outgoing: &Outgoing, gate: &Gate) -> Result<Response, Fault> {
        if !gate.is_open() {
            return Err(Fault::NotSent("the deadline has passed".to_owned()));
        }
        let place = outgoing.place()?;
        if let Some(line) = self.pool.take(&place) {
            match self.fire(line, &place, outgoing, gate).await {
                Err(Fault::NotSent(why)) => debug!(why, "an idle connection was dead"),
                other => return other,
            }
        }
        let line = Line::open(&place, &self.tls, gate, &self.counters).await?;
        self.fire(line, &place, outgoing, gate).await
    }

    /// Shoots on this connection. It is kept only after a whole answer.
    async fn fire(&self, mut line: Line, place: &Place, outgoing: &Outgoing, gate: &Gate) -> Result<Response, Fault> {
        let answer = line.shoot(outgoing.on_the_wire()?, gate).await?;
        self.pool.keep(place.clone(), line, &answer).await;
        Ok(answer)
    }
}

impl Default for HttpTransport {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Transport for HttpTransport {
    async fn ask(&self, base: &Url, request: Request, within: Duration) -> Result<Response, Fault> {
        let asking = async {
            let outgoing = Outgoing::new(base, &request)?;
            self.harmless.ask(outgoing, within, &self.tls).await
        };
        watched("harmless", &request, asking).await
    }

    async fn shoot(&self, base: &Url, request: Request, gate: Gate) -> Result<Response, Fault> {
        let shooting = async {
            let outgoing = Outgoing::new(base, &request)?;
            self.aim(&outgoing, &gate).await
        };
        watched("shot", &request, shooting).await
    }
}

/// Counts and traces a request by method, status and size; never by what it carries, nor by its path, in which arguments
/// stand: a chat, a calendar that is called as its owner's mail address.
async fn watched(
    kind: &'static str,
    request: &Request,
    sending: impl Future<Output = Result<Response, Fault>>,
) -> Result<Response, Fault> {
    let (status, bytes, result) = (field::Empty, field::Empty, field::Empty);
    let span = debug_span!("request", kind, method = request.method.as_str(), status, bytes, result);
    let outcome = sending.instrument(span.clone()).await;
    let result = note(&span, &outcome);
    metrics::counter!("hapax_requests_total", "kind" => kind, "result" => result).increment(1);
    outcome
}

fn note(span: &Span, outcome: &Result<Response, Fault>) -> &'static str {
    let result = match outcome {
        Ok(response) => {
            span.record("status", response.status).record("bytes", response.body.len());
            "answered"
        }
        Err(Fault::NotSent(_)) => "not-sent",
        Err(Fault::Unread(_)) => "unread",
        Err(_) => "lost",
    };
    span.record("result", result);
    result
}
