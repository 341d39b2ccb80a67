use hapax_bench::drive::{Command, Fill, Found, POSTGRES_URL, Ready};
use hapax_bench::keys::Order;
use hapax_bench::load::{Committed, Load, Measured};
use hapax_bench::provider::{COUNTS, Counts, Listening};
use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER, available};

use super::talk::Talk;

/// A driver over an empty ledger, and the provider that it calls.
struct Pair {
    provider: Talk,
    url: String,
    driver: Talk,
}

impl Pair {
    fn start(guard: &[&str], environment: &[(&str, String)]) -> Self {
        let mut provider = Talk::start(&["provider"], &[]);
        let Listening { url } = provider.hear();
        let arguments = [["drive", "--provider", &url].as_slice(), guard].concat();
        let mut driver = Talk::start(&arguments, environment);
        assert!(driver.hear::<Ready>().ready);
        Self { provider, url, driver }
    }

    fn load(&mut self, load: Load) -> Measured {
        let measured: Measured = self.driver.ask(&Command::Load(load));
        assert_eq!((measured.errors, Some(measured.ops)), (0, load.most));
        measured
    }

    /// Ends both; what the provider counted.
    fn end(self) -> Counts {
        let address = self.url.strip_prefix("http://").expect("it is one");
        let mut line = std::net::TcpStream::connect(address).expect("it listens");
        let request = format!("GET {COUNTS} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        let mut answer = String::new();
        std::io::Write::write_all(&mut line, request.as_bytes()).expect("it is written");
        std::io::Read::read_to_string(&mut line, &mut answer).expect("it answers");
        self.driver.end();
        self.provider.end();
        let body = answer.split("\r\n\r\n").nth(1).expect("it has a body");
        serde_json::from_str(body).expect("it has counts")
    }
}

fn load(callers: u64, most: u64) -> Load {
    // Far more time than it takes: what ends it is the number of calls.
    Load { callers, seconds: 300.0, seed: 17, order: Order::Random, replay_of: None, most: Some(most) }
}

/// 32 callers write at least 8 records with a flush. Where the machine lets none of them run while a flush is under way
/// there is nothing to share, so they get three tries. How often the provider was called.
fn share_their_flushes(pair: &mut Pair) -> u64 {
    const CALLS: u64 = 32 * 40;
    let mut seen = Vec::new();
    for seed in 18..21 {
        let Committed { commits, appends } = pair.load(Load { seed, ..load(32, CALLS) }).committed;
        assert_eq!(appends, 2 * CALLS);
        seen.push(commits);
        if appends >= 8 * commits {
            return CALLS * seen.len() as u64;
        }
    }
    panic!("{} appends took {seen:?} commits", 2 * CALLS);
}

/// One caller pays two flushes an operation; a replay pays none and reaches nobody; 32 callers share theirs.
fn flushes_are_as_few_as_the_steps_allow(guard: &[&str], environment: &[(&str, String)]) {
    let mut pair = Pair::start(guard, environment);
    let alone = pair.load(load(1, 20));
    assert_eq!(alone.committed, Committed { commits: 40, appends: 40 });
    let again = pair.load(Load { replay_of: Some(20), ..load(4, 60) });
    assert_eq!(again.committed, Committed::default());
    let calls = 20 + share_their_flushes(&mut pair);
    assert_eq!(pair.end(), Counts { calls, keys_called_twice: 0 });
}

#[test]
fn on_sqlite_flushes_are_as_few_as_the_steps_allow() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hapax.ledger");
    flushes_are_as_few_as_the_steps_allow(&["sqlite", &file.display().to_string()], &[]);
}

#[tokio::test]
async fn on_postgres_flushes_are_as_few_as_the_steps_allow() {
    if !available() {
        hapax_bench::say::note("left out: flushes on PostgreSQL: it is not installed (initdb, pg_ctl, psql)");
        return;
    }
    let cluster = Cluster::start().await.expect("a cluster can be made");
    let url = format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{}/postgres?sslmode=disable", cluster.port());
    let environment = [(POSTGRES_URL, url)];
    flushes_are_as_few_as_the_steps_allow(&["postgres", "hapax"], &environment);
    flushes_are_as_few_as_the_steps_allow(&["postgres", "prepared", "--prepared"], &environment);
}

#[test]
fn the_unguarded_call_flushes_nothing_and_the_provider_notices_a_key_that_comes_twice() {
    let mut pair = Pair::start(&["raw"], &[]);
    assert_eq!(pair.load(load(4, 50)).committed, Committed::default());
    pair.load(Load { replay_of: Some(50), ..load(4, 7) });
    assert_eq!(pair.end(), Counts { calls: 57, keys_called_twice: 7 });
}

#[test]
fn a_ledger_is_filled_without_the_provider_and_what_is_open_is_found_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hapax.ledger").display().to_string();
    let mut pair = Pair::start(&["sqlite", &file], &[]);
    let made: Found = pair.driver.ask(&Command::Fill(Fill { finished: 300, open: 20 }));
    assert_eq!(made.operations, 320);
    assert_eq!(pair.end(), Counts::default());
    let mut again = Pair::start(&["sqlite", &file], &[]);
    let due: Found = again.driver.ask(&Command::Due);
    assert_eq!(due.operations, 20);
    assert_eq!(again.load(load(2, 10)).committed.appends, 20, "it goes on on what is there");
    assert_eq!(again.end(), Counts { calls: 10, keys_called_twice: 0 });
}

/// What an operation leaves when the executor itself makes it: about 200 bytes of arguments, 200 of receipt.
#[test]
fn what_is_kept_of_a_finished_operation_fits_into_a_kibibyte() {
    const OPERATIONS: u64 = 4_000;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hapax.ledger");
    let mut pair = Pair::start(&["sqlite", &file.display().to_string()], &[]);
    let made: Found = pair.driver.ask(&Command::Fill(Fill { finished: OPERATIONS, open: 0 }));
    assert_eq!(made.operations, OPERATIONS);
    assert_eq!(pair.end(), Counts::default());
    // The last one to close it moves the log into the file.
    let bytes = std::fs::metadata(&file).expect("it is there").len() / OPERATIONS;
    assert!((200..=1024).contains(&bytes), "an operation takes {bytes} bytes");
}
