//! Address, authentication, and where Google puts its errors.

use async_trait::async_trait;
use hapax_core::capability::Code;
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::oauth::Tokens;
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::ExposeSecret;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::grant::{FIELDS, SUBJECT, grant_of};
use crate::{CreateEventCell, DeleteEventCell, UpdateEventCell, wire};

/// Google Calendar, API v3.
#[derive(Debug, Default)]
pub struct GoogleCalendar {
    tokens: Tokens,
}

#[async_trait]
impl Integration for GoogleCalendar {
    fn name(&self) -> &'static str {
        "google_calendar"
    }

    fn base_url(&self) -> &'static str {
        "https://www.googleapis.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        FIELDS
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        self.tokens.authorize(&grant_of(&connection.credentials)?, request)
    }

    fn code(&self, response: &Response) -> Option<Code> {
        let error = serde_json::from_slice::<Envelope>(&response.body).ok()?.error;
        let first = error.errors.into_iter().next()?;
        Some(Code::new("", first.reason, &Code::nameless(&error.message)))
    }

    fn is_absent(&self, response: &Response) -> bool {
        response.status == 404 && self.code(response).is_some_and(|code| code.code == "notFound")
    }

    /// The user that a service account acts for, as a digest: a scope is journaled and printed.
    fn scope(&self, connection: &Connection) -> String {
        match connection.credentials.get(SUBJECT.name) {
            Some(subject) => {
                let digest = Sha256::digest(subject.expose_secret().to_ascii_lowercase());
                format!("subject={}", digest[..6].iter().map(|byte| format!("{byte:02x}")).collect::<String>())
            }
            None => "subject=own".to_owned(),
        }
    }

    /// 600 requests a minute and user (F18).
    fn requests_per_second(&self) -> Option<u32> {
        Some(10)
    }

    async fn refresh(&self, wire: &Wire) -> Result<(), Fault> {
        self.tokens.refresh(wire, &grant_of(&wire.connection().credentials)?).await
    }

    fn reject(&self, wire: &Wire) -> bool {
        grant_of(&wire.connection().credentials).is_ok_and(|grant| self.tokens.reject(&grant))
    }

    /// Reads no event: a list of one entry also says whose calendar it is, with the scope that the cells need.
    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let list = Request::get(wire::events("primary")).query("maxResults", "1");
        let title = wire.call::<wire::Page>(list).await?.summary.unwrap_or_default();
        Ok(format!("Google Calendar, primary calendar {}", shortened(&title)))
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(CreateEventCell), erase(UpdateEventCell), erase(DeleteEventCell)]
    }
}

#[derive(Deserialize)]
struct Envelope {
    error: GoogleError,
}

#[derive(Deserialize)]
struct GoogleError {
    #[serde(default)]
    message: String,
    errors: Vec<Reason>,
}

#[derive(Deserialize)]
struct Reason {
    reason: String,
}

/// An address that its owner recognises and a log doesn't give away: `a...@example.com`.
fn shortened(title: &str) -> String {
    match title.split_once('@') {
        Some((user, domain)) => format!("{}...@{domain}", user.chars().take(1).collect::<String>()),
        None => "(its title isn't an address)".to_owned(),
    }
}

#[cfg(test)]
mod tests;
