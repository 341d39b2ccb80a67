//! Address, authentication, and where HubSpot puts its errors.

mod envelope;

use async_trait::async_trait;
use hapax_core::capability::{Code, Need};
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use crate::facts::{self, KEY};
use crate::{CreateDealCell, CreateNoteCell, CreateTicketCell, SendSingleEmailCell, UpsertContactCell};

pub(crate) use envelope::{ASSOCIATION_IS_WRONG, NOT_FOUND, VALUE_IS_TAKEN};

/// HubSpot's APIs: CRM v3, transactional single send v3.
#[derive(Clone, Copy, Debug, Default)]
pub struct HubSpot;

const TOKEN: CredentialField = CredentialField {
    name: "token",
    variable: "HUBSPOT_TOKEN",
    optional: false,
    what: "the access token of a private app, pat-...",
};

#[async_trait]
impl Integration for HubSpot {
    fn name(&self) -> &'static str {
        "hubspot"
    }

    fn base_url(&self) -> &'static str {
        "https://api.hubapi.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[TOKEN]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let token = connection
            .credentials
            .get(TOKEN.name)
            .ok_or_else(|| Fault::NotSent(format!("no HubSpot token; set {}", TOKEN.variable)))?;
        let bearer = SecretString::from(format!("Bearer {}", token.expose_secret()));
        request.secrets.push(("Authorization".to_owned(), bearer));
        Ok(())
    }

    /// Only HubSpot's own envelope counts, and the errors in an answer to a batch.
    fn code(&self, response: &Response) -> Option<Code> {
        envelope::code(response)
    }

    /// A record that isn't there has a category of its own, so a path that isn't there is no absence.
    fn is_absent(&self, response: &Response) -> bool {
        response.status == 404 && self.code(response).is_some_and(|code| code.kind == NOT_FOUND)
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let account: Account = wire.call(Request::get("/account-info/v3/details")).await?;
        let kind = account.kind.map(|kind| format!(" ({})", kind.to_lowercase())).unwrap_or_default();
        Ok(format!("HubSpot account {}{kind}", account.id))
    }

    /// Whether the property that carries our key is there and its values are unique. A token that may not read the
    /// definitions of properties can't tell.
    async fn probe(&self, wire: &Wire, need: Need) -> Result<Option<bool>, Fault> {
        let Some(kind) = facts::kind_of_key(need) else { return Ok(None) };
        match wire.try_call::<Property>(Request::get(format!("/crm/v3/properties/{kind}/{KEY}"))).await? {
            Ok(property) => Ok(Some(property.is_unique && !property.archived)),
            Err((404, _)) => Ok(Some(false)),
            Err((403, _)) => Ok(None),
            Err((status, code)) => Err(Fault::Status(status, format!("{} {}", code.name(), code.message))),
        }
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![
            erase(UpsertContactCell),
            erase(CreateDealCell),
            erase(CreateTicketCell),
            erase(CreateNoteCell),
            erase(SendSingleEmailCell),
        ]
    }
}

#[derive(Deserialize)]
struct Account {
    #[serde(rename = "portalId")]
    id: u64,
    #[serde(rename = "accountType")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Property {
    #[serde(rename = "hasUniqueValue", default)]
    is_unique: bool,
    #[serde(default)]
    archived: bool,
}

#[cfg(test)]
mod tests;
