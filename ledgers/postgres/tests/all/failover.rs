//! A primary that is lost and a replica that takes over: one that lags is a restored ledger, a synchronous one goes on.
//! Through an address of two hosts, and through a pooler that is told of the new one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapax_conformance::ledger::samples::{Draft, leased};
use hapax_core::ledger::{Ledger, LedgerError, OperationId};
use hapax_core::protocol::Stamp;
use hapax_ledger_postgres::{Address, Options, PostgresLedger};
use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER};

use super::crash::grow;
use super::pooler::Pooler;
use super::replica::{NAME, Replica, kill_server};
use super::support::{PATIENT, address_at, assert_sound, cluster, fresh, is_there, pooler_is_there, revision, shared};

/// A primary, its replica, and one way to both.
struct Pair {
    primary: Cluster,
    replica: Replica,
    pooler: Option<Pooler>,
}

impl Pair {
    async fn start(with_pooler: bool) -> Self {
        // Nobody cuts the power here, and a replica that asks seldom takes over late.
        let quick = "fsync = off\nwal_retrieve_retry_interval = '100ms'";
        let primary = Cluster::start_with(quick).await.expect("a cluster can be made");
        let replica = Replica::of(&primary).await.expect("a replica");
        let pooler = with_pooler.then(|| Pooler::start(&primary, "transaction", 4).expect("a pooler"));
        Self { primary, replica, pooler }
    }

    /// As [`Pair::start`], and what is confirmed is on the replica.
    async fn synchronous(with_pooler: bool) -> Self {
        let pair = Self::start(with_pooler).await;
        let sql = async |sql: &str| pair.primary.sql("postgres", sql).await.expect("SQL works");
        sql(&format!("ALTER SYSTEM SET synchronous_standby_names = '{NAME}'")).await;
        sql("SELECT pg_reload_conf()").await;
        while sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'").await != "1" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        pair
    }

    fn address(&self) -> Address {
        match &self.pooler {
            Some(pooler) => address_at(pooler.port(), "hapax"),
            None => hosts([self.primary.port(), self.replica.port()]),
        }
    }

    async fn create(&self, options: Options) -> Arc<PostgresLedger> {
        Arc::new(PostgresLedger::create(self.address(), options).await.expect("it can be made"))
    }

    /// The host of the primary is lost, and the replica takes over.
    fn fail_over(&self) {
        kill_server(&self.primary).expect("it can be killed");
        self.replica.promote().expect("it takes over");
        if let Some(pooler) = &self.pooler {
            pooler.leads_to(self.replica.port()).expect("it is told");
        }
    }
}

fn hosts([first, second]: [u16; 2]) -> Address {
    let url = format!("postgres://{USER}@127.0.0.1:{first},127.0.0.1:{second}/postgres?sslmode=disable");
    let address = Address::parse(&url.into()).expect("it is an address");
    address.password(&PASSWORD.to_owned().into())
}

fn is_told(error: &LedgerError, says: &str) -> bool {
    let told = error.to_string();
    assert!(!told.contains(PASSWORD), "{told}");
    told.contains(says)
}

async fn a_replica_that_lags(with_pooler: bool) {
    let pair = Pair::start(with_pooler).await;
    let at_work = pair.create(PATIENT).await;
    let known = Draft::new("known");
    known.begin(&shared(&at_work)).await.expect("it works");
    pair.replica.catches_up(&pair.primary).await.expect("it follows");
    pair.replica.cut().await.expect("it can be cut off");
    let forgotten = Draft::new("forgotten");
    forgotten.begin(&shared(&at_work)).await.expect("it is confirmed");
    at_work.append(known.append(3, [leased()])).await.expect("it is confirmed");
    pair.fail_over();
    // Who was at work is refused, and so is who comes.
    let refused = at_work.append(forgotten.append(3, [leased()])).await.expect_err("it may have been forgotten");
    assert!(is_told(&refused, "last used on another timeline"), "{refused}");
    let refused = PostgresLedger::open(pair.address(), PATIENT).await.expect_err("it may have been forgotten");
    assert!(is_told(&refused, "hapax ledger restored"), "{refused}");
    let noting = PostgresLedger::open_restored(pair.address(), PATIENT).await.expect("on purpose");
    noting.note_restored(Stamp::scripted(7), "check").await.expect("it can be noted");
    // Nobody comes in before each operation was told, which those who note it do next.
    let early = at_work.append(known.append(3, [leased()])).await.expect_err("it isn't at home yet");
    assert!(is_told(&early, "last used on another timeline"), "{early}");
    noting.settle_down().await.expect("it can be noted");
    let again = Arc::new(PostgresLedger::open(pair.address(), PATIENT).await.expect("it is at home"));
    assert_eq!(again.header().await.expect("it is there").restored, Some(Stamp::scripted(7)));
    assert_eq!((revision(&again, known.id).await, revision(&again, forgotten.id).await), (Some(3), None));
    again.append(known.append(3, [leased()])).await.expect("it goes on");
    // Nothing was written by those who were refused.
    assert_eq!(assert_sound(&again).await, 1);
    if !with_pooler {
        the_old_primary_comes_back(&pair, &again).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_lags_is_a_restored_ledger_at_an_address_of_two_hosts() {
    if is_there("a replica that takes over") {
        a_replica_that_lags(false).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_lags_is_a_restored_ledger_behind_a_pooler() {
    if pooler_is_there("a replica that takes over behind a pooler") {
        a_replica_that_lags(true).await;
    }
}

const LOSSLESS: Options = Options { lossless_failover: true, ..PATIENT };

async fn a_synchronous_replica(with_pooler: bool) {
    let pair = Pair::synchronous(with_pooler).await;
    let ledger = pair.create(LOSSLESS).await;
    // Its connections lie idle while the primary is lost, and nobody else notes that its replica took over.
    let own = pair.address().schema("idle").expect("it is a name");
    let idle = Arc::new(PostgresLedger::create(own.clone(), LOSSLESS).await.expect("it can be made"));
    let draft = Draft::new("idle");
    draft.begin(&shared(&idle)).await.expect("it works");
    let told = Arc::new(Mutex::new(HashMap::<OperationId, usize>::new()));
    let note = {
        let told = Arc::clone(&told);
        move |id, revision: u64| {
            let revision = usize::try_from(revision).expect("it is small");
            told.lock().expect("nobody panicked").insert(id, revision);
        }
    };
    let growing = tokio::spawn(grow(shared(&ledger), 16, note));
    let confirmed = || told.lock().expect("nobody panicked").len();
    let more = async |count: usize| {
        let so_far = confirmed();
        while confirmed() < so_far + count {
            assert!(!growing.is_finished(), "a caller was given an error though the replica took over");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    more(40).await;
    tokio::task::block_in_place(|| pair.fail_over());
    more(40).await;
    idle.append(draft.append(3, [leased()])).await.expect("it goes on without a word");
    growing.abort();
    let confirmed = told.lock().expect("nobody panicked").clone();
    for (id, revision) in &confirmed {
        let held = self::revision(&ledger, *id).await;
        assert!(held >= Some(*revision), "{id} was confirmed at {revision} and is at {held:?}");
    }
    assert!(assert_sound(&ledger).await >= confirmed.len() as u64);
    assert_eq!(ledger.header().await.expect("it is there").restored, None);
    for address in [pair.address(), own] {
        PostgresLedger::open(address, PATIENT).await.expect("the new timeline was noted");
    }
    if !with_pooler {
        the_old_primary_comes_back(&pair, &ledger).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_replica_takes_over_without_a_word_at_an_address_of_two_hosts() {
    if is_there("a synchronous replica that takes over") {
        a_synchronous_replica(false).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_replica_takes_over_without_a_word_behind_a_pooler() {
    if pooler_is_there("a synchronous replica that takes over behind a pooler") {
        a_synchronous_replica(true).await;
    }
}

/// The old primary comes back alone, and takes writes as if nothing had been. It is the first host of the address.
async fn the_old_primary_comes_back(pair: &Pair, at_work: &Arc<PostgresLedger>) {
    let sql = async |sql: &str| pair.primary.sql("postgres", sql).await.expect("SQL works");
    pair.primary.go_on().await.expect("it comes back");
    sql("ALTER SYSTEM RESET synchronous_standby_names").await;
    sql("SELECT pg_reload_conf()").await;
    // A server that crashed leaves numbers out, so they tell nothing.
    sql("SELECT setval('hapax.events_sequence', 1000000)").await;
    let ours = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'hapax'";
    pair.replica.sql(ours).expect("SQL works");
    let refused = Draft::new("after").begin(&shared(at_work)).await.expect_err("it went back");
    assert!(is_told(&refused, "went back to an earlier state"), "{refused}");
    let refused = at_work.header().await.expect_err("it went back");
    assert!(is_told(&refused, "went back to an earlier state"), "{refused}");
    // Who comes sees by the other host that this one was left behind, and must not note a restore here either.
    let refused = PostgresLedger::open(pair.address(), LOSSLESS).await.expect_err("left behind");
    assert!(is_told(&refused, "was left behind"), "{refused}");
    PostgresLedger::open_restored(pair.address(), PATIENT).await.expect_err("left behind");
    // By itself, nothing tells it from a server that was started again.
    let alone = address_at(pair.primary.port(), "hapax");
    PostgresLedger::open(alone, PATIENT).await.expect("what the guide says has become wrong");
}

/// How long anything may take here before a test gives up. Nothing is judged by it.
const LONG: Duration = Duration::from_secs(60);

/// The process that waits for the replica, which must come to be another one than this.
async fn waits_for_the_replica(pair: &Pair, without: &str) -> String {
    let waiting = format!("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> {without}");
    let look = async {
        loop {
            let found = pair.primary.sql("postgres", &waiting).await.expect("SQL works");
            if !found.is_empty() {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LONG, look).await.expect("nobody waits for the replica")
}

/// PostgreSQL says that a transaction is committed, with a warning, where somebody ended its wait for the replica.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_on_the_synchronous_replica_is_not_confirmed() {
    if !is_there("a wait for a synchronous replica that is ended") {
        return;
    }
    let pair = Pair::synchronous(false).await;
    let ledger = pair.create(LOSSLESS).await;
    let draft = Draft::new("order:1");
    draft.begin(&shared(&ledger)).await.expect("it works");
    let from = pair.replica.cut().await.expect("it can be cut off");
    let append = {
        let (ledger, append) = (Arc::clone(&ledger), draft.append(3, [leased()]));
        tokio::spawn(async move { ledger.append(append).await })
    };
    let first = waits_for_the_replica(&pair, "0").await;
    let cancel = format!("SELECT pg_cancel_backend({first})");
    pair.primary.sql("postgres", &cancel).await.expect("SQL works");
    // Now it is settled by reading, and what was read waits for the replica as well.
    waits_for_the_replica(&pair, &first).await;
    assert!(!append.is_finished(), "{:?} though the replica has nothing", append.await);
    pair.replica.follows(&from).expect("it is told");
    append.await.expect("no panic").expect("it is on both");
    assert_eq!(ledger.counters().settled, 1);
    pair.replica.catches_up(&pair.primary).await.expect("it follows");
    assert_eq!(pair.replica.sql("SELECT revision FROM hapax.operations").expect("SQL works"), "4");
}

/// The host of the primary is lost with its network: nobody says that it is gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_says_nothing_does_not_keep_the_others_from_being_used() {
    if !is_there("a host that says nothing") {
        return;
    }
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = silent.local_addr().expect("it is bound").port();
    let (_, schema) = fresh().await;
    let address = hosts([port, cluster().await.port()]).schema(&schema).expect("it is a name");
    let all = async {
        let ledger = Arc::new(PostgresLedger::open(address, Options::default()).await.expect("the other one is there"));
        Draft::new("order:1").begin(&shared(&ledger)).await.expect("it works");
    };
    tokio::time::timeout(LONG, all).await.expect("it never came to the other host");
}
