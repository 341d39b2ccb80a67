//! The usual client, as users of plain calls have it.

/// A client that asks no proxy.
///
/// # Errors
/// That it can't be made.
pub(crate) fn plain() -> Result<reqwest::Client, String> {
    // The client wants to know who encrypts, though nothing here is encrypted. It may be known already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().map_err(|error| error.to_string())
}
