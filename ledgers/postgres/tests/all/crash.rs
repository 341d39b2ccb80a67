//! A writer that is killed, a PostgreSQL that is killed, and a commit whose answer is lost.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use hapax_conformance::ledger::samples::{Draft, leased};
use hapax_core::ledger::{Filter, Ledger, LedgerError, OperationId, SharedLedger};
use hapax_core::protocol::Event;
use hapax_ledger_postgres::PostgresLedger;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::support::{
    PATIENT, address, address_at, assert_sound, cluster, fresh, fresh_schema, is_there, own_cluster, revision, shared,
};

/// Environment of the process that a test starts: where its ledger is.
const PORT: &str = "HAPAX_TEST_PORT";
const SCHEMA: &str = "HAPAX_TEST_SCHEMA";

/// Grows operations until somebody stops it; tells what was confirmed.
pub(crate) async fn grow(
    ledger: SharedLedger,
    callers: u32,
    tell: impl Fn(OperationId, u64) + Clone + Send + Sync + 'static,
) {
    let mut set = JoinSet::new();
    for _ in 0..callers {
        let (ledger, tell) = (Arc::clone(&ledger), tell.clone());
        set.spawn(async move {
            loop {
                let draft = Draft::new(&OperationId::fresh().to_string());
                if draft.begin(&ledger).await.is_err() {
                    return;
                }
                tell(draft.id, 3);
                for seen in 3..8 {
                    let event = Event::Noted { name: format!("{seen}"), value: "z".repeat(300) };
                    if ledger.append(draft.append(seen, [event])).await.is_err() {
                        return;
                    }
                    tell(draft.id, seen + 1);
                }
            }
        });
    }
    set.join_all().await;
}

/// Not a test by itself: the writer that the test below kills.
#[tokio::test(flavor = "multi_thread")]
async fn child() {
    let (Ok(port), Ok(schema)) = (std::env::var(PORT), std::env::var(SCHEMA)) else { return };
    let address = address_at(port.parse().expect("a port"), &schema);
    let ledger = PostgresLedger::open(address, PATIENT).await.expect("the parent made it");
    let tell = |id: OperationId, revision: u64| {
        let mut out = std::io::stdout().lock();
        out.write_all(format!("\n>{id} {revision}\n").as_bytes()).and_then(|()| out.flush()).expect("it listens");
    };
    grow(Arc::new(ledger), 8, tell).await;
}

fn start(port: u16, schema: &str) -> Child {
    Command::new(std::env::current_exe().expect("this test is a program"))
        .args(["--exact", "all::crash::child", "--nocapture"])
        .env(PORT, port.to_string())
        .env(SCHEMA, schema)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it can be started")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_confirmed_survives_a_writer_that_is_killed() {
    if !is_there("a writer that is killed") {
        return;
    }
    let (ledger, schema) = fresh().await;
    let mut confirmed: HashMap<OperationId, usize> = HashMap::new();
    for round in 0..3 {
        let mut child = start(cluster().await.port(), &schema);
        let out = child.stdout.take().expect("it is piped");
        let mut lines = BufReader::new(out)
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix('>').map(str::to_owned));
        let mut note = |line: String| {
            let (id, revision) = line.split_once(' ').expect("two words");
            let held = confirmed.entry(id.parse().expect("an id")).or_default();
            *held = (*held).max(revision.parse().expect("a number"));
        };
        tokio::task::block_in_place(|| {
            lines.by_ref().take(80 + 50 * round).for_each(&mut note);
            child.kill().expect("it can be killed");
            // What it had said before it died counts too.
            lines.for_each(&mut note);
            child.wait().expect("it ends");
        });
        for (id, revision) in &confirmed {
            let held = self::revision(&ledger, *id).await;
            assert!(held >= Some(*revision), "{id} was confirmed at {revision} and is at {held:?}");
        }
        let operations = assert_sound(&ledger).await;
        assert_eq!(ledger.list(&Filter::default()).await.expect("listing works").len() as u64, operations);
    }
    assert!(confirmed.len() > 15, "too little was confirmed to prove anything");
    // Its locks went with it.
    Draft::new("after").begin(&shared(&ledger)).await.expect("nothing is in the way");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_confirmed_survives_a_database_that_is_killed() {
    if !is_there("a database that is killed") {
        return;
    }
    let cluster = own_cluster().await;
    let schema = fresh_schema();
    let ledger = PostgresLedger::create(address(&cluster, &schema), PATIENT).await.expect("it can be made");
    let ledger = Arc::new(ledger);
    let told = Arc::new(std::sync::Mutex::new(HashMap::<OperationId, usize>::new()));
    let note = {
        let told = Arc::clone(&told);
        move |id: OperationId, revision: u64| {
            told.lock().expect("nobody panicked").insert(id, usize::try_from(revision).expect("it is small"));
        }
    };
    let growing = tokio::spawn(grow(shared(&ledger), 16, note));
    for round in 1..=3 {
        while told.lock().expect("nobody panicked").len() < 12 * round {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // Appends are under way all the time; the ledger waits for the server to come back, and looks what counts.
        cluster.crash().await.expect("it comes back");
    }
    let so_far = told.lock().expect("nobody panicked").len();
    while told.lock().expect("nobody panicked").len() < so_far + 5 && !growing.is_finished() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!growing.is_finished(), "a caller was given an error though the server came back");
    growing.abort();
    let confirmed = told.lock().expect("nobody panicked").clone();
    drop(ledger);
    let again = PostgresLedger::open(address(&cluster, &schema), PATIENT).await.expect("it can be opened");
    for (id, revision) in &confirmed {
        let held = self::revision(&again, *id).await;
        assert!(held >= Some(*revision), "{id} was confirmed at {revision} and is at {held:?}");
    }
    assert!(assert_sound(&again).await >= confirmed.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_confirmed_while_the_database_is_away() {
    if !is_there("a database that is away") {
        return;
    }
    let cluster = own_cluster().await;
    let schema = fresh_schema();
    let quick = hapax_ledger_postgres::Options { patience: Duration::from_secs(2), ..PATIENT };
    let ledger = PostgresLedger::create(address(&cluster, &schema), quick).await.expect("it can be made");
    let ledger = Arc::new(ledger);
    let draft = Draft::new("order:1");
    draft.begin(&shared(&ledger)).await.expect("it works");
    cluster.stop().await.expect("it stops");
    let away = ledger.append(draft.append(3, [leased()])).await;
    assert!(matches!(away, Err(LedgerError::Unusable { .. })), "{away:?}");
    assert!(ledger.header().await.is_err());
    cluster.go_on().await.expect("it comes back");
    assert_eq!(revision(&ledger, draft.id).await, Some(3), "what failed was written all the same");
    ledger.append(draft.append(3, [leased()])).await.expect("the same ledger goes on");
}

/// A way to the database that loses what a test says.
struct Lossy {
    port: u16,
    /// How many commits of appends are to be cut off.
    cuts: Arc<AtomicU32>,
    /// Whether the server still gets such a commit, and only its answer is lost.
    delivers: Arc<AtomicBool>,
}

impl Lossy {
    async fn to(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let own = listener.local_addr().expect("it is bound").port();
        let (cuts, delivers) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(true)));
        let (left, whole) = (Arc::clone(&cuts), Arc::clone(&delivers));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", port)).await.expect("it listens");
                tokio::spawn(pass(client, server, Arc::clone(&left), Arc::clone(&whole)));
            }
        });
        Self { port: own, cuts, delivers }
    }
}

async fn pass(client: TcpStream, server: TcpStream, cuts: Arc<AtomicU32>, delivers: Arc<AtomicBool>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let back = tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
    let mut bytes = vec![0; 1 << 20];
    while let Ok(count @ 1..) = from_client.read(&mut bytes).await {
        let said = &bytes[..count];
        // A commit is a message of its own, sent behind the statements that write events.
        let commits = said.windows(7).any(|part| part == b"COMMIT\0");
        let cut = commits && cuts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        if cut && !delivers.load(Ordering::SeqCst) {
            break;
        }
        if cut {
            back.abort();
        }
        if to_server.write_all(said).await.is_err() || cut {
            // The server has it all; let it finish before the way is closed.
            tokio::time::sleep(Duration::from_millis(300)).await;
            break;
        }
    }
    back.abort();
}

async fn through_a_lossy_way(delivers: bool) {
    let cluster = cluster().await;
    let schema = fresh_schema();
    drop(PostgresLedger::create(address(cluster, &schema), PATIENT).await.expect("it can be made"));
    let way = Lossy::to(cluster.port()).await;
    let ledger = PostgresLedger::open(address_at(way.port, &schema), PATIENT).await.expect("it can be opened");
    let ledger = Arc::new(ledger);
    let warm = Draft::new("warm");
    warm.begin(&shared(&ledger)).await.expect("it works");
    way.delivers.store(delivers, Ordering::SeqCst);
    for number in 0..5 {
        way.cuts.store(1, Ordering::SeqCst);
        let draft = Draft::new(&format!("order:{number}"));
        let appended = draft.begin(&shared(&ledger)).await.expect("it is settled by reading");
        assert_eq!(way.cuts.load(Ordering::SeqCst), 0, "nothing was cut, so this proves nothing");
        assert_eq!(appended.revision, 3);
        assert_eq!(revision(&ledger, draft.id).await, Some(3));
        let next = ledger.append(draft.append(3, [leased()])).await.expect("it goes on where it is");
        assert_eq!(next.revision, 4);
    }
    let settled = ledger.counters().settled;
    assert_eq!(settled, if delivers { 5 } else { 0 }, "found by reading");
    assert_eq!(assert_sound(&ledger).await, 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_is_lost_is_found_and_not_written_again() {
    if is_there("a commit whose answer is lost") {
        through_a_lossy_way(true).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_never_arrives_is_written_again_once() {
    if is_there("a commit that never arrives") {
        through_a_lossy_way(false).await;
    }
}
