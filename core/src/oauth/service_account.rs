use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::words::Fault;

/// The key of a service account, as Google gives it out; the parts that are used.
#[derive(Clone, Deserialize)]
pub struct ServiceAccount {
    /// Who signs.
    pub client_email: String,
    /// The private key, in PEM.
    pub private_key: SecretString,
    /// Which of the account's keys it is.
    #[serde(default)]
    pub private_key_id: String,
    /// Where its tokens come from.
    pub token_uri: Option<String>,
}

impl ServiceAccount {
    /// Reads the JSON that the provider gives out.
    ///
    /// # Errors
    /// [`Fault::NotSent`], without the key.
    pub fn read(json: &SecretString) -> Result<Self, Fault> {
        serde_json::from_str(json.expose_secret())
            .map_err(|_| Fault::NotSent("service_account is not the JSON of a service account's key".to_owned()))
    }

    /// The assertion that is exchanged for a token: a JSON Web Token (RFC 7515, RFC 7523). `now` in
    /// seconds since 1970.
    ///
    /// # Errors
    /// [`Fault::NotSent`] if the key is none.
    pub fn assertion(&self, subject: &str, scopes: &str, audience: &str, now: i64) -> Result<String, Fault> {
        let header = json!({ "alg": "RS256", "typ": "JWT", "kid": self.private_key_id });
        let claims = json!({
            "iss": self.client_email, "sub": subject, "scope": scopes, "aud": audience, "iat": now, "exp": now + 3600,
        });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
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
