use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::{Integration, SharedIntegration};
use crate::capability::Need;
use crate::identity::NamespaceSecret;
use crate::transport::Limiter;

/// One named account at an integration, with its credentials.
pub struct Connection {
    /// `stripe-live`.
    pub name: String,
    /// The provider.
    pub integration: SharedIntegration,
    /// The account, as the user names it. Provider-side dedupe is scoped to it.
    pub account: String,
    /// Where requests go.
    pub base_url: Url,
    /// Its credentials.
    pub credentials: Credentials,
    /// Marked as a stand-in: only such connections may run on a scaled or scripted clock.
    pub stand_in: bool,
    /// Needs that hold here, in the words of the cells.
    pub met: BTreeSet<String>,
    /// Keeps to the provider's rate.
    pub limiter: Arc<Limiter>,
    /// Whether the user named the account. If not, another credential counts as another account.
    account_is_named: bool,
}

/// Why a connection can't be used. In each case nothing was sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionError {
    /// The base URL isn't one.
    #[error("nothing was sent: base_url of connection {connection} can't be used ({why})")]
    BaseUrl {
        /// Which connection.
        connection: String,
        /// What is wrong.
        why: String,
    },
    /// A credential is missing.
    #[error(
        "nothing was sent: connection {connection} lacks the credential {field}; set {variable} in the environment, or {field}_file in hapax.toml"
    )]
    MissingCredential {
        /// Which connection.
        connection: String,
        /// Which credential.
        field: &'static str,
        /// Its environment variable.
        variable: &'static str,
    },
}

impl Connection {
    /// A connection to the provider itself.
    ///
    /// # Errors
    /// [`ConnectionError`] names what is missing or wrong.
    pub fn new(name: &str, integration: SharedIntegration, credentials: Credentials) -> Result<Self, ConnectionError> {
        for field in integration.credentials().iter().filter(|field| !field.optional) {
            if credentials.get(field.name).is_none() {
                let (connection, field, variable) = (name.to_owned(), field.name, field.variable);
                return Err(ConnectionError::MissingCredential { connection, field, variable });
            }
        }
        let limiter = Arc::new(Limiter::new(integration.requests_per_second()));
        let base_url = parse(name, integration.as_ref(), integration.base_url())?;
        Ok(Self {
            name: name.to_owned(),
            integration,
            account: name.to_owned(),
            base_url,
            credentials,
            stand_in: false,
            met: BTreeSet::new(),
            limiter,
            account_is_named: false,
        })
    }

    /// With another address.
    ///
    /// # Errors
    /// [`ConnectionError::BaseUrl`].
    pub fn at(mut self, base_url: &str) -> Result<Self, ConnectionError> {
        self.base_url = parse(&self.name, self.integration.as_ref(), base_url)?;
        Ok(self)
    }

    /// With the account named, so that rotating credentials doesn't count as another account.
    pub fn account(mut self, account: &str) -> Self {
        account.clone_into(&mut self.account);
        self.account_is_named = true;
        self
    }

    /// Marked as a stand-in.
    pub fn stand_in(mut self) -> Self {
        self.stand_in = true;
        self
    }

    /// With needs that hold here.
    pub fn meets(mut self, needs: impl IntoIterator<Item = String>) -> Self {
        self.met.extend(needs);
        self
    }

    /// Whether a need holds here.
    pub fn is_met(&self, need: &Need) -> bool {
        self.met.contains(need.words())
    }

    /// Identity of what the provider scopes tokens to; journaled with every attempt. `per_credential`:
    /// the provider compares tokens within one credential, so another one is another scope, whatever
    /// the account is called.
    pub fn scope(&self, secret: &NamespaceSecret, per_credential: bool) -> String {
        let host = self.base_url.host_str().unwrap_or_default();
        let port = self.base_url.port_or_known_default().unwrap_or_default();
        let path = self.base_url.path().trim_end_matches('/');
        let mut scope = format!("{}@{host}:{port}{path} {}", self.account, self.integration.scope(self));
        if per_credential || !self.account_is_named {
            scope.push_str(&format!(" credential={}", self.credentials.identity(secret)));
        }
        scope
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("name", &self.name).field("stand_in", &self.stand_in).finish_non_exhaustive()
    }
}

fn parse(connection: &str, integration: &dyn Integration, base_url: &str) -> Result<Url, ConnectionError> {
    let bad = |why: String| ConnectionError::BaseUrl { connection: connection.to_owned(), why };
    let url = Url::parse(base_url).map_err(|error| bad(error.to_string()))?;
    match url.scheme() {
        scheme if integration.schemes().contains(&scheme) && url.host_str().is_some() => Ok(url),
        scheme => Err(bad(format!("its scheme is {scheme}, not {}", integration.schemes().join(" or ")))),
    }
}

/// Credentials of one connection: never shown, never stored.
#[derive(Clone, Default)]
pub struct Credentials(BTreeMap<String, SecretString>);

impl Credentials {
    /// None.
    pub fn none() -> Self {
        Self::default()
    }

    /// With one more.
    pub fn with(mut self, name: &str, secret: SecretString) -> Self {
        self.0.insert(name.to_owned(), secret);
        self
    }

    /// One of them.
    pub fn get(&self, name: &str) -> Option<&SecretString> {
        self.0.get(name)
    }

    /// A keyed digest by which a change is noticed without holding the secret.
    fn identity(&self, secret: &NamespaceSecret) -> String {
        let parts: Vec<&str> = self.0.iter().flat_map(|(name, value)| [name.as_str(), value.expose_secret()]).collect();
        HEXLOWER.encode(&secret.digest(&parts)[..6])
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({:?})", self.0.keys().collect::<Vec<_>>())
    }
}
