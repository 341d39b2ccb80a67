//! What was confirmed is there: after reopening, for every process on the file, after a kill.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use hapax_conformance::ledger::samples::{Draft, happened, leased};
use hapax_core::ledger::{By, Filter, Ledger, LedgerError, OperationId, Phase, SharedLedger};
use hapax_core::protocol::{Event, Heard, Receipt, Verdict};
use hapax_ledger_sqlite::{Counters, SqliteLedger};
use serde_json::json;
use tokio::task::JoinSet;

/// Environment of the processes that the tests start: which part to play, and on which file.
const ROLE: &str = "HAPAX_TEST_ROLE";
const FILE: &str = "HAPAX_TEST_FILE";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

async fn revision(ledger: &SqliteLedger, id: OperationId) -> Option<usize> {
    let stored = ledger.load(By::Id(id)).await.expect("loading works");
    stored.map(|stored| stored.records.len())
}

async fn assert_sound(ledger: &SqliteLedger) -> u64 {
    let verified = ledger.verify().await.expect("it can be read to the end");
    assert!(verified.is_sound(), "{:?}", verified.problems);
    verified.operations
}

#[tokio::test]
async fn what_was_written_is_there_after_reopening() {
    let folder = folder();
    let path = folder.path().join("hapax.ledger");
    let ledger: SharedLedger = Arc::new(SqliteLedger::create(&path).expect("it can be made"));
    let draft = Draft::new("order:1").claiming("ch_1").due_at(7);
    draft.begin(&ledger).await.expect("it works");
    drop(ledger);
    let again = SqliteLedger::open(&path).expect("it can be opened");
    let stored = again.load(By::Id(draft.id)).await.expect("loading works").expect("it is there");
    assert_eq!(stored.records, draft.first().records);
    assert_eq!(assert_sound(&again).await, 1);
    let refused = again.append(Draft::new("order:1").first()).await;
    assert!(matches!(refused, Err(LedgerError::Moved)), "the key was forgotten: {refused:?}");
}

#[tokio::test]
async fn two_ledgers_on_one_file_are_one_ledger() {
    let folder = folder();
    let path = folder.path().join("hapax.ledger");
    let one: SharedLedger = Arc::new(SqliteLedger::create(&path).expect("it can be made"));
    let other: SharedLedger = Arc::new(SqliteLedger::open(&path).expect("it can be opened"));
    let mut drafts = Vec::new();
    for number in 0..20 {
        // What both know by heart (places, shared texts) is made by either.
        let (first, second) = if number % 2 == 0 { (&one, &other) } else { (&other, &one) };
        let draft = Draft::new(&format!("order:{number}"));
        draft.begin(first).await.expect("it works");
        second.append(draft.append(3, [leased()])).await.expect("the other sees it at once");
        let stale = first.append(draft.append(3, [leased()])).await;
        assert!(matches!(stale, Err(LedgerError::Moved)), "{stale:?}");
        drafts.push(draft);
    }
    for draft in drafts {
        let by = || By::Id(draft.id);
        let (one, other) = (one.load(by()).await.expect("it works"), other.load(by()).await.expect("it works"));
        assert_eq!(one.expect("it is there").records, other.expect("it is there").records);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_who_come_together_share_the_flush() {
    let folder = folder();
    let ledger = Arc::new(SqliteLedger::create(folder.path().join("hapax.ledger")).expect("it can be made"));
    let mut callers = JoinSet::new();
    for caller in 0..32 {
        let ledger: SharedLedger = Arc::clone(&ledger) as SharedLedger;
        callers.spawn(async move {
            for number in 0..25 {
                Draft::new(&format!("order:{caller}:{number}")).begin(&ledger).await.expect("it works");
            }
        });
    }
    callers.join_all().await;
    let Counters { commits, appends } = ledger.counters();
    assert_eq!(appends, 32 * 25);
    assert!(appends >= 8 * commits, "{appends} appends took {commits} flushes");
}

#[tokio::test]
async fn a_lonely_caller_pays_two_flushes_for_an_operation_and_none_for_a_refusal_or_a_look() {
    let folder = folder();
    let ledger = Arc::new(SqliteLedger::create(folder.path().join("hapax.ledger")).expect("it can be made"));
    let shared: SharedLedger = Arc::clone(&ledger) as SharedLedger;
    for number in 0..5 {
        let draft = Draft::new(&format!("order:{number}"));
        draft.begin(&shared).await.expect("it works");
        ledger.append(draft.append(3, [happened("ch")])).await.expect("it works");
        draft.begin(&shared).await.expect_err("it exists");
        revision(&ledger, draft.id).await.expect("it is there");
    }
    assert_eq!(ledger.counters(), Counters { commits: 10, appends: 10 });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_operation_takes_at_most_a_kibibyte() {
    const OPERATIONS: u64 = 2_000;
    let folder = folder();
    let path = folder.path().join("hapax.ledger");
    let ledger: SharedLedger = Arc::new(SqliteLedger::create(&path).expect("it can be made"));
    let mut callers = JoinSet::new();
    for caller in 0..20 {
        let ledger = Arc::clone(&ledger);
        callers.spawn(async move {
            for number in 0..OPERATIONS / 20 {
                // 200 bytes of arguments, 200 of receipt, a key like a UUID.
                let id = OperationId::fresh().to_string();
                let args = json!({"text": "x".repeat(130), "reference": id, "n": number + caller});
                let draft = Draft::with(&id, args);
                draft.begin(&ledger).await.expect("it works");
                let claim = format!("ch_{}", &id[12..]);
                let body = json!({"id": claim, "text": "y".repeat(150)});
                let verdict = Verdict::Happened { receipt: Receipt { id: claim.clone(), body: Arc::new(body) } };
                let mut done = draft.in_phase(Phase::Succeeded).claiming(&claim);
                done.at.wall_ms += 40;
                let heard = Event::Heard(Heard { attempt: 0, verdict });
                ledger.append(done.append(3, [heard])).await.expect("it works");
            }
        });
    }
    callers.join_all().await;
    drop(ledger);
    let bytes = std::fs::metadata(&path).expect("it is there").len() / OPERATIONS;
    assert!(bytes <= 1024, "an operation takes {bytes} bytes");
}

/// Not a test by itself: what the processes do that the tests below start.
#[tokio::test(flavor = "multi_thread")]
async fn child() {
    let (Ok(role), Ok(path)) = (std::env::var(ROLE), std::env::var(FILE)) else { return };
    let ledger: SharedLedger = Arc::new(SqliteLedger::open(path).expect("the parent made it"));
    match role.split_once(' ') {
        Some(("race", from)) => race(&ledger, from.parse().expect("a number")).await,
        None if role == "grow" => grow(&ledger).await,
        _ => panic!("{role} is no role"),
    }
}

/// Tells the parent. Past the test harness, which would keep it to the end.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("\n>{line}\n").as_bytes()).and_then(|()| out.flush()).expect("the parent listens");
}

fn start(role: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this test is a program"))
        .args(["--exact", "child", "--nocapture"])
        .env(ROLE, role)
        .env(FILE, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it can be started")
}

/// Lines that a process told.
fn told(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let out = child.stdout.take().expect("it is piped");
    BufReader::new(out).lines().map_while(Result::ok).filter_map(|line| line.strip_prefix('>').map(str::to_owned))
}

/// Takes what it can get, beginning somewhere else than the others, once all are there.
async fn race(ledger: &SharedLedger, from: usize) {
    tell("ready");
    std::io::stdin().read_line(&mut String::new()).expect("the parent says when");
    for number in (from..from + 100).map(|number| number % 100) {
        let draft = Draft::new(&format!("order:{number}"));
        match draft.begin(ledger).await {
            Ok(_) => tell(&format!("key {number}")),
            Err(LedgerError::Moved) => {}
            Err(error) => panic!("{error}"),
        }
        let mine = Draft::new(&format!("{}:{number}", std::process::id())).claiming(&format!("ch_{number}"));
        match mine.begin(ledger).await {
            Ok(_) => tell(&format!("claim {number}")),
            Err(LedgerError::Claimed(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn processes_on_one_file_share_keys_and_claims() {
    let folder = folder();
    let path = folder.path().join("hapax.ledger");
    let ledger = SqliteLedger::create(&path).expect("it can be made");
    let mut children: Vec<Child> = (0..4).map(|part| start(&format!("race {}", part * 25), &path)).collect();
    let mut lines: Vec<_> = children.iter_mut().map(told).collect();
    for line in &mut lines {
        assert_eq!(line.next().as_deref(), Some("ready"));
    }
    for child in &mut children {
        let mut input = child.stdin.take().expect("it is piped");
        input.write_all(b"go\n").expect("it listens");
    }
    let mut wins: HashMap<String, u32> = HashMap::new();
    let mut winners = 0;
    for (child, lines) in children.iter_mut().zip(lines) {
        let won: Vec<String> = lines.collect();
        assert!(child.wait().expect("it ends").success(), "a process failed");
        winners += u32::from(!won.is_empty());
        won.into_iter().for_each(|line| *wins.entry(line).or_default() += 1);
    }
    assert_eq!(wins.len(), 200, "a key or a claim went to nobody");
    assert!(wins.values().all(|count| *count == 1), "given twice: {wins:?}");
    assert!(winners > 1, "one process did everything, so this proves nothing");
    assert_eq!(assert_sound(&ledger).await, 200);
}

async fn grow(ledger: &SharedLedger) {
    let mut callers = JoinSet::new();
    for _ in 0..8 {
        let ledger = Arc::clone(ledger);
        callers.spawn(async move {
            loop {
                let draft = Draft::new(&OperationId::fresh().to_string());
                draft.begin(&ledger).await.expect("it works");
                tell(&format!("{} 3", draft.id));
                for seen in 3..8 {
                    let event = Event::Noted { name: format!("{seen}"), value: "z".repeat(300) };
                    ledger.append(draft.append(seen, [event])).await.expect("it works");
                    tell(&format!("{} {}", draft.id, seen + 1));
                }
            }
        });
    }
    callers.join_all().await;
}

#[tokio::test]
async fn what_was_confirmed_survives_a_kill() {
    let folder = folder();
    let path = folder.path().join("hapax.ledger");
    drop(SqliteLedger::create(&path).expect("it can be made"));
    let mut confirmed: HashMap<OperationId, usize> = HashMap::new();
    for round in 0..4 {
        let mut child = start("grow", &path);
        let mut lines = told(&mut child);
        let mut note = |line: String| {
            let (id, revision) = line.split_once(' ').expect("two words");
            let revision: usize = revision.parse().expect("a number");
            let held = confirmed.entry(id.parse().expect("an id")).or_default();
            *held = (*held).max(revision);
        };
        lines.by_ref().take(150 + 90 * round).for_each(&mut note);
        child.kill().expect("it can be killed");
        // What it had said before it died counts too.
        lines.for_each(&mut note);
        child.wait().expect("it ends");

        let ledger = SqliteLedger::open(&path).expect("it opens after a kill");
        for (id, revision) in &confirmed {
            let held = self::revision(&ledger, *id).await;
            assert!(held >= Some(*revision), "{id} was confirmed at {revision} and is at {held:?}");
        }
        let operations = assert_sound(&ledger).await;
        assert_eq!(ledger.list(&Filter::default()).await.expect("listing works").len() as u64, operations);
    }
    assert!(confirmed.len() > 20, "too little was confirmed to prove anything");
}
