use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use url::Url;

use super::Connection;
use crate::capability::Code;
use crate::clock::SharedClock;
use crate::transport::{Request, Response, SharedTransport};
use crate::words::Fault;

/// A connection with the transport to reach it and the clock that its times are taken by.
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

    /// The executor's clock.
    pub fn clock(&self) -> &SharedClock {
        &self.clock
    }

    /// Sends a harmless request and reads the whole answer, whatever its status. Credentials that
    /// expire are refreshed before it, and once more if the provider doesn't accept them.
    ///
    /// # Errors
    /// [`Fault`] if no whole answer came.
    pub async fn ask(&self, request: Request) -> Result<Response, Fault> {
        let response = self.ask_once(request.clone()).await?;
        if response.status == 401 && self.connection.integration.reject(self) {
            // A request that was not let in had no effect, and this one is harmless anyway.
            return self.ask_once(request).await;
        }
        Ok(response)
    }

    async fn ask_once(&self, mut request: Request) -> Result<Response, Fault> {
        let integration = &self.connection.integration;
        integration.refresh(self).await?;
        integration.authorize(&self.connection, &mut request)?;
        self.connection.limiter.ready(&self.clock).await?;
        let response = self.transport.ask(&self.connection.base_url, request, Self::PATIENCE).await?;
        self.note_limit(&response);
        Ok(response)
    }

    /// Sends a harmless request to another address, as it is: no credentials are put in, and the
    /// path is the address's own. For token endpoints.
    ///
    /// # Errors
    /// [`Fault`] if no whole answer came.
    pub async fn ask_elsewhere(&self, address: &Url, mut request: Request) -> Result<Response, Fault> {
        let mut base = address.clone();
        base.path().clone_into(&mut request.path);
        base.set_path("/");
        self.transport.ask(&base, request, Self::PATIENCE).await
    }

    /// Sends a harmless request and reads a 2xx as `T`.
    ///
    /// # Errors
    /// [`Fault::Status`] for an answer that carries an error, [`Fault::Unread`] for one that can't
    /// be read.
    pub async fn call<T: DeserializeOwned>(&self, harmless: Request) -> Result<T, Fault> {
        let shown = format!("{harmless:?}");
        let response = self.ask(harmless).await?;
        self.read(&shown, &response)
    }

    /// The same, with the provider's error kept apart: for steps that may be refused.
    ///
    /// # Errors
    /// [`Fault`] if no answer in the provider's own envelope came.
    pub async fn try_call<T: DeserializeOwned>(&self, harmless: Request) -> Result<Result<T, (u16, Code)>, Fault> {
        let shown = format!("{harmless:?}");
        let response = self.ask(harmless).await?;
        match self.connection.integration.code(&response) {
            Some(code) => Ok(Err((response.status, code))),
            None => self.read(&shown, &response).map(Ok),
        }
    }

    /// Reads one record. `None` only if the provider says, in its own envelope, that there is none;
    /// any other 404 is an error.
    ///
    /// # Errors
    /// As [`Wire::call`].
    pub async fn get<T: DeserializeOwned>(&self, read: Request) -> Result<Option<T>, Fault> {
        let shown = format!("{read:?}");
        let response = self.ask(read).await?;
        if self.connection.integration.is_absent(&response) {
            return Ok(None);
        }
        self.read(&shown, &response).map(Some)
    }

    /// Reads a 2xx that carries no error as `T`; `shown` says what was asked.
    ///
    /// # Errors
    /// As [`Wire::call`].
    pub(super) fn read<T: DeserializeOwned>(&self, shown: &str, response: &Response) -> Result<T, Fault> {
        let integration = &self.connection.integration;
        if let Some(code) = integration.code(response) {
            return Err(Fault::Status(response.status, format!("{shown}: {} {}", code.name(), code.message)));
        }
        if !response.is_success() {
            let text = format!("{shown}: not in {}'s own form; is base_url right?", integration.name());
            return Err(Fault::Status(response.status, text));
        }
        // The parser's own words may quote the body, so they are left out.
        serde_json::from_slice(&response.body)
            .map_err(|_| Fault::Unread(format!("{shown}: a {} that is not the expected JSON", response.status)))
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
