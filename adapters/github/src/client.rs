//! Address, authentication, and where Github puts its errors.

use async_trait::async_trait;
use hapax_core::capability::Code;
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::CreateCell;

/// Github.
#[derive(Clone, Copy, Debug, Default)]
pub struct Github;

const API_KEY: CredentialField =
    CredentialField { name: "api_key", variable: "GITHUB_API_KEY", optional: false, what: "API key" };

#[async_trait]
impl Integration for Github {
    fn name(&self) -> &'static str {
        "github"
    }

    fn base_url(&self) -> &'static str {
        "https://github.invalid"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[API_KEY]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let key = connection
            .credentials
            .get(API_KEY.name)
            .ok_or_else(|| Fault::NotSent(format!("no Github API key; set {}", API_KEY.variable)))?;
        let bearer = SecretString::from(format!("Bearer {}", key.expose_secret()));
        request.secrets.push(("Authorization".to_owned(), bearer));
        Ok(())
    }

    /// Only Github's own envelope counts; a proxy's error page is none.
    fn code(&self, response: &Response) -> Option<Code> {
        let Envelope { error } = serde_json::from_slice(&response.body).ok()?;
        Some(Code::new("", error.code, &error.message))
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let _: IgnoredAny = wire.call(Request::get("/v1/me")).await?;
        Ok("Github".to_owned())
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(CreateCell)]
    }
}

#[derive(Deserialize)]
struct Envelope {
    error: Body,
}

#[derive(Deserialize)]
struct Body {
    code: String,
    #[serde(default)]
    message: String,
}
