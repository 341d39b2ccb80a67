//! Address, authentication, and where PayPal puts its errors.

use async_trait::async_trait;
use hapax_core::capability::Code;
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::oauth::{Client, Grant, Tokens};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::Value;

use crate::{PayOrderCell, PayoutBatchCell, RefundCell, SendInvoiceCell, facts, payout_batch};

/// PayPal, the REST API: orders v2, payments v2, payouts v1 and invoicing v2.
#[derive(Debug, Default)]
pub struct Paypal {
    tokens: Tokens,
}

/// Where tokens come from, below the base URL.
pub(crate) const TOKEN_PATH: &str = "/v1/oauth2/token";

const CLIENT_ID: CredentialField = CredentialField {
    name: "client_id",
    variable: "PAYPAL_CLIENT_ID",
    optional: false,
    what: "client id of the REST app",
};

const CLIENT_SECRET: CredentialField = CredentialField {
    name: "client_secret",
    variable: "PAYPAL_CLIENT_SECRET",
    optional: false,
    what: "secret of the REST app",
};

#[async_trait]
impl Integration for Paypal {
    fn name(&self) -> &'static str {
        "paypal"
    }

    fn base_url(&self) -> &'static str {
        "https://api-m.paypal.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[CLIENT_ID, CLIENT_SECRET]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        self.tokens.authorize(&grant_of(connection)?, request)
    }

    /// Only PayPal's own envelopes count; a proxy's error page is none.
    fn code(&self, response: &Response) -> Option<Code> {
        let envelope: Envelope = serde_json::from_slice(&response.body).ok()?;
        let code = envelope.code(response.status)?;
        // Of the refusal of a batch id that is taken only the id and the link are documented, whatever else it says.
        let kind = match self.names(response) {
            Some(_) => facts::NAMES_A_BATCH,
            None if payout_batch::speaks_of_a_batch_id(&response.body) => facts::SPEAKS_OF_AN_ID,
            None => return Some(code),
        };
        Some(Code { kind: kind.to_owned(), ..code })
    }

    /// Payouts say it by the name of the error, the others by an issue.
    fn is_absent(&self, response: &Response) -> bool {
        response.status == 404 && self.code(response).is_some_and(|code| code.name() == "INVALID_RESOURCE_ID")
    }

    /// Only payouts name what took their id.
    fn names(&self, response: &Response) -> Option<String> {
        payout_batch::named_batch(&response.body)
    }

    async fn refresh(&self, wire: &Wire) -> Result<(), Fault> {
        self.tokens.refresh(wire, &grant_of(wire.connection())?).await
    }

    fn reject(&self, wire: &Wire) -> bool {
        grant_of(wire.connection()).is_ok_and(|grant| self.tokens.reject(&grant))
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let token = self.tokens.renew(wire, &grant_of(wire.connection())?).await?;
        let app = token.extra.get("app_id").and_then(Value::as_str).unwrap_or("without an id");
        let host = wire.connection().base_url.host_str().unwrap_or_default().to_owned();
        Ok(format!("PayPal app {app} at {host}, token for {} s", token.life_ms / 1000))
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(PayOrderCell), erase(PayoutBatchCell), erase(RefundCell), erase(SendInvoiceCell)]
    }
}

/// The app acts for the account that it belongs to.
fn grant_of(connection: &Connection) -> Result<Grant, Fault> {
    let required = |field: CredentialField| {
        let found = connection.credentials.get(field.name);
        found.ok_or_else(|| Fault::NotSent(format!("no PayPal {}; set {}", field.name, field.variable)))
    };
    let client = Client {
        id: required(CLIENT_ID)?.expose_secret().to_owned(),
        secret: Some(required(CLIENT_SECRET)?.clone()),
        url: format!("{}{TOKEN_PATH}", connection.base_url.as_str().trim_end_matches('/')),
        by_header: true,
    };
    Ok(Grant::ClientCredentials { client, extra: Vec::new() })
}

/// Both forms of errors: the one of the API, and the one of whatever checks tokens.
#[derive(Deserialize)]
struct Envelope {
    name: Option<String>,
    message: Option<String>,
    /// No object that isn't an error has both a name and this.
    debug_id: Option<String>,
    #[serde(default)]
    details: Vec<Detail>,
    error: Option<String>,
    error_description: Option<String>,
}

#[derive(Deserialize)]
struct Detail {
    issue: Option<String>,
}

impl Envelope {
    /// Issues that are named of an error; a request can have thousands of items, and each its own.
    const MOST_ISSUES: usize = 3;

    fn code(self, status: u16) -> Option<Code> {
        if let (Some(error), Some(_)) = (&self.error, &self.error_description) {
            // Other gateways speak so too, and of PayPal it is known for tokens alone. The description may quote one.
            let words = "PayPal doesn't accept the access token or the credentials";
            return (status == 401).then(|| Code::new(error, "", words));
        }
        self.debug_id.as_ref()?;
        let (name, message) = (self.name.as_ref()?, self.message.as_ref()?);
        Some(Code::new(name, self.issues(), &Code::nameless(message)))
    }

    /// Several issues together match no row of one of them. Descriptions of issues are left out, and what may name a
    /// person in an issue: those of payouts are sentences, and may quote the request.
    fn issues(&self) -> String {
        let mut named: Vec<String> = Vec::new();
        for issue in self.details.iter().filter_map(|detail| detail.issue.as_deref()) {
            let issue: String = Code::nameless(issue).chars().take(100).collect();
            if named.contains(&issue) {
                continue;
            }
            if named.len() == Self::MOST_ISSUES {
                named.push("...".to_owned());
                break;
            }
            named.push(issue);
        }
        named.join(",")
    }
}

#[cfg(test)]
mod tests;
