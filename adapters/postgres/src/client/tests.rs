use hapax_core::cell::{Connection, Credentials};
use hapax_core::identity::NamespaceSecret;
use hapax_core::testing::{Desk, Script, word};
use hapax_standin::third_party::postgres::{self, Cluster};

use crate::facts::{DURABLE, TABLE};
use crate::testing::{PASSWORD, connection, insert, place};

fn desk_of(connection: Connection) -> Desk {
    Desk::new(connection, "postgres.execute", Script::of([]))
}

#[tokio::test]
async fn client_wrong_password_is_not_done() {
    let Some(place) = place().await else { return };
    let desk = desk_of(connection(&place.proxy.url(), "wrong-secret"));
    let answer = desk.attempt(&insert("a")).await;
    assert_eq!(word(&answer), "not done", "{answer:?}");
    assert!(format!("{answer:?}").contains("28P01"), "{answer:?}");
    assert!(desk.find(&insert("a")).await.is_err());
    assert_eq!(word(&place.desk().attempt(&insert("a")).await), "happened");
}

#[tokio::test]
async fn client_password_is_in_no_text() {
    let Some(place) = place().await else { return };
    let url = place.proxy.url();
    let desk = desk_of(connection(&url, "wrong-secret"));
    let texts = [
        format!("{:?}", desk.wire().connection()),
        format!("{:?}", desk.attempt(&insert("a")).await),
        format!("{:?}", desk.find(&insert("a")).await),
        format!("{:?}", desk.wire().connection().integration.whoami(desk.wire()).await),
    ];
    for text in texts {
        assert!(!text.contains("wrong-secret"), "{text}");
    }
}

#[tokio::test]
async fn client_whoami_names_role_database_and_version() {
    let Some(place) = place().await else { return };
    let desk = place.desk();
    let said = desk.wire().connection().integration.whoami(desk.wire()).await.expect("an answer");
    assert!(said.starts_with(&format!("role app in database {}, PostgreSQL ", place.database)), "{said}");
}

#[tokio::test]
async fn client_probe_sees_the_table_and_its_guard() {
    let Some(place) = place().await else { return };
    let desk = place.desk();
    let probe = async |need| desk.wire().connection().integration.probe(desk.wire(), need).await;
    assert_eq!((probe(TABLE).await, probe(DURABLE).await), (Ok(Some(true)), Ok(Some(true))));
    for (breaks, mends) in [
        ("DISABLE TRIGGER hapax_done_keep", "ENABLE TRIGGER hapax_done_keep"),
        ("DISABLE TRIGGER hapax_done_keep_all", "ENABLE TRIGGER hapax_done_keep_all"),
        ("ENABLE ROW LEVEL SECURITY", "DISABLE ROW LEVEL SECURITY"),
        ("SET UNLOGGED", "SET LOGGED"),
        ("DROP CONSTRAINT hapax_done_pkey", "ADD PRIMARY KEY (key)"),
    ] {
        place.sql(&format!("ALTER TABLE hapax_done {breaks}")).await;
        assert_eq!(probe(TABLE).await, Ok(Some(false)), "{breaks}");
        place.sql(&format!("ALTER TABLE hapax_done {mends}")).await;
        assert_eq!(probe(TABLE).await, Ok(Some(true)), "{mends}");
    }
    place.sql("DROP TABLE hapax_done").await;
    assert_eq!(probe(TABLE).await, Ok(Some(false)));
    let other = hapax_core::capability::Need::Setting("another need");
    assert_eq!(probe(other).await, Ok(None));
}

#[test]
fn client_scope_holds_host_port_and_database() {
    let secret = NamespaceSecret::parse(&"5e".repeat(32)).expect("a secret");
    let scope = |url: &str| connection(url, "p").account("main").scope(&secret, false);
    let one = scope("postgres://db.example:5432/a");
    assert_ne!(one, scope("postgres://db.example:5432/b"));
    assert_ne!(one, scope("postgres://other.example:5432/a"));
    assert_ne!(one, scope("postgres://db.example:5433/a"));
    assert_eq!(one, scope("postgres://db.example:5432/a?sslmode=disable"));
}

/// A cluster that encrypts with a certificate for `localhost`, and the authority's certificate.
async fn encrypting() -> (Cluster, String) {
    let cluster = Cluster::start().await.expect("a cluster");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    cluster.sql("postgres", &format!("CREATE ROLE app LOGIN PASSWORD '{PASSWORD}'")).await.expect("a role");
    cluster.sql("postgres", crate::SET_UP).await.expect("the table");
    cluster.give("server.crt", &made.cert.pem()).expect("a file");
    cluster.give("server.key", &made.signing_key.serialize_pem()).expect("a file");
    cluster.sql("postgres", "ALTER SYSTEM SET ssl = on").await.expect("a setting");
    cluster
        .sql(
            "postgres",
            "GRANT ALL ON hapax_done TO app; CREATE TABLE entry (word text, amount int); GRANT ALL ON entry TO app",
        )
        .await
        .expect("a table");
    cluster.crash().await.expect("it comes back");
    (cluster, made.cert.pem())
}

fn with_authority(url: &str, pem: Option<&str>) -> Desk {
    let credentials = Credentials::none().with("user", "app".into()).with("password", PASSWORD.into());
    let credentials = match pem {
        Some(pem) => credentials.with("ca", pem.into()),
        None => credentials,
    };
    desk_of(
        Connection::new("db", crate::integration(), credentials).expect("a connection").at(url).expect("an address"),
    )
}

#[tokio::test]
async fn client_encrypted_connection_works() {
    if !postgres::available() {
        return;
    }
    let (cluster, pem) = encrypting().await;
    let desk = with_authority(&format!("postgres://localhost:{}/postgres", cluster.port()), Some(&pem));
    let answer = desk.attempt(&insert("a")).await;
    assert_eq!(word(&answer), "happened", "{answer:?}");
    assert!(matches!(desk.find(&insert("a")).await, Ok(hapax_core::words::Finding::Happened(_))));
}

#[tokio::test]
async fn client_encryption_is_demanded() {
    let Some(place) = place().await else { return };
    // This server doesn't encrypt.
    let plain = format!("postgres://localhost:{}/{}", place.cluster.port(), place.database);
    let answer = with_authority(&plain, None).attempt(&insert("a")).await;
    assert_eq!(word(&answer), "not done", "{answer:?}");
    // This one does, and nobody vouches for it; or under another name.
    let (cluster, pem) = encrypting().await;
    let url = format!("postgres://localhost:{}/postgres", cluster.port());
    assert_eq!(word(&with_authority(&url, None).attempt(&insert("a")).await), "not done");
    let other = url.replace("localhost", "127.0.0.1");
    assert_eq!(word(&with_authority(&other, Some(&pem)).attempt(&insert("a")).await), "not done");
    assert!(with_authority(&url, Some("no PEM")).find(&insert("a")).await.is_err());
    assert_eq!(cluster.sql("postgres", "SELECT count(*) FROM hapax_done").await.expect("a number"), "0");
}

#[test]
fn the_readme_has_the_sql_that_the_tests_run() {
    assert!(include_str!("../../README.md").contains(crate::SET_UP.trim_end()));
}
