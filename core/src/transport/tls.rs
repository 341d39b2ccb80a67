use std::sync::{Arc, OnceLock};

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::words::Fault;

/// One TLS configuration for both ways out. It is loaded on first use, because reading the
/// platform's roots takes time that a process without HTTPS needn't spend.
pub(super) struct Tls {
    /// DER certificates to believe instead of the platform's.
    given: Option<Vec<Vec<u8>>>,
    loaded: OnceLock<Result<Arc<ClientConfig>, String>>,
}

impl Tls {
    /// Believes what the platform believes.
    pub(super) fn platform() -> Self {
        Self { given: None, loaded: OnceLock::new() }
    }

    /// Believes these roots only.
    pub(super) fn with_roots(roots: Vec<Vec<u8>>) -> Self {
        Self { given: Some(roots), loaded: OnceLock::new() }
    }

    /// The configuration; an error where no certificate can be checked.
    pub(super) fn config(&self) -> Result<Arc<ClientConfig>, Fault> {
        let load = || build(self.given.as_deref()).map(Arc::new).map_err(|error| error.to_string());
        match self.loaded.get_or_init(load) {
            Ok(config) => Ok(Arc::clone(config)),
            Err(why) => Err(Fault::NotSent(format!("no certificate can be checked: {why}"))),
        }
    }
}

/// Refuses every certificate: for a client that has to be configured and will not encrypt.
pub(super) fn refusing() -> Result<ClientConfig, Fault> {
    build(Some(&[])).map_err(|error| Fault::NotSent(error.to_string()))
}

fn build(given: Option<&[Vec<u8>]>) -> Result<ClientConfig, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?;
    let mut config = match given {
        None => builder.with_platform_verifier()?.with_no_client_auth(),
        Some(given) => {
            let mut roots = RootCertStore::empty();
            for root in given {
                roots.add(CertificateDer::from(root.clone()))?;
            }
            builder.with_root_certificates(roots).with_no_client_auth()
        }
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // Early data can be replayed by anyone on the way: a request in it may arrive twice.
    config.enable_early_data = false;
    Ok(config)
}
