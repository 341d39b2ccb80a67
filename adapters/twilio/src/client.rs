//! Address, authentication, and where Twilio puts its errors.

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hapax_core::capability::Code;
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::wire::{self, MESSAGES, is_sid};
use crate::{CallCell, CancelMessageCell, SendMessageCell};

/// Twilio, API 2010-04-01.
#[derive(Clone, Copy, Debug, Default)]
pub struct Twilio;

/// What stands for the account in paths until a request is signed: cells don't know the account.
const ACCOUNT: &str = "{AccountSid}";

const ACCOUNT_SID: CredentialField = CredentialField {
    name: "account_sid",
    variable: "TWILIO_ACCOUNT_SID",
    optional: false,
    what: "the account or subaccount, AC...",
};

const AUTH_TOKEN: CredentialField = CredentialField {
    name: "auth_token",
    variable: "TWILIO_AUTH_TOKEN",
    optional: true,
    what: "the account's auth token, unless an API key is given",
};

const API_KEY: CredentialField = CredentialField {
    name: "api_key",
    variable: "TWILIO_API_KEY",
    optional: true,
    what: "SID of an API key, SK..., with api_secret",
};

const API_SECRET: CredentialField = CredentialField {
    name: "api_secret",
    variable: "TWILIO_API_SECRET",
    optional: true,
    what: "secret of the API key",
};

#[async_trait]
impl Integration for Twilio {
    fn name(&self) -> &'static str {
        "twilio"
    }

    fn base_url(&self) -> &'static str {
        "https://api.twilio.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[ACCOUNT_SID, AUTH_TOKEN, API_KEY, API_SECRET]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let exposed = |field: CredentialField| connection.credentials.get(field.name).map(SecretString::expose_secret);
        let account = exposed(ACCOUNT_SID)
            .ok_or_else(|| Fault::NotSent(format!("no Twilio account; set {}", ACCOUNT_SID.variable)))?;
        if !is_sid(account, &["AC"]) {
            return Err(Fault::NotSent(format!(
                "{} is no account SID, AC and 32 hexadecimal digits",
                ACCOUNT_SID.name
            )));
        }
        let pair = match (exposed(API_KEY), exposed(API_SECRET), exposed(AUTH_TOKEN)) {
            (Some(key), Some(secret), _) => format!("{key}:{secret}"),
            (None, _, Some(token)) => format!("{account}:{token}"),
            (Some(_), None, _) => return Err(Fault::NotSent(format!("an API key without {}", API_SECRET.variable))),
            (None, _, None) => {
                let (token, key) = (AUTH_TOKEN.variable, API_KEY.variable);
                return Err(Fault::NotSent(format!("no Twilio credentials; set {token}, or {key} with its secret")));
            }
        };
        request.path = request.path.replace(ACCOUNT, account);
        let basic = SecretString::from(format!("Basic {}", STANDARD.encode(pair)));
        request.secrets.push(("Authorization".to_owned(), basic));
        Ok(())
    }

    fn code(&self, response: &Response) -> Option<Code> {
        let error = serde_json::from_slice::<Envelope>(&response.body).ok()?;
        let words = error.message.as_deref().map(Code::nameless).unwrap_or_default();
        let words = if response.status == 401 { "Twilio doesn't accept the credentials".to_owned() } else { words };
        let message = format!("{words} (https://www.twilio.com/docs/api/errors/{})", error.code);
        Some(Code::new("", error.code.to_string(), &message))
    }

    fn is_absent(&self, response: &Response) -> bool {
        response.status == 404 && self.code(response).is_some_and(|code| code.code == "20404")
    }

    /// A subaccount's or another region's lists are other lists. The end of the SID is enough to
    /// notice a change, and nothing of it is told to whom sees the ledger.
    fn scope(&self, connection: &Connection) -> String {
        let account = connection.credentials.get(ACCOUNT_SID.name).map(SecretString::expose_secret).unwrap_or_default();
        let end = account.get(account.len().saturating_sub(6)..).unwrap_or_default();
        let (edge, region) = edge_and_region(connection.base_url.host_str().unwrap_or_default());
        format!("account_sid=..{end} region={region} edge={edge}")
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let account = Request::get(format!("/2010-04-01/Accounts/{ACCOUNT}.json"));
        match wire.call::<Account>(account).await {
            Ok(account) => Ok(format!(
                "Twilio account {}, {}, {}",
                account.sid,
                account.kind.as_deref().unwrap_or("of unknown type"),
                account.status.as_deref().unwrap_or("of unknown status")
            )),
            // Standard API keys may not read the account, and emulators don't have one.
            Err(Fault::Status(status, _)) => {
                let _: IgnoredAny = wire.call(Request::get(MESSAGES).query("PageSize", "1")).await?;
                Ok(format!("Twilio; the account can't be read with these credentials (status {status})"))
            }
            Err(fault) => Err(fault),
        }
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(SendMessageCell), erase(CancelMessageCell), erase(CallCell)]
    }
}

/// `api.EDGE.REGION.twilio.com`, or `api.REGION.twilio.com`; the United States if not said.
fn edge_and_region(host: &str) -> (&str, &str) {
    let between = host.strip_prefix("api.").and_then(|rest| rest.strip_suffix(".twilio.com")).unwrap_or_default();
    match between.split_once('.') {
        Some((edge, region)) => (edge, region),
        None if between.is_empty() => ("default", "us1"),
        None => ("default", between),
    }
}

#[derive(Deserialize)]
struct Envelope {
    code: u32,
    message: Option<String>,
    #[serde(rename = "status")]
    _status: u16,
}

#[derive(Deserialize)]
struct Account {
    sid: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    status: Option<String>,
}

/// A record's path, for cells.
pub(crate) fn record(list: &str, sid: &str) -> Request {
    Request::get(wire::record(list, sid))
}

#[cfg(test)]
mod tests;
