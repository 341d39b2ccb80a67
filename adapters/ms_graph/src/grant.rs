//! What an access token is got with, and whose mailbox it is for.

use hapax_core::cell::{Connection, CredentialField};
use hapax_core::oauth::{Client, Grant};
use hapax_core::words::Fault;
use secrecy::{ExposeSecret, SecretString};

const ACCESS_TOKEN: CredentialField =
    field("access_token", "MS_GRAPH_ACCESS_TOKEN", "a token as it is, for a first try");
pub(crate) const CLIENT_ID: CredentialField =
    field("client_id", "MS_GRAPH_CLIENT_ID", "the app, with refresh_token or client_secret");
const CLIENT_SECRET: CredentialField = field("client_secret", "MS_GRAPH_CLIENT_SECRET", "the app's secret");
const REFRESH_TOKEN: CredentialField =
    field("refresh_token", "MS_GRAPH_REFRESH_TOKEN", "what the mailbox's owner agreed to");
const TENANT: CredentialField =
    field("tenant", "MS_GRAPH_TENANT", "the tenant's id or domain; needed where the app acts for itself");
pub(crate) const USER: CredentialField =
    field("user", "MS_GRAPH_USER", "whose mailbox, by id or user principal name, if not the token's owner");
const TOKEN_URL: CredentialField =
    field("token_url", "MS_GRAPH_TOKEN_URL", "where tokens come from, if not from login.microsoftonline.com");

/// One of three ways is enough, so each field is optional by itself.
pub(crate) const FIELDS: &[CredentialField] =
    &[CLIENT_ID, CLIENT_SECRET, REFRESH_TOKEN, TENANT, USER, ACCESS_TOKEN, TOKEN_URL];

const fn field(name: &'static str, variable: &'static str, what: &'static str) -> CredentialField {
    CredentialField { name, variable, optional: true, what }
}

/// A credential that is no secret.
pub(crate) fn text(connection: &Connection, field: CredentialField) -> Option<&str> {
    connection.credentials.get(field.name).map(SecretString::expose_secret).map(str::trim)
}

/// Reads credentials: a refresh token, else an app that acts for itself, else a token as it is.
///
/// # Errors
/// [`Fault::NotSent`] names what is missing.
pub(crate) fn grant_of(connection: &Connection) -> Result<Grant, Fault> {
    let get = |field: CredentialField| connection.credentials.get(field.name);
    let needed = |field: CredentialField, with: CredentialField| {
        let missing = || Fault::NotSent(format!("{} needs {}; set {}", with.name, field.name, field.variable));
        text(connection, field).ok_or_else(missing)
    };
    if let Some(refresh_token) = get(REFRESH_TOKEN) {
        let id = needed(CLIENT_ID, REFRESH_TOKEN)?.to_owned();
        // Apps of work accounts, of personal ones and of both are all known at `common`.
        let url = token_url(connection, text(connection, TENANT).unwrap_or("common"))?;
        let client = Client { id, secret: get(CLIENT_SECRET).cloned(), url, by_header: false };
        return Ok(Grant::RefreshToken { client, refresh_token: refresh_token.clone() });
    }
    if let Some(secret) = get(CLIENT_SECRET) {
        let id = needed(CLIENT_ID, CLIENT_SECRET)?.to_owned();
        // An app that acts for itself has no `/me`.
        needed(USER, CLIENT_SECRET)?;
        let url = token_url(connection, needed(TENANT, CLIENT_SECRET)?)?;
        let client = Client { id, secret: Some(secret.clone()), url, by_header: false };
        return Ok(Grant::ClientCredentials { client, extra: vec![("scope", everything(connection))] });
    }
    let given = get(ACCESS_TOKEN).ok_or_else(|| {
        Fault::NotSent(format!(
            "no way to a token; set {} and {}, or {} with {}, {} and {}",
            REFRESH_TOKEN.variable,
            CLIENT_ID.variable,
            CLIENT_SECRET.variable,
            CLIENT_ID.variable,
            TENANT.variable,
            USER.variable
        ))
    })?;
    Ok(Grant::Given(given.clone()))
}

/// All that an administrator has granted to the app, at this cloud's Graph.
fn everything(connection: &Connection) -> String {
    format!("{}/.default", connection.base_url.origin().ascii_serialization())
}

fn token_url(connection: &Connection, tenant: &str) -> Result<String, Fault> {
    if let Some(url) = text(connection, TOKEN_URL) {
        return Ok(url.to_owned());
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    match !tenant.is_empty() && tenant.bytes().all(is_plain) {
        true => Ok(format!("https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token")),
        false => Err(Fault::NotSent(format!("{} is no id or domain of a tenant", TENANT.name))),
    }
}

#[cfg(test)]
mod tests;
