//! A database, or a pooler before it, that has hardly a connection left for the ledger, or none.

use std::sync::Arc;
use std::time::Duration;

use hapax_conformance::ledger::samples::{Draft, leased};
use hapax_core::ledger::{By, Ledger};
use hapax_ledger_postgres::{Address, Options, PostgresLedger};
use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER};
use tokio::task::JoinSet;
use tokio_postgres::{Client, NoTls};

use super::pooler::Pooler;
use super::support::{PATIENT, address, address_at, assert_sound, fresh_schema, is_there, pooler_is_there, shared};

/// More than are left.
const WANTED: Options = Options { writers: 3, readers: 3, ..PATIENT };

/// Callers at once.
const CALLERS: u32 = 60;

/// How many connections the database takes.
const MOST: i64 = 8;

async fn small_cluster() -> Cluster {
    let lines = format!("max_connections = {MOST}\nsuperuser_reserved_connections = 0\nmax_wal_senders = 0");
    Cluster::start_with(&lines).await.expect("a cluster can be made")
}

/// Connections of other programs, which keep the ledger's from being made.
struct Others<'a> {
    cluster: &'a Cluster,
    clients: Vec<Client>,
}

impl<'a> Others<'a> {
    /// One, beside so many of the ledger's: the server lets go of a connection a moment after its client.
    async fn beside(cluster: &'a Cluster, ours: i64) -> Self {
        let clients = vec![connect(cluster).await.expect("there is one left")];
        let others = Self { cluster, clients };
        others.wait_until(|connected| connected == ours + 1).await;
        others
    }

    /// Takes all that are left.
    async fn fill(&mut self) {
        while let Ok(one) = connect(self.cluster).await {
            self.clients.push(one);
        }
        self.wait_until(|connected| connected == MOST).await;
    }

    /// Only so many stay.
    async fn stay(&mut self, stay: usize) {
        let go = self.clients.len() as i64 - stay as i64;
        self.clients.truncate(stay);
        self.wait_until(|connected| connected <= MOST - go).await;
    }

    async fn wait_until(&self, is_so: impl Fn(i64) -> bool) {
        while !is_so(self.connected().await) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn connected(&self) -> i64 {
        let count = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'";
        self.clients[0].query_one(count, &[]).await.expect("it can be asked").get(0)
    }
}

async fn connect(cluster: &Cluster) -> Result<Client, tokio_postgres::Error> {
    let mut config = tokio_postgres::Config::new();
    config.host("127.0.0.1").port(cluster.port()).user(USER).password(PASSWORD).dbname("postgres");
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Callers who each begin an operation, read it, and write to it once more.
async fn work(ledger: &Arc<PostgresLedger>, round: &str) {
    let mut callers = JoinSet::new();
    for number in 0..CALLERS {
        let (ledger, key) = (Arc::clone(ledger), format!("{round}:{number}"));
        callers.spawn(async move {
            let draft = Draft::new(&key);
            // Those who read come first, so that they would have all that are left.
            ledger.header().await.expect("there is a connection that reads");
            draft.begin(&shared(&ledger)).await.expect("there is a connection that writes");
            let stored = ledger.load(By::Id(draft.id)).await.expect("there is a connection that reads");
            assert_eq!(stored.map(|stored| stored.records.len()), Some(3));
            ledger.append(draft.append(3, [leased()])).await.expect("there is a connection that writes");
        });
    }
    callers.join_all().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_connections_are_enough_and_more_are_used_when_they_are_there() {
    if !is_there("a database with hardly a connection left") {
        return;
    }
    let cluster = small_cluster().await;
    let address = address(&cluster, &fresh_schema());
    drop(PostgresLedger::create(address.clone(), PATIENT).await.expect("it can be made"));
    let mut others = Others::beside(&cluster, 0).await;
    others.fill().await;
    others.stay(6).await;
    let ledger = Arc::new(PostgresLedger::open(address, WANTED).await.expect("there is one left"));
    work(&ledger, "few").await;
    assert_eq!(others.connected().await, MOST, "one that reads, one that writes, and those of others");
    // With room again it comes to what it wants: three that write and three that read.
    others.stay(1).await;
    let mut round = 0;
    while others.connected().await < 7 {
        round += 1;
        work(&ledger, &format!("more:{round}")).await;
    }
    assert_eq!(assert_sound(&ledger).await, u64::from(CALLERS) * (round + 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_lost_to_others_is_shared_with_those_that_are_left() {
    if !is_there("connections that are lost to others") {
        return;
    }
    let cluster = small_cluster().await;
    let made = PostgresLedger::create(address(&cluster, &fresh_schema()), WANTED).await;
    let ledger = Arc::new(made.expect("it can be made"));
    let mut others = Others::beside(&cluster, 1).await;
    let mut rounds = 0;
    while others.connected().await < 7 {
        rounds += 1;
        work(&ledger, &format!("before:{rounds}")).await;
    }
    // Somebody ends all but two of ours, one of each kind, and others take their places.
    for kind in ["=", "<>"] {
        let end = format!(
            "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity \
             WHERE application_name = 'hapax' AND query {kind} 'COMMIT' OFFSET 1) AS ours"
        );
        others.clients[0].query(&end, &[]).await.expect("they can be ended");
    }
    others.wait_until(|connected| connected == 3).await;
    others.fill().await;
    work(&ledger, "after").await;
    assert_eq!(others.clients.len() as i64, MOST - 2, "it went on with two");
    drop(others);
    assert_eq!(assert_sound(&ledger).await, u64::from(CALLERS) * (rounds + 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_any_connection_nothing_is_written_and_that_is_said() {
    if !is_there("a database without a connection left") {
        return;
    }
    let cluster = small_cluster().await;
    let hasty = Options { patience: Duration::from_millis(300), ..WANTED };
    let address = address(&cluster, &fresh_schema());
    // It has one that reads and none that writes yet.
    let ledger = Arc::new(PostgresLedger::create(address.clone(), hasty).await.expect("it can be made"));
    let mut others = Others::beside(&cluster, 1).await;
    others.fill().await;
    let mut callers = JoinSet::new();
    for number in 0..CALLERS {
        let ledger = Arc::clone(&ledger);
        callers.spawn(async move { Draft::new(&format!("crowded:{number}")).begin(&shared(&ledger)).await });
    }
    for refused in callers.join_all().await {
        says_crowded(&refused.expect_err("nobody can write").to_string());
    }
    says_crowded(&PostgresLedger::open(address, hasty).await.expect_err("there is none").to_string());
    drop(others);
    work(&ledger, "after").await;
    assert_eq!(assert_sound(&ledger).await, u64::from(CALLERS), "nothing was written of what was refused");
}

fn says_crowded(told: &str) {
    assert!(told.contains("has no connection left") && told.contains("max_"), "{told}");
}

/// A pooler whose pool is used up lets everybody in and then says nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_in_session_mode_with_two_connections_is_enough() {
    if !pooler_is_there("a full pool in session mode") {
        return;
    }
    let cluster = small_cluster().await;
    let address = address(&cluster, &fresh_schema());
    drop(PostgresLedger::create(address.clone(), PATIENT).await.expect("it can be made"));
    let pooler = Pooler::start(&cluster, "session", 2).expect("a pooler");
    let schema = address_of(&address, &pooler);
    let ledger = Arc::new(PostgresLedger::open(schema, WANTED).await.expect("there are two"));
    work(&ledger, "few").await;
    // Looking through all of it takes one more, so past the pooler.
    drop(ledger);
    let ledger = PostgresLedger::open(address, PATIENT).await.expect("it can be opened");
    assert_eq!(assert_sound(&ledger).await, u64::from(CALLERS));
}

fn address_of(address: &Address, pooler: &Pooler) -> Address {
    let shown = address.to_string();
    let schema = shown.rsplit_once("(schema ").expect("it is shown").1.trim_end_matches(')').to_owned();
    address_at(pooler.port(), &schema)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_takes_two_clients_is_enough() {
    if !pooler_is_there("a pooler that takes few clients") {
        return;
    }
    let cluster = small_cluster().await;
    let address = address(&cluster, &fresh_schema());
    drop(PostgresLedger::create(address.clone(), PATIENT).await.expect("it can be made"));
    let pooler = Pooler::start_with(&cluster, "transaction", 2, 2).expect("a pooler");
    let ledger = Arc::new(PostgresLedger::open(address_of(&address, &pooler), WANTED).await.expect("it takes two"));
    work(&ledger, "few").await;
    let third = PostgresLedger::open(address_of(&address, &pooler), PATIENT).await.expect_err("it takes two");
    says_crowded(&third.to_string());
    let ledger = PostgresLedger::open(address, PATIENT).await.expect("past the pooler");
    assert_eq!(assert_sound(&ledger).await, u64::from(CALLERS));
}
