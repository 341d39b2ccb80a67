use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Encryption with a certificate that is checked, by the platform's roots or by those that were given.
pub(crate) fn connector(roots: Option<&[Vec<u8>]>) -> Result<MakeRustlsConnect, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?;
    let config = match roots {
        None => builder.with_platform_verifier()?.with_no_client_auth(),
        Some(given) => {
            let mut roots = RootCertStore::empty();
            for root in given {
                roots.add(CertificateDer::from(root.clone()))?;
            }
            builder.with_root_certificates(roots).with_no_client_auth()
        }
    };
    Ok(MakeRustlsConnect::new(config))
}
