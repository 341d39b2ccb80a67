//! Address, authentication, and where Duffel puts its errors.

use async_trait::async_trait;
use hapax_core::capability::Code;
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use crate::wire::{ORDERS, Orders};
use crate::{BookCell, CancelCell, HoldCell, PayCell};

/// Duffel, the flights API, version 2.
#[derive(Clone, Copy, Debug, Default)]
pub struct Duffel;

const ACCESS_TOKEN: CredentialField = CredentialField {
    name: "access_token",
    variable: "DUFFEL_ACCESS_TOKEN",
    optional: false,
    what: "access token, duffel_test_... or duffel_live_..., that may read and write",
};

/// The code of an answer that promises and does not say what came of it.
pub(crate) const ACCEPTED: &str = "accepted";

/// A request of the version that this adapter knows.
pub(crate) fn v2(request: Request) -> Request {
    request.header("Duffel-Version", "v2").header("Accept", "application/json")
}

#[async_trait]
impl Integration for Duffel {
    fn name(&self) -> &'static str {
        "duffel"
    }

    fn base_url(&self) -> &'static str {
        "https://api.duffel.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[ACCESS_TOKEN]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let token = connection
            .credentials
            .get(ACCESS_TOKEN.name)
            .ok_or_else(|| Fault::NotSent(format!("no Duffel access token; set {}", ACCESS_TOKEN.variable)))?;
        let bearer = SecretString::from(format!("Bearer {}", token.expose_secret()));
        request.secrets.push(("Authorization".to_owned(), bearer));
        Ok(())
    }

    /// Only Duffel's own envelope counts; a proxy's error page is none. A 202 has a code of its own, whatever is
    /// in it: what was accepted isn't done.
    fn code(&self, response: &Response) -> Option<Code> {
        if response.status == 202 {
            return Some(Code::new("", ACCEPTED, "Duffel has accepted it and does not know yet what comes of it"));
        }
        let Envelope { errors } = serde_json::from_slice(&response.body).ok()?;
        // Several errors together match no row of one of them.
        let together = |part: fn(&Issue) -> &str| {
            let mut parts: Vec<&str> = errors.iter().map(part).collect();
            parts.dedup();
            parts.join(",")
        };
        // Messages are left out: they may quote the request, and with it a passenger.
        let title = errors.first()?.title.as_deref().unwrap_or_default();
        Some(Code::new(together(|issue| &issue.kind), together(|issue| &issue.code), &Code::nameless(title)))
    }

    fn is_absent(&self, response: &Response) -> bool {
        response.status == 404 && self.code(response).is_some_and(|code| code.code == "not_found")
    }

    /// Test or live: a token sees only what was made in its mode.
    fn scope(&self, connection: &Connection) -> String {
        format!("mode={}", mode(connection))
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let Orders { .. } = wire.call(v2(Request::get(ORDERS)).query("limit", "1")).await?;
        Ok(format!("Duffel, {} mode; the access token may read orders", mode(wire.connection())))
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(BookCell), erase(HoldCell), erase(PayCell), erase(CancelCell)]
    }
}

/// The mode that the access token is for, by its prefix.
fn mode(connection: &Connection) -> &'static str {
    let token = connection.credentials.get(ACCESS_TOKEN.name).map(ExposeSecret::expose_secret);
    match token {
        Some(token) if token.starts_with("duffel_test_") => "test",
        Some(token) if token.starts_with("duffel_live_") => "live",
        _ => "unknown",
    }
}

#[derive(Deserialize)]
struct Envelope {
    errors: Vec<Issue>,
}

#[derive(Deserialize)]
struct Issue {
    #[serde(rename = "type")]
    kind: String,
    code: String,
    title: Option<String>,
}

#[cfg(test)]
mod tests;
