use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::Connection;
use crate::capability::Code;
use crate::clock::SharedClock;
use crate::identity::Names;
use crate::transport::{Request, Response, SharedTransport};
use crate::words::Fault;

/// A connection with the transport to reach it.
#[derive(Clone)]
pub struct Wire {
    pub(super) connection: Arc<Connection>,
    pub(super) transport: SharedTransport,
    pub(super) clock: SharedClock,
}

impl Wire {
    /// Binds a connection to a transport.
    pub fn new(connection: Arc<Connection>, transport: SharedTransport, clock: SharedClock) -> Self {
        Self { connection, transport, clock }
    }

    /// The connection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Sends a harmless request and reads the whole answer, whatever its status.
    ///
    /// # Errors
    /// [`Fault`] if no whole answer came.
    pub async fn ask(&self, mut request: Request) -> Result<Response, Fault> {
        self.connection.integration.authorize(&self.connection.credentials, &mut request)?;
        self.connection.limiter.ready(&self.clock).await?;
        let response = self.transport.ask(&self.connection.base_url, request, Self::PATIENCE).await?;
        self.note_limit(&response);
        Ok(response)
    }

    /// After a 429 nothing leaves on this connection before its Retry-After is over.
    pub(super) fn note_limit(&self, response: &Response) {
        if response.status == 429 {
            self.connection.limiter.hold(&self.clock, response.retry_after_ms().unwrap_or(1_000));
        }
    }

    /// Real time that a harmless request may take.
    const PATIENCE: Duration = Duration::from_secs(30);
}

/// What `prepare` and `find` get: names, and harmless requests.
#[derive(Clone)]
pub struct Context {
    names: Names,
    wire: Wire,
}

/// One page of a search: what it holds, and the request for the next one.
pub struct Page<R> {
    /// Hits on this page.
    pub hits: Vec<R>,
    /// The next page; none at the end or past the horizon.
    pub next: Option<Request>,
}

impl Context {
    /// Made by the executor, or by hand for an executor of one's own.
    pub fn new(names: Names, wire: Wire) -> Self {
        Self { names, wire }
    }

    /// Tokens, mark and notes.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Sends a harmless request and reads a 2xx as `T`.
    ///
    /// # Errors
    /// [`Fault::Status`] for an answer that carries an error, [`Fault::Unread`] for one that can't
    /// be read.
    pub async fn call<T: DeserializeOwned>(&self, harmless: Request) -> Result<T, Fault> {
        let shown = format!("{harmless:?}");
        let response = self.wire.ask(harmless).await?;
        self.read(&shown, &response)
    }

    /// The same, with the provider's error kept apart: for steps that may be refused.
    ///
    /// # Errors
    /// [`Fault`] if no answer in the provider's own envelope came.
    pub async fn try_call<T: DeserializeOwned>(&self, harmless: Request) -> Result<Result<T, (u16, Code)>, Fault> {
        let shown = format!("{harmless:?}");
        let response = self.wire.ask(harmless).await?;
        match self.wire.connection.integration.code(&response) {
            Some(code) => Ok(Err((response.status, code))),
            None => self.read(&shown, &response).map(Ok),
        }
    }

    /// Reads one record. `None` only if the provider says, in its own envelope, that there is none;
    /// any other 404 is an error.
    ///
    /// # Errors
    /// As [`Context::call`].
    pub async fn get<T: DeserializeOwned>(&self, read: Request) -> Result<Option<T>, Fault> {
        let shown = format!("{read:?}");
        let response = self.wire.ask(read).await?;
        if self.wire.connection.integration.is_absent(&response) {
            return Ok(None);
        }
        self.read(&shown, &response).map(Some)
    }

    /// Walks all pages to the end or the horizon, keeping what `page` keeps. A cap, an error or a
    /// page that can't be read is an error, never an absence.
    ///
    /// # Errors
    /// As [`Context::call`]; [`Fault::Unread`] after [`Context::MAX_PAGES`] pages.
    pub async fn search<P: DeserializeOwned, R>(
        &self,
        first: Request,
        mut page: impl FnMut(P) -> Page<R> + Send,
    ) -> Result<Vec<R>, Fault> {
        let mut hits = Vec::new();
        let mut request = Some(first);
        for _ in 0..Self::MAX_PAGES {
            let Some(ask) = request.take() else { return Ok(hits) };
            let one = page(self.call(ask).await?);
            hits.extend(one.hits);
            request = one.next;
        }
        match request {
            None => Ok(hits),
            Some(_) => Err(Fault::Unread(format!("the list did not end within {} pages", Self::MAX_PAGES))),
        }
    }

    /// Pages that a search walks at most.
    pub const MAX_PAGES: usize = 500;

    fn read<T: DeserializeOwned>(&self, shown: &str, response: &Response) -> Result<T, Fault> {
        if let Some(code) = self.wire.connection.integration.code(response) {
            return Err(Fault::Status(response.status, format!("{shown}: {} {}", code.code, code.message)));
        }
        if !response.is_success() {
            let text =
                format!("{shown}: not in {}'s own form; is base_url right?", self.wire.connection.integration.name());
            return Err(Fault::Status(response.status, text));
        }
        // The parser's own words may quote the body, so they are left out.
        serde_json::from_slice(&response.body)
            .map_err(|_| Fault::Unread(format!("{shown}: a {} that is not the expected JSON", response.status)))
    }
}
