use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use super::ServiceAccount;

/// A way to an access token.
#[derive(Clone)]
pub enum Grant {
    /// The token itself; nothing can renew it.
    Given(SecretString),
    /// An owner has agreed once (RFC 6749, section 6).
    RefreshToken {
        /// The application.
        client: Client,
        /// What the owner's consent gave.
        refresh_token: SecretString,
    },
    /// The application acts for itself (RFC 6749, section 4.4).
    ClientCredentials {
        /// The application.
        client: Client,
        /// Form pairs that the provider wants besides, such as a scope.
        extra: Vec<(&'static str, String)>,
    },
    /// A service account acts for a user of its domain (RFC 7523).
    ServiceAccount {
        /// The account.
        account: ServiceAccount,
        /// For whom.
        subject: String,
        /// Scopes, with spaces between them.
        scopes: String,
        /// Where tokens come from.
        url: String,
    },
}

/// An application that is registered with a token endpoint.
#[derive(Clone)]
pub struct Client {
    /// Its id.
    pub id: String,
    /// Its secret; public clients have none.
    pub secret: Option<SecretString>,
    /// The token endpoint.
    pub url: String,
    /// Whether id and secret go into the `Authorization` header instead of the form.
    pub by_header: bool,
}

impl Grant {
    /// Names the grant without holding its secrets, so that connections share a token only if they
    /// share all of it.
    pub(super) fn identity(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        let mut add = |part: &str| {
            digest.update(part.len().to_be_bytes());
            digest.update(part);
        };
        match self {
            Self::Given(token) => ["given", token.expose_secret()].into_iter().for_each(add),
            Self::RefreshToken { client, refresh_token } => {
                ["refresh", refresh_token.expose_secret()].into_iter().chain(client.parts()).for_each(add);
            }
            Self::ClientCredentials { client, extra } => {
                ["client"].into_iter().chain(client.parts()).for_each(&mut add);
                extra.iter().flat_map(|(name, value)| [*name, value.as_str()]).for_each(add);
            }
            Self::ServiceAccount { account, subject, scopes, url } => {
                let parts = [&account.client_email, account.private_key.expose_secret(), subject, scopes, url];
                parts.into_iter().for_each(add);
            }
        }
        digest.finalize().into()
    }
}

impl Client {
    fn parts(&self) -> [&str; 3] {
        [&self.id, self.secret.as_ref().map_or("", |secret| secret.expose_secret()), &self.url]
    }
}
