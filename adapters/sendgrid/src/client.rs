//! Address, authentication, and where SendGrid puts its errors.

use async_trait::async_trait;
use hapax_core::capability::{Code, Need};
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::{CancelScheduledCell, SendCell, UpsertContactCell, activity, facts};

/// SendGrid.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendGrid;

const API_KEY: CredentialField = CredentialField {
    name: "api_key",
    variable: "SENDGRID_API_KEY",
    optional: false,
    what: "API key, SG...., with Mail Send and, where it was bought, Email Activity access",
};

/// What an error is called that names no field.
const NO_FIELD: &str = "error";

#[async_trait]
impl Integration for SendGrid {
    fn name(&self) -> &'static str {
        "sendgrid"
    }

    fn base_url(&self) -> &'static str {
        "https://api.sendgrid.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[API_KEY]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let key = connection
            .credentials
            .get(API_KEY.name)
            .ok_or_else(|| Fault::NotSent(format!("no SendGrid API key; set {}", API_KEY.variable)))?;
        let bearer = SecretString::from(format!("Bearer {}", key.expose_secret()));
        request.secrets.push(("Authorization".to_owned(), bearer));
        Ok(())
    }

    /// Only SendGrid's own envelope counts. It has no codes, so an error goes by the field that it names.
    fn code(&self, response: &Response) -> Option<Code> {
        let Envelope { errors } = serde_json::from_slice(&response.body).ok()?;
        let first = errors.into_iter().next()?;
        let field = first.field.filter(|field| !field.is_empty() && field != "null");
        Some(Code::new("", field.as_deref().unwrap_or(NO_FIELD), &Code::nameless(&first.message)))
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let Scopes { scopes } = wire.call(Request::get("/v3/scopes")).await?;
        let may = if scopes.iter().any(|scope| scope == "mail.send") { "may" } else { "may not" };
        Ok(format!("SendGrid; the API key has {} permissions and {may} send mail", scopes.len()))
    }

    async fn probe(&self, wire: &Wire, need: Need) -> Result<Option<bool>, Fault> {
        if need != facts::HISTORY_BOUGHT {
            return Ok(None);
        }
        match wire.try_call::<IgnoredAny>(activity::messages("status=\"processed\"", 1)).await? {
            Ok(_) => Ok(Some(true)),
            Err((401 | 403, _)) => Ok(Some(false)),
            Err((status, code)) => Err(Fault::Status(status, format!("{} {}", code.name(), code.message))),
        }
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(SendCell), erase(CancelScheduledCell), erase(UpsertContactCell)]
    }
}

#[derive(Deserialize)]
struct Envelope {
    errors: Vec<OneError>,
}

#[derive(Deserialize)]
struct OneError {
    message: String,
    field: Option<String>,
}

#[derive(Deserialize)]
struct Scopes {
    scopes: Vec<String>,
}

#[cfg(test)]
mod tests;
