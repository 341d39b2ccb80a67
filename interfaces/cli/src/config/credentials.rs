use hapax_core::cell::{Credentials, SharedIntegration};

use super::ConnectionConfig;
use super::connection::Source;
use crate::exit::Failure;

/// Reads a connection's credentials from where it says. What is missing without having been named is
/// left out: the connection itself says whether it can do without.
pub(crate) fn credentials(
    connection: &ConnectionConfig,
    integration: &SharedIntegration,
) -> Result<Credentials, Failure> {
    let mut credentials = Credentials::none();
    for field in integration.credentials() {
        let found = match connection.sources.get(field.name) {
            Some(source) => Some(read(connection, field.name, source)?),
            // A stand-in never gets the usual variable's secret, which may be a real one.
            None if connection.stand_in => of_stand_in(connection, field.name),
            None => variable(field.variable),
        };
        if let Some(secret) = found {
            credentials = credentials.with(field.name, secret.into());
        }
    }
    Ok(credentials)
}

/// Reads a credential that was named. Neither its value nor a path that might be one is shown.
fn read(connection: &ConnectionConfig, field: &str, source: &Source) -> Result<String, Failure> {
    let missing = |what: String| {
        let message = format!("nothing was sent: connection {} lacks the credential {field}: {what}", connection.name);
        Failure::input("missing-credential", message)
    };
    match source {
        Source::Variable(name) => variable(name)
            .ok_or_else(|| missing(format!("set {name} in the environment, or name another in {field}_env"))),
        Source::File(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| missing(format!("the file that {field}_file names can't be read ({error})")))?;
            let text = text.trim();
            if text.is_empty() {
                Err(missing(format!("the file that {field}_file names is empty")))
            } else {
                Ok(text.to_owned())
            }
        }
    }
}

/// An environment variable that is set to something.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn of_stand_in(connection: &ConnectionConfig, field: &str) -> Option<String> {
    let accepted = hapax_catalog::stand_in_credentials(&connection.integration);
    // One that is made from a declaration accepts anything.
    if hapax_catalog::integration(&connection.integration).is_none() {
        return Some(format!("stand-in-{field}"));
    }
    let found = accepted.iter().find(|(name, _)| *name == field);
    found.map(|(_, value)| (*value).to_owned())
}
