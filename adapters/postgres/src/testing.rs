//! A real PostgreSQL for unit tests, with a database for each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hapax_core::cell::{Connection, Credentials};
use hapax_core::protocol::Receipt;
use hapax_core::testing::{Desk, Script};
use hapax_core::words::Answer;
use hapax_standin::third_party::postgres::{self, Cluster};
use hapax_standin::{Fault, FaultProxy, Handle, When};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::{Execute, Statement};

pub(crate) const PASSWORD: &str = "apps-own-password";

/// A proxy, and the places at which it is broken here.
pub(crate) struct Proxy(FaultProxy);

/// Where and how.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WireFault {
    /// Before the server has the n-th group of messages from now.
    CutBefore(u32),
    /// After the server has answered it.
    CutAfter(u32),
    LoseCommit,
    CutCommit,
    LoseAnswer,
    CutAnswer(usize),
    HoldCommit,
    HoldAnswer,
    Swallow,
}

impl Proxy {
    pub(crate) async fn before(url: &str) -> Self {
        Self(FaultProxy::start(url).await.expect("a proxy"))
    }

    pub(crate) fn url(&self) -> String {
        self.0.url()
    }

    pub(crate) fn inject(&self, fault: WireFault) -> Handle {
        let commit = When::on("SQL", "/COMMIT");
        let (when, fault) = match fault {
            WireFault::CutBefore(nth) => (When::next().nth(nth), Fault::LoseRequest),
            WireFault::CutAfter(nth) => (When::next().nth(nth), Fault::CutAfterCommit),
            WireFault::LoseCommit => (commit, Fault::LoseRequest),
            WireFault::CutCommit => (commit, Fault::CutMidBody),
            WireFault::LoseAnswer => (commit, Fault::CutAfterCommit),
            WireFault::CutAnswer(body_bytes) => (commit, Fault::TruncateReply { body_bytes }),
            WireFault::HoldCommit => (commit, Fault::DelayRequest),
            WireFault::HoldAnswer => (commit, Fault::DelayReply),
            WireFault::Swallow => (commit, Fault::BlackHole),
        };
        self.0.inject(when, fault)
    }

    pub(crate) fn clear(&self) {
        self.0.clear();
    }

    /// How many `COMMIT`s came.
    pub(crate) fn commits(&self) -> usize {
        self.0.count("SQL", "/COMMIT")
    }
}

/// One database of the cluster, with a proxy in front of it.
pub(crate) struct Place {
    pub(crate) cluster: &'static Cluster,
    pub(crate) proxy: Proxy,
    pub(crate) database: String,
}

/// A database with the table of finished operations and one of the user's; none where PostgreSQL
/// isn't installed.
pub(crate) async fn place() -> Option<Place> {
    static CLUSTER: OnceCell<Cluster> = OnceCell::const_new();
    static NEXT: AtomicU32 = AtomicU32::new(0);
    if !postgres::available() {
        hapax_conformance::kit::say(b"skipped: PostgreSQL is not installed here\n");
        return None;
    }
    let cluster = CLUSTER.get_or_init(async || {
        let cluster = Cluster::start_with("deadlock_timeout = 100ms").await.expect("a cluster");
        let role = format!("CREATE ROLE app LOGIN PASSWORD '{PASSWORD}'");
        cluster.sql("postgres", &role).await.expect("a role");
        cluster
    });
    let cluster = cluster.await;
    let database = format!("d{}", NEXT.fetch_add(1, Ordering::SeqCst));
    cluster.sql("postgres", &format!("CREATE DATABASE {database}")).await.expect("a database");
    let place = Place { cluster, proxy: Proxy::before(&cluster.url(&database)).await, database };
    place.sql(crate::SET_UP).await;
    place
        .sql(
            "GRANT SELECT, INSERT (key, fingerprint), UPDATE (receipt), DELETE ON public.hapax_done TO app;
             CREATE TABLE entry (
                 id bigint GENERATED ALWAYS AS IDENTITY,
                 word text NOT NULL UNIQUE DEFERRABLE INITIALLY IMMEDIATE,
                 amount int CHECK (amount >= 0)
             );
             CREATE TABLE late (word text UNIQUE DEFERRABLE INITIALLY DEFERRED);
             GRANT ALL ON entry, late TO app;",
        )
        .await;
    Some(place)
}

impl Place {
    pub(crate) async fn sql(&self, sql: &str) -> String {
        self.cluster.sql(&self.database, sql).await.expect("SQL that works")
    }

    /// How many rows the user's table has.
    pub(crate) async fn entries(&self) -> u32 {
        self.sql("SELECT count(*) FROM entry").await.parse().expect("a number")
    }

    /// A desk whose connection goes through the proxy.
    pub(crate) fn desk(&self) -> Desk {
        self.desk_at(&self.proxy.url())
    }

    pub(crate) fn desk_at(&self, url: &str) -> Desk {
        Desk::new(connection(url, PASSWORD), "postgres.execute", Script::of([]))
    }

    /// An attempt that meets a fault.
    pub(crate) async fn broken(&self, fault: WireFault, args: &Execute) -> Answer<Receipt> {
        let met = self.proxy.inject(fault);
        let answer = self.desk().attempt(args).await;
        assert_eq!(met.times_reached(), 1, "{fault:?} was not met");
        answer
    }

    /// Waits until this SQL says so.
    pub(crate) async fn until(&self, sql: &str, says: &str) {
        for _ in 0..200 {
            if self.sql(sql).await == says {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        }
        panic!("{sql} never says {says}");
    }
}

pub(crate) fn connection(url: &str, password: &str) -> Connection {
    let credentials = Credentials::none().with("user", "app".into()).with("password", password.into());
    Connection::new("db", crate::integration(), credentials).expect("a connection").at(url).expect("an address")
}

/// Inserts one row.
pub(crate) fn insert(word: &str) -> Execute {
    let sql = "INSERT INTO entry (word, amount) VALUES ($1, $2) RETURNING word, amount";
    Execute::new([Statement::new(sql, [json!(word), json!(7)])])
}

pub(crate) fn one(sql: &str, params: impl IntoIterator<Item = Value>) -> Execute {
    Execute::new([Statement::new(sql, params)])
}

/// A desk for arguments alone.
pub(crate) fn nowhere() -> Desk {
    Desk::new(connection("postgres://127.0.0.1:1/none?sslmode=disable", PASSWORD), "postgres.execute", Script::of([]))
}

/// The same on another clock.
pub(crate) fn desk_by(clock: Arc<dyn hapax_core::clock::Clock>, url: &str) -> Desk {
    Desk::by(clock, connection(url, PASSWORD).stand_in(), "postgres.execute", Script::of([]))
}
