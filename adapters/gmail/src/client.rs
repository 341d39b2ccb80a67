//! Address, authentication, and where Google puts its errors.

use async_trait::async_trait;
use hapax_core::capability::{Code, Need};
use hapax_core::cell::{Connection, Context, CredentialField, Credentials, Integration, SharedCell, Wire, erase};
use hapax_core::clock::SharedClock;
use hapax_core::transport::{Request, Response, SharedTransport};
use hapax_core::words::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::SendCell;
use crate::facts::READS_SENT;
use crate::grant::{FIELDS, SUBJECT};
use crate::tokens::{SharedTokens, Tokens};
use crate::wire;

/// Gmail, API v1.
pub struct Gmail {
    tokens: SharedTokens,
}

/// Where a mailbox's resources are. `me` is the token's owner, or whom a service account acts for.
pub(crate) const MAILBOX: &str = "/gmail/v1/users/me";

impl Gmail {
    /// With the transport that token requests go through, and the clock that their lives are
    /// measured by.
    pub fn new(transport: SharedTransport, clock: SharedClock) -> Self {
        Self { tokens: Tokens::new(transport, clock).into() }
    }

    fn fault(&self, response: &Response) -> Fault {
        let words = self.code(response).map(|code| format!("{} {}", code.code, code.message));
        Fault::Status(
            response.status,
            words.unwrap_or_else(|| "not in Google's own form; is base_url right?".to_owned()),
        )
    }
}

impl std::fmt::Debug for Gmail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gmail")
    }
}

#[async_trait]
impl Integration for Gmail {
    fn name(&self) -> &'static str {
        "gmail"
    }

    fn base_url(&self) -> &'static str {
        "https://gmail.googleapis.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        FIELDS
    }

    fn authorize(&self, credentials: &Credentials, request: &mut Request) -> Result<(), Fault> {
        let token = self.tokens.bearer(credentials)?;
        let bearer = SecretString::from(format!("Bearer {}", token.expose_secret()));
        request.secrets.push(("Authorization".to_owned(), bearer));
        Ok(())
    }

    fn code(&self, response: &Response) -> Option<Code> {
        let error = serde_json::from_slice::<Envelope>(&response.body).ok()?.error;
        if response.status == 401 {
            self.tokens.reject();
        }
        let code = error.errors.into_iter().next().map(|first| first.reason).unwrap_or_default();
        Some(Code { kind: error.status, code, message: without_addresses(&error.message) })
    }

    fn is_absent(&self, response: &Response) -> bool {
        response.status == 404 && self.code(response).is_some_and(|code| code.code == "notFound")
    }

    /// The mailbox that a service account acts for, as a digest: a scope is journaled and printed.
    fn scope(&self, connection: &Connection) -> String {
        match connection.credentials.get(SUBJECT.name) {
            Some(subject) => {
                let digest = Sha256::digest(subject.expose_secret().to_ascii_lowercase());
                format!("subject={}", digest[..6].iter().map(|byte| format!("{byte:02x}")).collect::<String>())
            }
            None => "subject=own".to_owned(),
        }
    }

    /// The quota is counted in units (F12): 100 a second by the newest copy of the page, where a read
    /// takes 5 and a send 100. This rate suits reads; sends that are too many are answered 429, and
    /// did nothing.
    fn requests_per_second(&self) -> Option<u32> {
        Some(10)
    }

    async fn refresh(&self, wire: &Wire) -> Result<(), Fault> {
        self.tokens.refresh(&wire.connection().credentials).await
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        self.refresh(wire).await?;
        let response = wire.ask(Request::get(format!("{MAILBOX}/profile"))).await?;
        match serde_json::from_slice::<wire::Profile>(&response.body) {
            Ok(profile) if response.is_success() => Ok(format!("Gmail mailbox {}", shortened(&profile.email_address))),
            // Emulators don't have it, and a token for drafts alone may not read it.
            _ if matches!(response.status, 403 | 404) => {
                let drafts = wire.ask(Request::get(format!("{MAILBOX}/drafts")).query("maxResults", "1")).await?;
                if !drafts.is_success() {
                    return Err(self.fault(&drafts));
                }
                Ok(format!("Gmail; the mailbox's name can't be read here (status {})", response.status))
            }
            _ => Err(self.fault(&response)),
        }
    }

    async fn probe(&self, wire: &Wire, need: Need) -> Result<Option<bool>, Fault> {
        if need != READS_SENT {
            return Ok(None);
        }
        self.refresh(wire).await?;
        let request = Request::get(format!("{MAILBOX}/messages")).query("labelIds", "SENT").query("maxResults", "1");
        let response = wire.ask(request).await?;
        match response.status {
            200 => Ok(Some(true)),
            403 if self.code(&response).is_some_and(|code| code.code == NO_SCOPE) => Ok(Some(false)),
            _ => Err(self.fault(&response)),
        }
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(SendCell::new(self.tokens.clone()))]
    }
}

/// The reason that Google gives when a token lacks a scope.
pub(crate) const NO_SCOPE: &str = "insufficientPermissions";

/// Harmless requests of a cell, with a token for each: the executor refreshes tokens before an
/// attempt departs, and a step or a look may come when there is none yet or none any more.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) cx: &'a Context,
    pub(crate) tokens: &'a Tokens,
}

impl Asking<'_> {
    /// Reads a 2xx as `T`.
    pub(crate) async fn call<T: DeserializeOwned>(self, harmless: Request) -> Result<T, Fault> {
        match self.cx.call(harmless.clone()).await {
            Err(fault) if self.has_new_token(&fault).await? => self.cx.call(harmless).await,
            other => other,
        }
    }

    /// Reads one record; `None` only if Google says that there is none.
    pub(crate) async fn get<T: DeserializeOwned>(self, read: Request) -> Result<Option<T>, Fault> {
        match self.cx.get(read.clone()).await {
            Err(fault) if self.has_new_token(&fault).await? => self.cx.get(read).await,
            other => other,
        }
    }

    /// The same as [`Asking::call`], with Google's error kept apart.
    pub(crate) async fn try_call<T: DeserializeOwned>(
        self,
        harmless: Request,
    ) -> Result<Result<T, (u16, Code)>, Fault> {
        match self.cx.try_call(harmless.clone()).await {
            Ok(Err((401, code))) if !self.tokens.renew().await? => Ok(Err((401, code))),
            Ok(Err((401, _))) => self.cx.try_call(harmless).await,
            Err(fault) if self.has_new_token(&fault).await? => self.cx.try_call(harmless).await,
            other => other,
        }
    }

    /// Whether a request failed for want of a token, and there is a new one now. Such a request was
    /// not worked on, and it was harmless anyway.
    async fn has_new_token(self, fault: &Fault) -> Result<bool, Fault> {
        match fault {
            Fault::NotSent(_) | Fault::Status(401, _) => self.tokens.renew().await,
            _ => Ok(false),
        }
    }
}

#[derive(Deserialize)]
struct Envelope {
    error: GoogleError,
}

#[derive(Deserialize)]
struct GoogleError {
    #[serde(default)]
    status: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Vec<Reason>,
}

#[derive(Deserialize)]
struct Reason {
    #[serde(default)]
    reason: String,
}

/// Google's words without what may be an address, cut to what a message can hold.
fn without_addresses(words: &str) -> String {
    let words: Vec<&str> =
        words.split_whitespace().map(|word| if word.contains('@') { "(address)" } else { word }).collect();
    words.join(" ").chars().take(300).collect()
}

/// An address that its owner recognises and a log doesn't give away: `a...@example.com`.
fn shortened(address: &str) -> String {
    match address.split_once('@') {
        Some((user, domain)) => format!("{}...@{domain}", user.chars().take(1).collect::<String>()),
        None => "(unnamed)".to_owned(),
    }
}

#[cfg(test)]
mod tests;
