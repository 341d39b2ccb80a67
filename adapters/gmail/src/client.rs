//! Address, authentication, and where Google puts its errors.

use async_trait::async_trait;
use hapax_core::capability::{Code, Need};
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::oauth::Tokens;
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};

use crate::SendCell;
use crate::facts::READS_SENT;
use crate::grant::{FIELDS, SUBJECT, grant_of};
use crate::wire;

/// Gmail, API v1.
#[derive(Debug, Default)]
pub struct Gmail {
    tokens: Tokens,
}

/// Where a mailbox's resources are. `me` is the token's owner, or whom a service account acts for.
pub(crate) const MAILBOX: &str = "/gmail/v1/users/me";

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

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        self.tokens.authorize(&grant_of(&connection.credentials)?, request)
    }

    fn code(&self, response: &Response) -> Option<Code> {
        let error = serde_json::from_slice::<Envelope>(&response.body).ok()?.error;
        let code = error.errors.into_iter().next().map(|first| first.reason).unwrap_or_default();
        Some(Code::new(error.status, code, &Code::nameless(&error.message)))
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
        self.tokens.refresh(wire, &grant_of(&wire.connection().credentials)?).await
    }

    fn reject(&self, wire: &Wire) -> bool {
        grant_of(&wire.connection().credentials).is_ok_and(|grant| self.tokens.reject(&grant))
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        match wire.call::<wire::Profile>(Request::get(format!("{MAILBOX}/profile"))).await {
            Ok(profile) => Ok(format!("Gmail mailbox {}", shortened(&profile.email_address))),
            // Emulators don't have it, and a token for drafts alone may not read it.
            Err(Fault::Status(status @ (403 | 404), _)) => {
                let drafts = Request::get(format!("{MAILBOX}/drafts")).query("maxResults", "1");
                let _: IgnoredAny = wire.call(drafts).await?;
                Ok(format!("Gmail; the mailbox's name can't be read here (status {status})"))
            }
            Err(fault) => Err(fault),
        }
    }

    async fn probe(&self, wire: &Wire, need: Need) -> Result<Option<bool>, Fault> {
        if need != READS_SENT {
            return Ok(None);
        }
        let request = Request::get(format!("{MAILBOX}/messages")).query("labelIds", "SENT").query("maxResults", "1");
        match wire.try_call::<IgnoredAny>(request).await? {
            Ok(_) => Ok(Some(true)),
            Err((403, code)) if code.code == NO_SCOPE => Ok(Some(false)),
            Err((status, code)) => Err(Fault::Status(status, format!("{} {}", code.name(), code.message))),
        }
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(SendCell)]
    }
}

/// The reason that Google gives when a token lacks a scope.
pub(crate) const NO_SCOPE: &str = "insufficientPermissions";

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

/// An address that its owner recognises and a log doesn't give away: `a...@example.com`.
fn shortened(address: &str) -> String {
    match address.split_once('@') {
        Some((user, domain)) => format!("{}...@{domain}", user.chars().take(1).collect::<String>()),
        None => "(unnamed)".to_owned(),
    }
}

#[cfg(test)]
mod tests;
