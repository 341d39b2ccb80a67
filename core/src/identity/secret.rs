use std::fmt;
use std::path::Path;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// The secret from which all tokens and marks of a namespace are derived.
///
/// It is configuration, not ledger: made once by `hapax init` (file mode 0600) or given in the
/// environment. With another secret the provider meets other keys, so a change of it counts as a
/// restored ledger.
#[derive(Clone)]
pub struct NamespaceSecret(SecretString);

/// Why a secret can't be used. In each case nothing was sent.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The text is too short or of another form.
    #[error("nothing was sent: the namespace secret must be 64 hexadecimal digits; make one with `hapax init`")]
    Form,
    /// The file can't be read.
    #[error(
        "nothing was sent: the namespace secret {path} can't be read ({source}); make one with `hapax init`, or set HAPAX_NAMESPACE_SECRET"
    )]
    Unreadable {
        /// Which file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// Others may read the file.
    #[error("nothing was sent: others can read the namespace secret {path} (mode {mode:03o}); run `chmod 600 {path}`")]
    Exposed {
        /// Which file.
        path: String,
        /// Its permission bits.
        mode: u32,
    },
}

impl NamespaceSecret {
    /// A fresh secret from the operating system's randomness.
    pub fn generate() -> Self {
        let halves = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
        let mut mac = Self::keyed(halves[0].as_bytes());
        mac.update(halves[1].as_bytes());
        mac.update(halves[2].as_bytes());
        let digest = mac.finalize().into_bytes();
        Self(HEXLOWER.encode(&digest).into())
    }

    /// Checks a secret given as text: 64 hexadecimal digits.
    ///
    /// # Errors
    /// [`SecretError::Form`].
    pub fn parse(text: &str) -> Result<Self, SecretError> {
        let text = text.trim();
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(SecretError::Form);
        }
        Ok(Self(text.to_ascii_lowercase().into()))
    }

    /// Reads it from a file that only its owner may read.
    ///
    /// # Errors
    /// [`SecretError`] says what is wrong with the file.
    pub fn read(path: &Path) -> Result<Self, SecretError> {
        let unreadable = |source| SecretError::Unreadable { path: path.display().to_string(), source };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(path).map_err(unreadable)?.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                return Err(SecretError::Exposed { path: path.display().to_string(), mode });
            }
        }
        Self::parse(&std::fs::read_to_string(path).map_err(unreadable)?)
    }

    /// The text to store in a file of mode 0600.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// A value by which a ledger recognises the secret without holding it.
    pub fn check_value(&self) -> String {
        let digest = self.digest(&["hapax", "check value"]);
        HEXLOWER.encode(&digest[..16])
    }

    /// A keyed digest of the parts, each with its length, so that parts can't run together.
    pub(crate) fn digest(&self, parts: &[&str]) -> [u8; 32] {
        let mut mac = Self::keyed(self.0.expose_secret().as_bytes());
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }

    fn keyed(key: &[u8]) -> Hmac<Sha256> {
        match Hmac::new_from_slice(key) {
            Ok(mac) => mac,
            Err(_) => unreachable!("HMAC takes keys of every length"),
        }
    }
}

impl fmt::Debug for NamespaceSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NamespaceSecret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_shows_itself() {
        let secret = NamespaceSecret::generate();
        assert!(!format!("{secret:?}").contains(secret.expose()));
        assert_ne!(secret.expose(), NamespaceSecret::generate().expose());
        assert!(NamespaceSecret::parse(secret.expose()).is_ok());
        assert!(NamespaceSecret::parse("abc").is_err());
    }

    #[test]
    fn parts_do_not_run_together() {
        let secret = NamespaceSecret::generate();
        assert_ne!(secret.digest(&["ab", "c"]), secret.digest(&["a", "bc"]));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("secret");
        std::fs::write(&path, NamespaceSecret::generate().expose()).expect("write");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("mode");
        assert!(matches!(NamespaceSecret::read(&path), Err(SecretError::Exposed { .. })));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("mode");
        assert!(NamespaceSecret::read(&path).is_ok());
    }
}
