//! Address, authentication, and where Amadeus puts its errors.

use async_trait::async_trait;
use hapax_core::capability::Code;
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::oauth::{Client, Grant, Tokens};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::wire::JSON;
use crate::{BookFlightCell, BookHotelCell, CancelFlightCell, card};

/// Amadeus, the Enterprise REST API: flight orders v1 and hotel orders v2.
#[derive(Debug, Default)]
pub struct Amadeus {
    tokens: Tokens,
}

/// Where tokens come from, below the base URL.
pub(crate) const TOKEN_PATH: &str = "/v1/security/oauth2/token";

pub(crate) const CLIENT_ID: CredentialField = CredentialField {
    name: "client_id",
    variable: "AMADEUS_CLIENT_ID",
    optional: false,
    what: "API key of the application",
};

pub(crate) const CLIENT_SECRET: CredentialField = CredentialField {
    name: "client_secret",
    variable: "AMADEUS_CLIENT_SECRET",
    optional: false,
    what: "API secret of the application",
};

pub(crate) const GUEST_OFFICE_ID: CredentialField = CredentialField {
    name: "guest_office_id",
    variable: "AMADEUS_GUEST_OFFICE_ID",
    optional: true,
    what: "office to act for, if the contract has several",
};

/// A name that never resolves (RFC 2606): there is no public address to default to.
const UNSET: &str = "https://base-url-is-not-set.invalid";

/// Hosts that were switched off.
const SELF_SERVICE: [&str; 2] = ["api.amadeus.com", "test.api.amadeus.com"];

#[async_trait]
impl Integration for Amadeus {
    fn name(&self) -> &'static str {
        "amadeus"
    }

    fn base_url(&self) -> &'static str {
        UNSET
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[
            CLIENT_ID,
            CLIENT_SECRET,
            GUEST_OFFICE_ID,
            card::NUMBER,
            card::VENDOR,
            card::EXPIRY,
            card::HOLDER,
            card::SECURITY_CODE,
        ]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        self.tokens.authorize(&grant_of(connection)?, request)?;
        request.headers.push(("Accept".to_owned(), JSON.to_owned()));
        card::put_in(&connection.credentials, request)
    }

    fn code(&self, response: &Response) -> Option<Code> {
        let envelope: Envelope = serde_json::from_slice(&response.body).ok()?;
        let code = envelope.code()?;
        if response.status == 401 {
            // Amadeus may quote the token or the client here.
            let message = "Amadeus doesn't accept the access token or the credentials".to_owned();
            return Some(Code { message, ..code });
        }
        Some(code)
    }

    fn is_absent(&self, response: &Response) -> bool {
        response.status == 404 && self.code(response).is_some_and(|code| code.code == "1797")
    }

    fn scope(&self, connection: &Connection) -> String {
        let office = connection.credentials.get(GUEST_OFFICE_ID.name).map(ExposeSecret::expose_secret);
        format!("office={}", office.unwrap_or("own"))
    }

    /// What the test environment allows; production allows 40.
    fn requests_per_second(&self) -> Option<u32> {
        Some(10)
    }

    async fn refresh(&self, wire: &Wire) -> Result<(), Fault> {
        check(&wire.connection().base_url)?;
        self.tokens.refresh(wire, &grant_of(wire.connection())?).await
    }

    fn reject(&self, wire: &Wire) -> bool {
        grant_of(wire.connection()).is_ok_and(|grant| self.tokens.reject(&grant))
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let url = &wire.connection().base_url;
        check(url)?;
        let token = self.tokens.renew(wire, &grant_of(wire.connection())?).await?;
        let application = token.extra.get("application_name").and_then(Value::as_str).unwrap_or("without a name");
        let host = url.host_str().unwrap_or_default();
        Ok(format!("Amadeus application {application} at {host}, token for {} s", token.life_ms / 1000))
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(BookFlightCell), erase(CancelFlightCell), erase(BookHotelCell)]
    }
}

/// The application acts for itself, in one office.
fn grant_of(connection: &Connection) -> Result<Grant, Fault> {
    let required = |field: CredentialField| {
        let found = connection.credentials.get(field.name);
        found.ok_or_else(|| Fault::NotSent(format!("no Amadeus {}; set {}", field.name, field.variable)))
    };
    let client = Client {
        id: required(CLIENT_ID)?.expose_secret().to_owned(),
        secret: Some(required(CLIENT_SECRET)?.clone()),
        url: format!("{}{TOKEN_PATH}", connection.base_url.as_str().trim_end_matches('/')),
        by_header: false,
    };
    let office = connection.credentials.get(GUEST_OFFICE_ID.name);
    let extra = office.map(|office| (GUEST_OFFICE_ID.name, office.expose_secret().to_owned()));
    Ok(Grant::ClientCredentials { client, extra: extra.into_iter().collect() })
}

/// Whether anything may be sent there.
fn check(base_url: &Url) -> Result<(), Fault> {
    let host = base_url.host_str().unwrap_or_default();
    if UNSET.ends_with(host) {
        return Err(Fault::NotSent(
            "set base_url of this connection to the address in your Amadeus Enterprise contract (public clients use \
             https://test.travel.api.amadeus.com for tests and https://travel.api.amadeus.com)"
                .to_owned(),
        ));
    }
    if SELF_SERVICE.contains(&host) {
        return Err(Fault::NotSent(format!(
            "{host} was the Self-Service API, which was switched off on 2026-07-17; set base_url to the address in \
             your Amadeus Enterprise contract"
        )));
    }
    Ok(())
}

/// Both forms of errors: the list of the API, and the one of the token endpoint.
#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    errors: Vec<Issue>,
    error: Option<String>,
    code: Option<Value>,
}

#[derive(Deserialize)]
struct Issue {
    code: Option<Value>,
    title: Option<String>,
    source: Option<Place>,
    /// For hotel orders the description has the list once more inside.
    #[serde(default)]
    errors: Vec<Issue>,
}

#[derive(Deserialize)]
struct Place {
    pointer: Option<String>,
    parameter: Option<String>,
}

impl Envelope {
    fn code(&self) -> Option<Code> {
        let mut codes = Vec::new();
        let mut words = Vec::new();
        for issue in &self.errors {
            issue.read(&mut codes, &mut words);
        }
        if codes.is_empty() {
            let kind = self.error.clone()?;
            return Some(Code { kind, code: number(self.code.as_ref()?)?, message: String::new() });
        }
        codes.dedup();
        // Several codes together match no row: whoever lists them all may have gone some of the way.
        Some(Code { kind: String::new(), code: codes.join(","), message: words.join("; ") })
    }
}

impl Issue {
    fn read(&self, codes: &mut Vec<String>, words: &mut Vec<String>) {
        if let Some(code) = self.code.as_ref().and_then(number) {
            codes.push(code);
            words.extend(self.words().filter(|_| words.len() < 5));
        }
        for issue in &self.errors {
            issue.read(codes, words);
        }
    }

    /// The title, which is one of Amadeus' own texts, and where in the request it points. The detail is
    /// left out: it may quote the request, and with it a traveler.
    fn words(&self) -> Option<String> {
        let title: String = self.title.as_deref()?.chars().take(100).collect();
        let place = self.source.as_ref().and_then(|place| place.pointer.as_deref().or(place.parameter.as_deref()));
        Some(match place {
            Some(place) if place.len() <= 100 => format!("{title} at {place}"),
            _ => title,
        })
    }
}

/// A code as rows have it. The description writes some with zeros in front, which no JSON number has.
fn number(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => {
            let digits = text.trim_start_matches('0');
            (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
