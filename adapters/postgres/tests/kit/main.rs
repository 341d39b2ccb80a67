//! Hands the cell to the conformance kit, with a real PostgreSQL as its provider.

mod cell;

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Invariant, Kit, Site, Subject, say};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::third_party::postgres::{self, Cluster};
use hapax_standin::{Effect, Server, World};

struct Postgres {
    cluster: Cluster,
    version: String,
    databases: AtomicU64,
}

/// A database that each run's own is copied from.
const MADE: &str = "made";

/// A planted bug of the server's: it forgets the row in the moment of the commit.
const FORGETS: &str = "CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN \
     DELETE FROM public.hapax_done; \
     RETURN NULL; END $$; \
     CREATE CONSTRAINT TRIGGER forget AFTER INSERT ON entry DEFERRABLE INITIALLY DEFERRED \
     FOR EACH ROW EXECUTE FUNCTION forget()";

impl Postgres {
    async fn start() -> Self {
        // Nothing here switches the machine off, so nobody waits for disks.
        let settings = "fsync = off\ntrack_commit_timestamp = on\nmax_connections = 400\nautovacuum = off";
        let cluster = Cluster::start_with(settings).await.expect("a cluster");
        let version = cluster.sql("postgres", "SHOW server_version").await.expect("a version");
        let version = version.split(' ').next().unwrap_or_default().to_owned();
        for sql in [
            "CREATE ROLE app LOGIN PASSWORD 'first-password-of-the-kit'",
            "CREATE ROLE other LOGIN PASSWORD 'second-password-of-the-kit'",
            "CREATE DATABASE made",
        ] {
            cluster.sql("postgres", sql).await.expect("SQL that works");
        }
        cluster.sql(MADE, hapax_postgres::SET_UP).await.expect("the table");
        let entry = "CREATE TABLE entry (word text NOT NULL, amount int); \
             GRANT SELECT, INSERT (key, fingerprint), UPDATE (receipt) ON hapax_done TO app, other; \
             CREATE TABLE late (word text UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO late VALUES ('taken'); \
             GRANT SELECT, INSERT ON entry, late TO app, other";
        cluster.sql(MADE, entry).await.expect("the user's own table");
        Self { cluster, version, databases: AtomicU64::new(0) }
    }
}

fn role(name: &str, password: &str) -> Credentials {
    Credentials::none().with("user", name.into()).with("password", password.into())
}

#[async_trait]
impl Subject for Postgres {
    fn integration(&self) -> SharedIntegration {
        hapax_postgres::integration()
    }

    fn credentials(&self) -> Credentials {
        role("app", "first-password-of-the-kit")
    }

    fn rotated(&self) -> Credentials {
        role("other", "second-password-of-the-kit")
    }

    fn met(&self) -> Vec<String> {
        let cells = self.integration().cells();
        let needs = cells.iter().flat_map(|cell| cell.spec().published().1);
        needs.map(|need| need.words().to_owned()).collect()
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        let database = format!("d{}", self.databases.fetch_add(1, Ordering::SeqCst));
        self.cluster.sql("postgres", &format!("CREATE DATABASE {database} TEMPLATE {MADE}")).await?;
        let address = ([127, 0, 0, 1], self.cluster.port()).into();
        Ok(Server::elsewhere(address, self.cluster.url(&database), world))
    }

    fn server(&self) -> Option<String> {
        Some(format!("PostgreSQL {}", self.version))
    }

    /// Rows of the user's table, each with the key of the row that its own transaction put beside it.
    fn records(&self, site: &Site) -> Result<Vec<(Effect, i64)>, String> {
        const ASK: &str = "SELECT coalesce(d.key, ''), \
             floor(extract(epoch FROM pg_xact_commit_timestamp(e.xmin)) * 1000000)::bigint, e.word \
             FROM entry e LEFT JOIN hapax_done d ON d.xmin = e.xmin";
        let url = site.url.split('?').next().unwrap_or_default();
        let mut asking = Command::new("psql");
        asking.args(["-X", "-q", "-A", "-t", "-U", postgres::USER, "-d", url, "-c", ASK]).stdin(Stdio::null());
        let said = asking.env("PGPASSWORD", postgres::PASSWORD).output().map_err(|error| error.to_string())?;
        if !said.status.success() {
            return Err(String::from_utf8_lossy(&said.stderr).into_owned());
        }
        String::from_utf8_lossy(&said.stdout).lines().map(|line| effect(line).ok_or_else(|| line.to_owned())).collect()
    }

    fn unreached(&self) -> Vec<(&'static str, &'static str)> {
        cell::UNREACHED.to_vec()
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        cell::HIDDEN.to_vec()
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![Arc::new(cell::Execute)]
    }
}

fn effect(line: &str) -> Option<(Effect, i64)> {
    let mut fields = line.splitn(3, '|');
    let (key, real_us, word) = (fields.next()?, fields.next()?.parse().ok()?, fields.next()?);
    let metadata = [("word".to_owned(), word.to_owned())].into();
    Some((Effect { kind: "entry".to_owned(), object: key.to_owned(), metadata, ..Effect::default() }, real_us))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    if !postgres::available() {
        say(b"skipped: PostgreSQL is not installed here, and there is no stand-in for it\n");
        return;
    }
    let postgres = Arc::new(Postgres::start().await);
    hapax_conformance::prove(postgres.clone(), env!("CARGO_MANIFEST_DIR")).await;
    a_server_that_forgets_is_found_out(postgres).await;
}

/// Effects are counted in the user's own table, so a row that doesn't hold must show there.
async fn a_server_that_forgets_is_found_out(postgres: Arc<Postgres>) {
    let unguarded = "ALTER TABLE hapax_done DISABLE TRIGGER USER";
    for sql in [unguarded, FORGETS] {
        postgres.cluster.sql(MADE, sql).await.expect("SQL that works");
    }
    let report = Kit::whole(postgres).faults(&["answer-lost", "killed-after-send"]).play().await;
    let seen = report.violations();
    assert!(seen.iter().any(|(_, one)| one.invariant == Invariant::OneEffect), "two effects went unseen: {seen:?}");
}
