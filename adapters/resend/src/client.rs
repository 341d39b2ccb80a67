//! Address, authentication, and where Resend puts its errors.

use async_trait::async_trait;
use hapax_core::capability::{Code, Need};
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::{CancelScheduledCell, SendBatchCell, SendCell, facts, wire};

/// Resend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resend;

const API_KEY: CredentialField = CredentialField {
    name: "api_key",
    variable: "RESEND_API_KEY",
    optional: false,
    what: "API key, re_..., with full access",
};

/// Resend refuses requests that don't say who asks.
const USER_AGENT: &str = concat!("hapax/", env!("CARGO_PKG_VERSION"));

/// What a wrong API key is called by some answers, and by us in all.
const INVALID_KEY: &str = "invalid_api_key";

#[async_trait]
impl Integration for Resend {
    fn name(&self) -> &'static str {
        "resend"
    }

    fn base_url(&self) -> &'static str {
        "https://api.resend.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[API_KEY]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let key = connection
            .credentials
            .get(API_KEY.name)
            .ok_or_else(|| Fault::NotSent(format!("no Resend API key; set {}", API_KEY.variable)))?;
        request.headers.push(("User-Agent".to_owned(), USER_AGENT.to_owned()));
        let bearer = SecretString::from(format!("Bearer {}", key.expose_secret()));
        request.secrets.push(("Authorization".to_owned(), bearer));
        Ok(())
    }

    /// Only Resend's own envelope counts. A wrong key has three names, so it goes by its message.
    fn code(&self, response: &Response) -> Option<Code> {
        let error: Envelope = serde_json::from_slice(&response.body).ok()?;
        let is_key = error.message.trim_end_matches('.').eq_ignore_ascii_case("API key is invalid");
        let name = if is_key { INVALID_KEY.to_owned() } else { error.name };
        Some(Code::new("", name, &Code::nameless(&error.message)))
    }

    /// A path that Resend doesn't have is `not_found` too.
    fn is_absent(&self, response: &Response) -> bool {
        let of_a_record = |code: Code| code.code == "not_found" && !code.message.contains("endpoint");
        response.status == 404 && self.code(response).is_some_and(of_a_record)
    }

    /// The lower of the two rates that copies of the page give.
    fn requests_per_second(&self) -> Option<u32> {
        Some(2)
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        match wire.try_call::<Domains>(Request::get("/domains")).await? {
            Ok(domains) => {
                let names: Vec<String> = domains.data.into_iter().map(|domain| domain.name).collect();
                let names = if names.is_empty() { "no domain yet".to_owned() } else { names.join(", ") };
                Ok(format!("Resend, full access, with {names}"))
            }
            Err((401, code)) if code.code == "restricted_api_key" => {
                Ok("Resend; this API key may only send, so nothing that was lost can be looked for".to_owned())
            }
            Err((status, code)) => Err(Fault::Status(status, format!("{} {}", code.name(), code.message))),
        }
    }

    async fn probe(&self, wire: &Wire, need: Need) -> Result<Option<bool>, Fault> {
        if !facts::is_full_access(need) {
            return Ok(None);
        }
        match wire.try_call::<IgnoredAny>(Request::get(wire::MAILS).query("limit", "1")).await? {
            Ok(_) => Ok(Some(true)),
            Err((401, code)) if code.code == "restricted_api_key" => Ok(Some(false)),
            Err((status, code)) => Err(Fault::Status(status, format!("{} {}", code.name(), code.message))),
        }
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(SendCell), erase(SendBatchCell), erase(CancelScheduledCell)]
    }
}

/// A request that counts, with its key.
pub(crate) fn post(path: &str, key: String) -> Request {
    Request::post(path).header("Idempotency-Key", key)
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "statusCode")]
    _status: Value,
    name: String,
    message: String,
}

#[derive(Deserialize)]
struct Domains {
    data: Vec<Domain>,
}

#[derive(Deserialize)]
struct Domain {
    name: String,
}

#[cfg(test)]
mod tests;
