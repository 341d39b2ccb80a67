//! What an access token is got with.

use hapax_core::cell::{CredentialField, Credentials};
use hapax_core::oauth::{Client, Grant, ServiceAccount};
use hapax_core::words::Fault;
use secrecy::ExposeSecret;

const ACCESS_TOKEN: CredentialField =
    field("access_token", "GOOGLE_CALENDAR_ACCESS_TOKEN", "a token as it is, for a first try");
const CLIENT_ID: CredentialField = field("client_id", "GOOGLE_CALENDAR_CLIENT_ID", "OAuth client, with refresh_token");
const CLIENT_SECRET: CredentialField =
    field("client_secret", "GOOGLE_CALENDAR_CLIENT_SECRET", "the OAuth client's secret");
const REFRESH_TOKEN: CredentialField =
    field("refresh_token", "GOOGLE_CALENDAR_REFRESH_TOKEN", "what the calendar's owner agreed to");
const SERVICE_ACCOUNT: CredentialField = field(
    "service_account",
    "GOOGLE_CALENDAR_SERVICE_ACCOUNT",
    "key of a service account (the JSON that Google gives), with subject",
);
pub(crate) const SUBJECT: CredentialField =
    field("subject", "GOOGLE_CALENDAR_SUBJECT", "address of the user that the service account acts for");
const SCOPES: CredentialField =
    field("scopes", "GOOGLE_CALENDAR_SCOPES", "scopes of the service account, if not the usual one");
const TOKEN_URL: CredentialField =
    field("token_url", "GOOGLE_CALENDAR_TOKEN_URL", "where tokens come from, if not from Google");

/// One of three ways is enough, so each field is optional by itself.
pub(crate) const FIELDS: &[CredentialField] =
    &[CLIENT_ID, CLIENT_SECRET, REFRESH_TOKEN, SERVICE_ACCOUNT, SUBJECT, SCOPES, ACCESS_TOKEN, TOKEN_URL];

const GOOGLE: &str = "https://oauth2.googleapis.com/token";

/// Reading and writing events.
const USUAL_SCOPES: &str = "https://www.googleapis.com/auth/calendar.events";

const fn field(name: &'static str, variable: &'static str, what: &'static str) -> CredentialField {
    CredentialField { name, variable, optional: true, what }
}

/// Reads credentials: a service account, else a refresh token, else a token as it is.
///
/// # Errors
/// [`Fault::NotSent`] names what is missing.
pub(crate) fn grant_of(credentials: &Credentials) -> Result<Grant, Fault> {
    let get = |field: CredentialField| credentials.get(field.name);
    let text = |field| get(field).map(|secret| secret.expose_secret().to_owned());
    let missing = |field: CredentialField, with: CredentialField| {
        Fault::NotSent(format!("{} needs {}; set {}", with.name, field.name, field.variable))
    };
    if let Some(key) = get(SERVICE_ACCOUNT) {
        let account = ServiceAccount::read(key)?;
        let url = text(TOKEN_URL).or_else(|| account.token_uri.clone()).unwrap_or_else(|| GOOGLE.to_owned());
        let subject = text(SUBJECT).ok_or_else(|| missing(SUBJECT, SERVICE_ACCOUNT))?;
        let scopes = text(SCOPES).unwrap_or_else(|| USUAL_SCOPES.to_owned());
        return Ok(Grant::ServiceAccount { account, subject, scopes, url });
    }
    if let Some(refresh_token) = get(REFRESH_TOKEN) {
        let client = Client {
            id: text(CLIENT_ID).ok_or_else(|| missing(CLIENT_ID, REFRESH_TOKEN))?,
            secret: get(CLIENT_SECRET).cloned(),
            url: text(TOKEN_URL).unwrap_or_else(|| GOOGLE.to_owned()),
            by_header: false,
        };
        return Ok(Grant::RefreshToken { client, refresh_token: refresh_token.clone() });
    }
    let given = get(ACCESS_TOKEN).ok_or_else(|| {
        Fault::NotSent(format!(
            "no way to a token; set {} and {}, or {} and {}",
            REFRESH_TOKEN.variable, CLIENT_ID.variable, SERVICE_ACCOUNT.variable, SUBJECT.variable
        ))
    })?;
    Ok(Grant::Given(given.clone()))
}

#[cfg(test)]
mod tests;
