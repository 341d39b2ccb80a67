//! The provider of a declaration, as the core sees it.

use std::sync::Arc;

use async_trait::async_trait;
use hapax_core::capability::Code;
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use crate::cell::DeclaredCell;
use crate::select::Path;
use crate::template::{Template, scope};

/// A provider that somebody declared.
pub(crate) struct DeclaredIntegration {
    pub(crate) name: &'static str,
    pub(crate) base_url: &'static str,
    pub(crate) credentials: &'static [CredentialField],
    /// Name of the header, and its template over the credentials.
    pub(crate) authorization: Option<(String, Template)>,
    pub(crate) errors: Errors,
    pub(crate) requests_per_second: Option<u32>,
    pub(crate) whoami: Option<(String, Path)>,
    pub(crate) cells: Vec<Arc<DeclaredCell>>,
}

/// Where an answer carries its error.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors {
    pub(crate) code: Option<Path>,
    pub(crate) kind: Option<Path>,
    pub(crate) message: Option<Path>,
}

impl Errors {
    /// The error that a body carries, if it is in the provider's own form.
    fn read(&self, body: &Value) -> Option<Code> {
        let text = |path: &Option<Path>| path.as_ref().and_then(|path| path.text(body));
        let (code, kind) = (text(&self.code), text(&self.kind));
        if code.is_none() && kind.is_none() {
            return None;
        }
        let message = Code::nameless(&text(&self.message).unwrap_or_default());
        Some(Code::new(kind.unwrap_or_default(), code.unwrap_or_default(), &message))
    }
}

#[async_trait]
impl Integration for DeclaredIntegration {
    fn name(&self) -> &'static str {
        self.name
    }

    fn base_url(&self) -> &'static str {
        self.base_url
    }

    fn credentials(&self) -> &'static [CredentialField] {
        self.credentials
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let Some((header, value)) = &self.authorization else { return Ok(()) };
        let own: Vec<(&'static str, String)> = self
            .credentials
            .iter()
            .filter_map(|field| Some((field.name, connection.credentials.get(field.name)?.expose_secret().to_owned())))
            .collect();
        // What goes wrong here is said without the secret, which may be what is wrong.
        let unfit = || Fault::NotSent(format!("the header {header} can't be made from the credentials"));
        let written = value.render(&scope(&Value::Null, &own)).ok().flatten().ok_or_else(unfit)?;
        request.secrets.push((header.clone(), SecretString::from(written)));
        Ok(())
    }

    fn code(&self, response: &Response) -> Option<Code> {
        response.json().and_then(|body| self.errors.read(&body))
    }

    fn requests_per_second(&self) -> Option<u32> {
        self.requests_per_second
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let Some((path, account)) = &self.whoami else {
            return Ok("not asked: the declaration has no whoami".to_owned());
        };
        let body: Value = wire.call(Request::get(path)).await?;
        account.text(&body).ok_or_else(|| Fault::Unread("the answer names no account".to_owned()))
    }

    fn cells(&self) -> Vec<SharedCell> {
        self.cells.iter().map(|cell| cell.clone() as SharedCell).collect()
    }
}
