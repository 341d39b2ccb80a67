//! Connections: one of its own for every shot and every look, closed afterwards, never pooled.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use hapax_core::cell::Connection;
use hapax_core::transport::{Gate, GatedStream};
use hapax_core::words::Fault;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use rustls_platform_verifier::BuilderVerifierExt;
use secrecy::ExposeSecret;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Error, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;
use url::Url;

use crate::client::{CA, PASSWORD, USER};
use crate::sqlstate;

/// The port that is meant when none is named.
const PORT: u16 = 5432;
/// Most time that connecting takes, with encryption and authentication.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// Most time that saying goodbye takes.
const GOODBYE: Duration = Duration::from_secs(1);
/// Most time that a harmless question takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Where a connection leads, checked before anything is opened.
struct Address {
    config: Config,
    encrypted: bool,
}

/// The other half of a client: what writes and reads. No task of its own drives it: whoever uses the
/// client does, so that dropping both closes the socket at once.
pub(crate) struct Running(Option<Pin<Box<dyn Future<Output = ()> + Send>>>);

impl Running {
    /// Works with the client; ends when the work does.
    pub(crate) async fn until<T>(&mut self, work: impl Future<Output = T> + Send) -> T {
        let mut work = pin!(work);
        poll_fn(|context| {
            if let Some(running) = &mut self.0
                && running.as_mut().poll(context).is_ready()
            {
                // Dropped, so that the client hears of the end.
                self.0 = None;
            }
            work.as_mut().poll(context)
        })
        .await
    }

    /// Says goodbye once the client is dropped, so that the server notes no broken connection.
    pub(crate) async fn end(self) {
        if let Some(running) = self.0 {
            let _ = tokio::time::timeout(GOODBYE, running).await;
        }
    }
}

/// A connection of which no byte leaves after the gate has closed.
///
/// # Errors
/// Why there is none; nothing of a transaction was sent.
pub(crate) async fn behind(connection: &Connection, gate: &Gate) -> Result<(Client, Running), Fault> {
    let address = Address::of(connection)?;
    let stream = GatedStream::connect(&connection.base_url, PORT, gate).await?;
    greet(stream, connection, address).await
}

/// A connection for harmless questions.
///
/// # Errors
/// Why there is none.
pub(crate) async fn harmless(connection: &Connection) -> Result<(Client, Running), Fault> {
    let address = Address::of(connection)?;
    let url = &connection.base_url;
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let dialing = TcpStream::connect((host, url.port().unwrap_or(PORT)));
    let stream = match tokio::time::timeout(CONNECT_WITHIN, dialing).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(Fault::NotSent(format!("no connection: {error}"))),
        Err(_) => return Err(Fault::NotSent(format!("no connection within {} s", CONNECT_WITHIN.as_secs()))),
    };
    greet(stream, connection, address).await
}

async fn greet<S>(stream: S, connection: &Connection, address: Address) -> Result<(Client, Running), Fault>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let greeting = async {
        if address.encrypted {
            let mut tls = MakeRustlsConnect::new(tls(connection)?);
            let host = connection.base_url.host_str().unwrap_or_default().trim_matches(['[', ']']);
            let Ok(tls) = MakeTlsConnect::<S>::make_tls_connect(&mut tls, host);
            let (client, running) = address.config.connect_raw(stream, tls).await.map_err(|error| refused(&error))?;
            return Ok((client, Running(Some(Box::pin(async move { drop(running.await) })))));
        }
        let (client, running) = address.config.connect_raw(stream, NoTls).await.map_err(|error| refused(&error))?;
        Ok((client, Running(Some(Box::pin(async move { drop(running.await) })))))
    };
    match tokio::time::timeout(CONNECT_WITHIN, greeting).await {
        Ok(greeted) => greeted,
        Err(_) => Err(Fault::NotSent(format!("no session within {} s", CONNECT_WITHIN.as_secs()))),
    }
}

/// No session: whatever the reason, no transaction was begun.
fn refused(error: &Error) -> Fault {
    Fault::NotSent(sqlstate::fault("connecting", error).to_string())
}

impl Address {
    fn of(connection: &Connection) -> Result<Self, Fault> {
        let bad = |why: &str| Fault::NotSent(format!("base_url {why}"));
        let url = &connection.base_url;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("names a user or password; they belong to the credentials"));
        }
        let database = url.path().trim_start_matches('/');
        if database.is_empty() || database.contains(['/', '%']) {
            return Err(bad("names no database: postgres://host:port/database"));
        }
        let encrypted = is_encrypted(url)
            .ok_or_else(|| bad("has an unknown option; there is sslmode, verify-full (as without it) or disable"))?;
        let user = connection.credentials.get(USER.name);
        let user = user.ok_or_else(|| Fault::NotSent(format!("no PostgreSQL user; set {}", USER.variable)))?;
        let mut config = Config::new();
        config.user(user.expose_secret()).dbname(database).application_name("hapax");
        if let Some(password) = connection.credentials.get(PASSWORD.name) {
            config.password(password.expose_secret());
        }
        config.ssl_mode(if encrypted { SslMode::Require } else { SslMode::Disable });
        Ok(Self { config, encrypted })
    }
}

fn is_encrypted(url: &Url) -> Option<bool> {
    let mut encrypted = true;
    for (name, value) in url.query_pairs() {
        encrypted = match (name.as_ref(), value.as_ref()) {
            ("sslmode", "verify-full") => true,
            ("sslmode", "disable") => false,
            _ => return None,
        };
    }
    Some(encrypted)
}

/// Believes what the platform believes, or the given authority alone.
fn tls(connection: &Connection) -> Result<ClientConfig, Fault> {
    let bad = |error: &dyn std::fmt::Display| Fault::NotSent(format!("no certificate can be checked: {error}"));
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| bad(&error))?;
    let Some(given) = connection.credentials.get(CA.name) else {
        return Ok(builder.with_platform_verifier().map_err(|error| bad(&error))?.with_no_client_auth());
    };
    let mut roots = RootCertStore::empty();
    for root in CertificateDer::pem_slice_iter(given.expose_secret().as_bytes()) {
        roots.add(root.map_err(|_| bad(&"the given authority is no PEM"))?).map_err(|error| bad(&error))?;
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
