//! Where the ledger is, and how to get in. What is secret is never shown.

use std::fmt;
use std::time::Duration;

use hapax_core::ledger::LedgerError;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use secrecy::{ExposeSecret, SecretString};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use crate::error::unusable;

/// The schema if nothing else is said.
pub const SCHEMA: &str = "hapax";

/// How long a host may take to let us in.
const CONNECT: Duration = Duration::from_secs(10);

/// The same where there are others: a host that is lost doesn't say so, and callers wait.
const CONNECT_OF_SEVERAL: Duration = Duration::from_secs(3);

/// After how long without an answer a connection counts as gone.
const SILENCE: Duration = Duration::from_secs(30);

/// A database, a schema in it, and how to get in.
#[derive(Clone)]
pub struct Address {
    config: Config,
    /// Whether it says by itself what is to be encrypted.
    says_mode: bool,
    pub(crate) schema: String,
    /// DER certificates to believe instead of the platform's.
    pub(crate) roots: Option<Vec<Vec<u8>>>,
}

impl Address {
    /// Reads `postgres://user@host:port/database`, or the form `host=... dbname=...`. Encryption is required, with a
    /// certificate that is checked, except on this machine or if `sslmode` says otherwise; `verify-ca` and
    /// `verify-full` are what `require` is here.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if it is neither, or names no database.
    pub fn parse(url: &SecretString) -> Result<Self, LedgerError> {
        let text = url.expose_secret().replace("sslmode=verify-full", "sslmode=require");
        let text = text.replace("sslmode=verify-ca", "sslmode=require");
        // The parser's own words may repeat what stands in the URL.
        let mut config: Config = text.parse().map_err(|_| misread("it is no PostgreSQL URL"))?;
        if config.get_dbname().is_none() {
            return Err(misread("it names no database"));
        }
        let says_mode = text.contains("sslmode");
        if !says_mode {
            // A server on this machine may encrypt with a certificate that nobody can check.
            config.ssl_mode(if is_local(&config) { SslMode::Disable } else { SslMode::Require });
        }
        // A stale replica must never answer, not even a read.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        config.connect_timeout(CONNECT).keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        if config.get_application_name().is_none() {
            config.application_name("hapax");
        }
        Ok(Self { config, says_mode, schema: SCHEMA.to_owned(), roots: None })
    }

    /// The same with this password.
    #[must_use]
    pub fn password(mut self, password: &SecretString) -> Self {
        self.config.password(password.expose_secret());
        self
    }

    /// Whether it carries a password.
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// The same in another schema than [`SCHEMA`].
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if the name isn't made of small letters, digits and `_`, at most 63.
    pub fn schema(mut self, name: &str) -> Result<Self, LedgerError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let begins = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
        if !begins || name.len() > 63 || !name.bytes().all(plain) || name.starts_with("pg_") {
            let hint = "use small letters, digits and _, at most 63, not beginning with a digit or pg_";
            return Err(unusable("the name of its schema can't be used", hint));
        }
        name.clone_into(&mut self.schema);
        Ok(self)
    }

    /// The same, believing the certificates in this PEM text instead of the platform's. On this machine too, the
    /// connection is then encrypted, unless the address says otherwise.
    ///
    /// # Errors
    /// [`LedgerError::Unusable`] if there is none in it.
    pub fn believing(mut self, pem: &[u8]) -> Result<Self, LedgerError> {
        let found: Result<Vec<Vec<u8>>, _> =
            CertificateDer::pem_slice_iter(pem).map(|one| one.map(|one| one.to_vec())).collect();
        match found {
            Ok(roots) if !roots.is_empty() => {
                self.roots = Some(roots);
                if !self.says_mode {
                    self.config.ssl_mode(SslMode::Require);
                }
                Ok(self)
            }
            _ => Err(unusable("its certificate authority can't be read", "name a file with certificates in PEM form")),
        }
    }
}

impl Address {
    /// One configuration for each host, and how long it may take.
    pub(crate) fn hosts(&self) -> Vec<(Config, Duration)> {
        let whole = &self.config;
        let count = whole.get_hosts().len().max(whole.get_hostaddrs().len());
        if count < 2 {
            return vec![(whole.clone(), CONNECT)];
        }
        (0..count).map(|number| (self.host(number), CONNECT_OF_SEVERAL)).collect()
    }

    fn host(&self, number: usize) -> Config {
        let (whole, mut one) = (&self.config, Config::new());
        whole.get_user().map(|user| one.user(user));
        whole.get_password().map(|password| one.password(password));
        whole.get_dbname().map(|name| one.dbname(name));
        whole.get_options().map(|options| one.options(options));
        whole.get_application_name().map(|name| one.application_name(name));
        one.ssl_mode(whole.get_ssl_mode()).ssl_negotiation(whole.get_ssl_negotiation());
        one.channel_binding(whole.get_channel_binding()).target_session_attrs(whole.get_target_session_attrs());
        one.connect_timeout(CONNECT_OF_SEVERAL).keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        match whole.get_hosts().get(number) {
            Some(Host::Tcp(name)) => drop(one.host(name)),
            #[cfg(unix)]
            Some(Host::Unix(path)) => drop(one.host_path(path)),
            None => {}
        }
        whole.get_hostaddrs().get(number).map(|address| one.hostaddr(*address));
        whole.get_ports().get(number).or(whole.get_ports().first()).map(|port| one.port(*port));
        one
    }
}

fn misread(what: &str) -> LedgerError {
    unusable(
        format!("the address of the ledger can't be used: {what}"),
        "write postgres://user@host:5432/database, with the password elsewhere",
    )
}

fn is_local(config: &Config) -> bool {
    config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback)
        && config.get_hosts().iter().all(|host| match host {
            Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback()),
            #[cfg(unix)]
            Host::Unix(_) => true,
        })
}

/// Where it is, without user and password.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        for (number, host) in self.config.get_hosts().iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            match host {
                Host::Tcp(name) => write!(f, "{comma}{name}")?,
                #[cfg(unix)]
                Host::Unix(path) => write!(f, "{comma}{}", path.display())?,
            }
            if let Some(port) = self.config.get_ports().get(number).or(self.config.get_ports().first()) {
                write!(f, ":{port}")?;
            }
        }
        write!(f, "/{} (schema {})", self.config.get_dbname().unwrap_or_default(), self.schema)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> Address {
        Address::parse(&url.to_owned().into()).expect("it is an address")
    }

    #[test]
    fn neither_user_nor_password_is_shown() {
        let shown = format!("{:?}", address("postgres://ada:hunter2@db.example:6432/app"));
        assert_eq!(shown, "postgres://db.example:6432/app (schema hapax)");
        let error = Address::parse(&"postgres://ada:hunter2@db.example/app?hunter2=1".to_owned().into());
        let error = error.expect_err("no such parameter").to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }

    #[test]
    fn only_this_machine_may_do_without_encryption_unless_it_is_said() {
        for (url, mode) in [
            ("postgres://a@db.example/b", SslMode::Require),
            ("postgres://a@127.0.0.1/b", SslMode::Disable),
            ("postgres://a@%2Frun%2Fpostgresql/b", SslMode::Disable),
            ("postgres://a@localhost,db.example/b", SslMode::Require),
            ("host=localhost hostaddr=192.0.2.1 dbname=b", SslMode::Require),
            ("postgres://a@localhost/b?sslmode=prefer", SslMode::Prefer),
            ("postgres://a@db.example/b?sslmode=disable", SslMode::Disable),
            ("postgres://a@localhost/b?sslmode=verify-full", SslMode::Require),
        ] {
            assert_eq!(address(url).config.get_ssl_mode(), mode, "{url}");
        }
    }

    #[test]
    fn a_schema_is_a_plain_name() {
        for bad in ["", "Hapax", "a-b", "1a", "pg_x", "a\"; --"] {
            address("postgres://a@h/b").schema(bad).expect_err(bad);
        }
        assert_eq!(address("postgres://a@h/b").schema("shop_2").expect("it is plain").schema, "shop_2");
    }
}
