use std::sync::Arc;

use async_trait::async_trait;

use super::{Connection, SharedCell, Wire};
use crate::capability::{Code, Need};
use crate::transport::{Request, Response};
use crate::words::Fault;

/// A provider: address, authentication, and where the error code sits in a response.
#[async_trait]
pub trait Integration: Send + Sync + 'static {
    /// `stripe`: also the folder's name and the first half of its cells' ids.
    fn name(&self) -> &'static str;

    /// The provider's address.
    fn base_url(&self) -> &'static str;

    /// Schemes that its addresses may have.
    fn schemes(&self) -> &'static [&'static str] {
        &["http", "https"]
    }

    /// Which credentials it takes.
    fn credentials(&self) -> &'static [CredentialField];

    /// Puts the connection's credentials into a request.
    ///
    /// # Errors
    /// [`Fault::NotSent`] naming the missing credential.
    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault>;

    /// The error that a response carries, in the provider's own envelope; also inside a 2xx.
    /// `None`: it carries none, or it isn't the provider's envelope at all.
    fn code(&self, response: &Response) -> Option<Code>;

    /// The provider's id of the object that an error names as the one on which our token was spent: letters, digits,
    /// `-` and `_`, or it is dropped.
    /// A look finds it in [`Names::named`](crate::identity::Names::named).
    fn names(&self, response: &Response) -> Option<String> {
        let _ = response;
        None
    }

    /// Whether a response says, in the provider's own envelope, that there is no such record.
    fn is_absent(&self, response: &Response) -> bool {
        response.status == 404 && self.code(response).is_some()
    }

    /// What tokens are scoped to besides the account: mode, region, sub-account. Changed between
    /// two attempts, the rung is gone.
    fn scope(&self, connection: &Connection) -> String {
        let _ = connection;
        String::new()
    }

    /// Requests per second that one connection keeps to; none is no limit of ours.
    fn requests_per_second(&self) -> Option<u32> {
        None
    }

    /// Refreshes what expires (OAuth access tokens). Called before every harmless request and
    /// before an attempt departs, never within one; so it sends by [`Wire::ask_elsewhere`] alone.
    ///
    /// # Errors
    /// Anything but success means that nothing was sent.
    async fn refresh(&self, wire: &Wire) -> Result<(), Fault> {
        let _ = wire;
        Ok(())
    }

    /// The provider did not accept what was last put in. True: [`Integration::refresh`] can get
    /// something else, so a harmless request is worth one more try.
    fn reject(&self, wire: &Wire) -> bool {
        let _ = wire;
        false
    }

    /// Asks who we are, harmlessly; for `doctor`. A sentence about the account.
    ///
    /// # Errors
    /// Why the connection can't be used.
    async fn whoami(&self, wire: &Wire) -> Result<String, Fault>;

    /// Whether a need holds on this connection; `None`: it can't be read, the configuration says.
    ///
    /// # Errors
    /// Why it could not be asked.
    async fn probe(&self, wire: &Wire, need: Need) -> Result<Option<bool>, Fault> {
        let _ = (wire, need);
        Ok(None)
    }

    /// Its cells.
    fn cells(&self) -> Vec<SharedCell>;
}

/// A shared integration.
pub type SharedIntegration = Arc<dyn Integration>;

/// A credential that an integration takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CredentialField {
    /// Its name in `hapax.toml`.
    pub name: &'static str,
    /// The environment variable that is looked at when nothing else is said.
    pub variable: &'static str,
    /// Whether the integration can do without it.
    pub optional: bool,
    /// What it is, in a few words.
    pub what: &'static str,
}
