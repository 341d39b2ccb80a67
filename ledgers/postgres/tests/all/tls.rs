//! Encryption: what is demanded is kept, and what can't be checked is refused.

use std::time::Duration;

use hapax_core::ledger::LedgerError;
use hapax_ledger_postgres::{Address, PostgresLedger};
use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use super::support::{PATIENT, cluster, fresh_schema, is_there, own_cluster};

/// An authority's certificate, and a server's by it for `localhost` with its key, all in PEM.
struct Certificates {
    authority: String,
    server: String,
    key: String,
}

fn certificates() -> Certificates {
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = params.self_signed(&key).expect("a certificate").pem();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().expect("a key");
    let server = CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
    let server = server.signed_by(&key, &issuer).expect("a certificate").pem();
    Certificates { authority, server, key: key.serialize_pem() }
}

async fn encrypting(certificates: &Certificates) -> Cluster {
    let cluster = own_cluster().await;
    cluster.give("server.crt", &certificates.server).expect("a file");
    cluster.give("server.key", &certificates.key).expect("a file");
    for sql in ["ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()"] {
        cluster.sql("postgres", sql).await.expect("SQL works");
    }
    while cluster.sql("postgres", "SHOW ssl").await.expect("SQL works") != "on" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    cluster
}

fn address(cluster: &Cluster, host: &str, parameters: &str, authority: Option<&str>) -> Address {
    let url = format!("postgres://{USER}@{host}:{}/postgres{parameters}", cluster.port());
    let address = Address::parse(&url.into()).expect("an address").password(&PASSWORD.to_owned().into());
    let address = address.schema(&fresh_schema()).expect("a name");
    match authority {
        Some(pem) => address.believing(pem.as_bytes()).expect("it is PEM"),
        None => address,
    }
}

async fn create(address: Address) -> Result<PostgresLedger, LedgerError> {
    let made = PostgresLedger::create(address, PATIENT).await;
    if let Err(error) = &made {
        assert!(!error.to_string().contains(PASSWORD) && !format!("{error:?}").contains(PASSWORD), "{error:?}");
    }
    made
}

/// How many of our connections are encrypted, and how many are not.
async fn encrypted(cluster: &Cluster) -> String {
    let sql = "SELECT count(*) FILTER (WHERE ssl), count(*) FILTER (WHERE NOT ssl) \
               FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'hapax'";
    cluster.sql("postgres", sql).await.expect("SQL works")
}

#[tokio::test]
async fn what_is_encrypted_is_checked_against_the_authority_and_the_name() {
    if !is_there("encryption") {
        return;
    }
    let (ours, others) = (certificates(), certificates());
    let cluster = encrypting(&ours).await;
    let authority = Some(ours.authority.as_str());
    // On this machine too, once an authority is named.
    for parameters in ["?sslmode=verify-full", "?sslmode=require", ""] {
        let ledger =
            create(address(&cluster, "localhost", parameters, authority)).await.expect("all is as it should be");
        let connections = encrypted(&cluster).await;
        assert!(connections.ends_with("|0") && connections != "0|0", "{parameters}: {connections}");
        drop(ledger);
        while encrypted(&cluster).await != "0|0" {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    for (what, host, authority) in [
        ("NotValidForName", "127.0.0.1", authority),
        ("UnknownIssuer", "localhost", Some(others.authority.as_str())),
        // The platform's authorities don't know it.
        ("UnknownIssuer", "localhost", None),
    ] {
        for mode in ["verify-full", "verify-ca", "require", "prefer"] {
            let refused = create(address(&cluster, host, &format!("?sslmode={mode}"), authority)).await;
            let told = refused.expect_err(what).to_string();
            assert!(told.contains("can't be reached (") && told.contains("ertificate"), "{what}, {mode}: {told}");
        }
    }
    // Nothing was asked for and nobody can check its certificate: on this machine that is nobody's business.
    create(address(&cluster, "localhost", "", None)).await.expect("plain, on this machine");
    create(address(&cluster, "localhost", "?sslmode=disable", authority)).await.expect("plain, as was said");
}

#[tokio::test]
async fn a_server_without_encryption_is_refused_unless_it_is_allowed() {
    if !is_there("a server without encryption") {
        return;
    }
    let certificates = certificates();
    let authority = Some(certificates.authority.as_str());
    let cluster = cluster().await;
    for (parameters, authority) in [("?sslmode=require", None), ("?sslmode=verify-full", authority), ("", authority)] {
        let told = create(address(cluster, "localhost", parameters, authority)).await.expect_err("plain").to_string();
        assert!(told.contains("can't be reached") && told.contains("TLS"), "{parameters}: {told}");
    }
    for parameters in ["", "?sslmode=disable", "?sslmode=prefer"] {
        create(address(cluster, "localhost", parameters, None)).await.expect(parameters);
    }
    let url = format!("postgres://{USER}@localhost:{}/postgres", cluster.port());
    let wrong = Address::parse(&url.into()).expect("an address").believing(b"no PEM").expect_err("it is no PEM");
    assert!(wrong.to_string().contains("certificates in PEM form"), "{wrong}");
}
