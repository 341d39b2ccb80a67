//! Whatever was carried over, is being, or waits: everybody finds everything, and nobody gets anything twice.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hapax_conformance::ledger::samples::{Draft, happened};
use hapax_core::identity::OperationKey;
use hapax_core::ledger::{By, Ledger, LedgerError, OperationId, SharedLedger};
use hapax_core::protocol::Event;
use rusqlite::Connection;
use serde_json::json;

use super::{Fresh, Leads};
use crate::append::{Writing, append};
use crate::error::Failure;
use crate::names::Names;
use crate::{Options, SqliteLedger, file, read};

/// So few that runs begin and end all the time.
const FEW: Options = Options { lock_patience: Duration::from_secs(10), queue: 64, readers: 2, leads_in_memory: 7 };

/// Numbers in an order that a seed decides.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        // SplitMix64: good enough to choose what to do next.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}

/// What there is to be found.
#[derive(Default)]
struct Paper {
    drafts: Vec<(Draft, u64)>,
    keys: HashMap<String, OperationId>,
    claims: HashMap<String, OperationId>,
}

impl Paper {
    fn similar(&self, draft: &Draft, since: i64) -> Vec<OperationId> {
        let alike = self.drafts.iter().filter(|(other, _)| {
            other.index.fingerprint == draft.index.fingerprint
                && other.index.key != draft.index.key
                && began(other) >= since
        });
        let mut similar: Vec<_> = alike.map(|(other, _)| other.id).collect();
        similar.sort_unstable();
        similar
    }
}

fn began(draft: &Draft) -> i64 {
    draft.at.wall_ms
}

/// Ledgers of several processes on one file.
struct House {
    ledgers: Vec<Arc<SqliteLedger>>,
    paper: Paper,
    dice: Dice,
}

impl House {
    fn any(&mut self) -> Arc<SqliteLedger> {
        let ledger = self.dice.roll(self.ledgers.len() as u64);
        Arc::clone(&self.ledgers[usize::try_from(ledger).expect("few")])
    }

    async fn begin(&mut self) {
        let (key, args) = (format!("order:{}", self.dice.roll(120)), json!({"n": self.dice.roll(4)}));
        let at = 1_000 * (1 + self.dice.roll(4));
        let draft = Draft::with(&key, args).at_ms(at);
        let since = 1_000_i64 * i64::try_from(self.dice.roll(6)).expect("small");
        let expected = self.paper.similar(&draft, since);
        let mut first = draft.first();
        first.similar_since_ms = since;
        match (self.any().append(first).await, self.paper.keys.contains_key(&key)) {
            (Ok(appended), false) => {
                assert_eq!(appended.similar, expected, "{key}");
                self.paper.keys.insert(key, draft.id);
                self.paper.drafts.push((draft, 3));
            }
            (Err(LedgerError::Moved), true) => {}
            (answer, taken) => panic!("{key} was taken: {taken}, and the answer {answer:?}"),
        }
    }

    async fn claim(&mut self) {
        let count = self.paper.drafts.len() as u64;
        if count == 0 {
            return;
        }
        let (chosen, claim) = (self.dice.roll(count), format!("ch_{}", self.dice.roll(60)));
        let ledger = self.any();
        let (draft, seen) = &mut self.paper.drafts[usize::try_from(chosen).expect("few")];
        let holder = self.paper.claims.get(&claim).copied();
        let answer = ledger.append(draft.clone().claiming(&claim).append(*seen, [happened(&claim)])).await;
        match (answer, holder) {
            (Ok(_), None) => {
                let id = draft.id;
                self.paper.claims.retain(|_, holder| *holder != id);
                self.paper.claims.insert(claim.clone(), id);
            }
            (Ok(_), Some(holder)) if holder == draft.id => {}
            (Err(LedgerError::Claimed(told)), Some(holder)) if told == holder && holder != draft.id => return,
            (answer, holder) => panic!("{claim} of {holder:?}: {answer:?}"),
        }
        draft.index.claim = Some(claim);
        *seen += 1;
    }

    /// Other arguments, which are what it is found by from now on.
    async fn supersede(&mut self) {
        let count = self.paper.drafts.len() as u64;
        if count == 0 {
            return;
        }
        let (chosen, args) = (self.dice.roll(count), json!({"n": self.dice.roll(4)}));
        let ledger = self.any();
        let (draft, seen) = &mut self.paper.drafts[usize::try_from(chosen).expect("few")];
        let other = Draft::with(draft.index.key.as_str(), args);
        draft.intent = other.intent.clone();
        draft.index.fingerprint = other.index.fingerprint;
        let superseded = Event::Superseded { by: "ada".to_owned(), epoch: 0, intent: other.intent };
        ledger.append(draft.append(*seen, [superseded])).await.expect("nobody else writes to it");
        *seen += 1;
    }

    /// A transaction that is rolled back, by its own failure or by that of its commit: its numbers are given to others later.
    async fn fail(&mut self) {
        let key = format!("{}:{}", if self.dice.roll(2) == 0 { "fails" } else { "uncommitted" }, self.dice.roll(100));
        let ledger: SharedLedger = self.any();
        let draft = Draft::new(&key).claiming(&key);
        draft.begin(&ledger).await.expect_err("the trigger says no");
        assert!(ledger.load(by_key(&draft.index.key)).await.expect("loading works").is_none());
        let lost = ledger.load(By::Claim { account: "acct_1", id: &key }).await.expect("loading works");
        assert!(lost.is_none(), "{lost:?}");
    }

    async fn look(&mut self) {
        let key = OperationKey::new(format!("order:{}", self.dice.roll(120))).expect("a key");
        let found = self.any().load(by_key(&key)).await.expect("loading works");
        assert_eq!(found.map(|stored| stored.operation), self.paper.keys.get(key.as_str()).copied(), "{key:?}");
        let claim = format!("ch_{}", self.dice.roll(60));
        let found = self.any().load(By::Claim { account: "acct_1", id: &claim }).await.expect("loading works");
        assert_eq!(found.map(|stored| stored.operation), self.paper.claims.get(&claim).copied(), "{claim}");
    }
}

/// As another process has it; one on which some keys can't be written, and some not committed.
fn opened(path: &Path) -> Arc<SqliteLedger> {
    let connection = file::open(path, &FEW).expect("it can be opened");
    let sql = "CREATE TEMP TABLE empty (one INTEGER PRIMARY KEY); \
               CREATE TEMP TABLE bad (one REFERENCES empty (one) DEFERRABLE INITIALLY DEFERRED); \
               CREATE TEMP TRIGGER uncommitted AFTER INSERT ON main.operations WHEN new.key GLOB 'uncommitted:*' \
               BEGIN INSERT INTO bad VALUES (1); END; \
               CREATE TEMP TRIGGER fails AFTER INSERT ON main.claims WHEN new.claim GLOB 'fails:*' \
               BEGIN SELECT RAISE(ABORT, 'not now'); END";
    connection.execute_batch(sql).expect("SQL works");
    Arc::new(SqliteLedger::start(path, connection, FEW).expect("it starts"))
}

fn by_key(key: &OperationKey) -> By<'_> {
    By::Key { connection: "stripe-live", cell: "stripe.charge", key }
}

fn number(path: &Path, sql: &str) -> i64 {
    let connection = Connection::open(path).expect("sqlite3 can open it");
    connection.query_row(sql, [], |row| row.get(0)).expect("SQL works")
}

#[tokio::test]
async fn all_processes_find_everything_while_leads_are_carried_over() {
    let (mut ended, mut under_way) = (0, 0);
    for seed in 0..12 {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("hapax.ledger");
        drop(SqliteLedger::create_with(&path, FEW).expect("it can be made"));
        let ledgers = (0..3).map(|_| opened(&path)).collect();
        let mut house = House { ledgers, paper: Paper::default(), dice: Dice(seed) };
        for _ in 0..300 {
            match house.dice.roll(20) {
                0..8 => house.begin().await,
                8..13 => house.claim().await,
                13 => house.supersede().await,
                14 => house.fail().await,
                15 => {
                    let which = usize::try_from(house.dice.roll(3)).expect("few");
                    house.ledgers[which] = opened(&path);
                }
                _ => house.look().await,
            }
            under_way += number(&path, "SELECT count(to_operation) FROM carried");
        }
        let verified = house.any().verify().await.expect("it can be read");
        // What events say is nobody's concern here.
        let problems: Vec<_> = verified.problems.iter().filter(|what| what.contains("lead")).collect();
        assert!(problems.is_empty(), "seed {seed}: {problems:?}");
        assert_eq!(verified.operations, house.paper.keys.len() as u64);
        ended += i64::from(number(&path, "SELECT operation FROM carried") > 40);
    }
    assert_eq!(ended, 12, "runs didn't end, so this proves little");
    assert!(under_way > 500, "few steps were taken while a run was under way: {under_way}");
}

#[tokio::test]
async fn a_snapshot_from_before_a_run_ended_finds_what_was_let_go() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("hapax.ledger");
    let ledger: SharedLedger = Arc::new(SqliteLedger::create_with(&path, FEW).expect("it can be made"));
    let first = Draft::new("order:0");
    first.begin(&ledger).await.expect("it works");
    let old = Connection::open(&path).expect("sqlite3 can open it");
    let snapshot = old.unchecked_transaction().expect("SQL works");
    assert!(read::row_by_id(&snapshot, first.id).expect("SQL works").is_some(), "the snapshot begins with a read");
    for number in 1..40 {
        Draft::new(&format!("order:{number}")).begin(&ledger).await.expect("it works");
    }
    let newest = Connection::open(&path).expect("sqlite3 can open it");
    let leads = Leads::new(0);
    leads.open(&newest).expect("it can be read");
    assert!(number(&path, "SELECT operation FROM carried") > 1, "the run has not ended");
    let find = |on: &Connection, key: &str| {
        let key = OperationKey::new(key).expect("a key");
        read::row_by_key(on, &leads, "stripe-live", "stripe.charge", &key).expect("SQL works").map(|row| row.id)
    };
    assert_eq!(find(&snapshot, "order:0"), Some(first.id), "it is neither in that table nor in memory");
    assert_eq!(find(&snapshot, "order:1"), None, "this snapshot doesn't have it");
    assert!(find(&newest, "order:1").is_some());
}

#[tokio::test]
async fn a_lead_that_is_missing_is_found() {
    for sql in [
        "DROP TRIGGER leads_remain; DELETE FROM leads WHERE hash = (SELECT min(hash) FROM leads)",
        "UPDATE leads SET target = target + 1 WHERE target = (SELECT max(target) FROM leads)",
        "UPDATE carried SET operation = 1000, claim = 1000",
    ] {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("hapax.ledger");
        let ledger = Arc::new(SqliteLedger::create_with(&path, FEW).expect("it can be made"));
        for number in 0..40 {
            let draft = Draft::new(&format!("order:{number}")).claiming(&format!("ch_{number}"));
            ledger.append(draft.first()).await.expect("it works");
        }
        assert!(ledger.verify().await.expect("it can be read").is_sound());
        Connection::open(&path).and_then(|on| on.execute_batch(sql)).expect("SQL works");
        let problems = ledger.verify().await.expect("it can be read").problems.join("\n");
        assert!(problems.contains("lead"), "{sql}: {problems:?}");
    }
}

#[tokio::test]
async fn a_transaction_without_end_keeps_few_leads_and_loses_none() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("hapax.ledger");
    drop(SqliteLedger::create(&path).expect("it can be made"));
    let (leads, mut names) = (Leads::new(FEW.leads_in_memory), Names::default());
    let connection = Connection::open(&path).expect("sqlite3 can open it");
    connection.execute_batch("BEGIN IMMEDIATE").expect("SQL works");
    let fresh = Fresh::begin(&leads, &connection).expect("it can be read");
    let mut writing = Writing { on: &connection, names: &mut names, fresh };
    for number in 0..50 {
        let draft = Draft::with(&format!("order:{number}"), json!({"n": 1})).claiming(&format!("ch_{number}"));
        let similar = append(&mut writing, &draft.first()).expect("it can be written").similar.len();
        assert_eq!(similar, number, "those that are in the table, and those that are not");
        let again = append(&mut writing, &Draft::new(&format!("order:{}", number / 2)).first());
        assert!(matches!(again, Err(Failure::Answer(LedgerError::Moved))), "{again:?}");
        writing.fresh.settle(&connection, 20).expect("it can be written");
    }
    let added = writing.fresh.end(&connection).expect("it can be written");
    assert!(added.leads.len() < 20 + 3, "{}", added.leads.len());
    connection.execute_batch("COMMIT").expect("SQL works");
    leads.take(added);
    let key = OperationKey::new("order:49").expect("a key");
    let last = read::row_by_key(&connection, &leads, "stripe-live", "stripe.charge", &key).expect("SQL works");
    assert_eq!(last.map(|row| row.number), Some(50));
    assert!(number(&path, "SELECT operation FROM carried") > 40);
    let verified = SqliteLedger::open(&path).expect("it can be opened").verify().await.expect("it can be read");
    assert!(verified.is_sound(), "{:?}", verified.problems);
}
