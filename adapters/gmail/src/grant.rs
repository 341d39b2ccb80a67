//! What an access token is got with, and the request that gets it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hapax_core::cell::{CredentialField, Credentials};
use hapax_core::words::Fault;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

const ACCESS_TOKEN: CredentialField = field("access_token", "GMAIL_ACCESS_TOKEN", "a token as it is, for a first try");
const CLIENT_ID: CredentialField = field("client_id", "GMAIL_CLIENT_ID", "OAuth client, with refresh_token");
const CLIENT_SECRET: CredentialField = field("client_secret", "GMAIL_CLIENT_SECRET", "the OAuth client's secret");
const REFRESH_TOKEN: CredentialField =
    field("refresh_token", "GMAIL_REFRESH_TOKEN", "what the mailbox's owner agreed to");
const SERVICE_ACCOUNT: CredentialField = field(
    "service_account",
    "GMAIL_SERVICE_ACCOUNT",
    "key of a service account (the JSON that Google gives), with subject",
);
pub(crate) const SUBJECT: CredentialField =
    field("subject", "GMAIL_SUBJECT", "mailbox that the service account acts for");
const SCOPES: CredentialField = field("scopes", "GMAIL_SCOPES", "scopes of the service account, if not the usual two");
const TOKEN_URL: CredentialField = field("token_url", "GMAIL_TOKEN_URL", "where tokens come from, if not from Google");

/// One of three ways is enough, so each field is optional by itself.
pub(crate) const FIELDS: &[CredentialField] =
    &[CLIENT_ID, CLIENT_SECRET, REFRESH_TOKEN, SERVICE_ACCOUNT, SUBJECT, SCOPES, ACCESS_TOKEN, TOKEN_URL];

const GOOGLE: &str = "https://oauth2.googleapis.com/token";

/// Drafts and sending, and reading SENT.
const USUAL_SCOPES: &str =
    "https://www.googleapis.com/auth/gmail.compose https://www.googleapis.com/auth/gmail.readonly";

const fn field(name: &'static str, variable: &'static str, what: &'static str) -> CredentialField {
    CredentialField { name, variable, optional: true, what }
}

/// A way to a token.
#[derive(Clone)]
pub(crate) enum Grant {
    /// The token itself; nothing can renew it.
    Given(SecretString),
    /// The owner of a mailbox has agreed.
    Refresh { client_id: String, client_secret: Option<SecretString>, refresh_token: SecretString, url: String },
    /// A service account acts for a mailbox of its domain.
    Delegated { account: ServiceAccount, subject: String, scopes: String, url: String },
}

/// The parts of a service account's key that are used.
#[derive(Clone, Deserialize)]
pub(crate) struct ServiceAccount {
    client_email: String,
    private_key: SecretString,
    #[serde(default)]
    private_key_id: String,
    token_uri: Option<String>,
}

impl Grant {
    /// Reads credentials: a service account, else a refresh token, else a token as it is.
    ///
    /// # Errors
    /// [`Fault::NotSent`] names what is missing.
    pub(crate) fn of(credentials: &Credentials) -> Result<Self, Fault> {
        let get = |field: CredentialField| credentials.get(field.name);
        let text = |field| get(field).map(|secret| secret.expose_secret().to_owned());
        let missing = |field: CredentialField, with: CredentialField| {
            Fault::NotSent(format!("{} needs {}; set {}", with.name, field.name, field.variable))
        };
        if let Some(key) = get(SERVICE_ACCOUNT) {
            let account: ServiceAccount = serde_json::from_str(key.expose_secret())
                .map_err(|_| Fault::NotSent("service_account is not the JSON of a service account's key".to_owned()))?;
            let url = text(TOKEN_URL).or_else(|| account.token_uri.clone()).unwrap_or_else(|| GOOGLE.to_owned());
            let subject = text(SUBJECT).ok_or_else(|| missing(SUBJECT, SERVICE_ACCOUNT))?;
            let scopes = text(SCOPES).unwrap_or_else(|| USUAL_SCOPES.to_owned());
            return Ok(Self::Delegated { account, subject, scopes, url });
        }
        if let Some(refresh_token) = get(REFRESH_TOKEN) {
            return Ok(Self::Refresh {
                client_id: text(CLIENT_ID).ok_or_else(|| missing(CLIENT_ID, REFRESH_TOKEN))?,
                client_secret: get(CLIENT_SECRET).cloned(),
                refresh_token: refresh_token.clone(),
                url: text(TOKEN_URL).unwrap_or_else(|| GOOGLE.to_owned()),
            });
        }
        let given = get(ACCESS_TOKEN).ok_or_else(|| {
            Fault::NotSent(format!(
                "no way to a token; set {} and {}, or {} and {}",
                REFRESH_TOKEN.variable, CLIENT_ID.variable, SERVICE_ACCOUNT.variable, SUBJECT.variable
            ))
        })?;
        Ok(Self::Given(given.clone()))
    }

    /// Names the grant without holding its secrets, so that connections share a token only if they
    /// share all of it.
    pub(crate) fn identity(&self) -> [u8; 32] {
        let parts: [&str; 5] = match self {
            Self::Given(token) => ["given", token.expose_secret(), "", "", ""],
            Self::Refresh { client_id, refresh_token, url, .. } => {
                ["refresh", client_id, refresh_token.expose_secret(), url, ""]
            }
            Self::Delegated { account, subject, scopes, url } => {
                [&account.client_email, account.private_key.expose_secret(), subject, scopes, url]
            }
        };
        let mut digest = Sha256::new();
        for part in parts {
            digest.update(part.len().to_be_bytes());
            digest.update(part);
        }
        digest.finalize().into()
    }
}

impl ServiceAccount {
    /// The assertion that is exchanged for a token: a JSON Web Token (RFC 7515, RFC 7523).
    ///
    /// # Errors
    /// [`Fault::NotSent`] if the key is none.
    pub(crate) fn assertion(&self, subject: &str, scopes: &str, audience: &str, now: i64) -> Result<String, Fault> {
        let header = json!({ "alg": "RS256", "typ": "JWT", "kid": self.private_key_id });
        let claims = json!({
            "iss": self.client_email, "sub": subject, "scope": scopes, "aud": audience, "iat": now, "exp": now + 3600,
        });
        let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(&claims));
        let signature = self.sign(signed.as_bytes())?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    fn sign(&self, text: &[u8]) -> Result<Vec<u8>, Fault> {
        let unfit = || Fault::NotSent("private_key of service_account is no RSA key in PKCS #8".to_owned());
        let pem = self.private_key.expose_secret();
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| unfit())?;
        let key = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).map_err(|_| unfit())?;
        let mut signature = vec![0; key.public().modulus_len()];
        key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text, &mut signature).map_err(|_| unfit())?;
        Ok(signature)
    }
}
