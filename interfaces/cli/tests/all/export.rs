//! A ledger that goes to a file and from there to another ledger.

#[path = "export/killed.rs"]
mod killed;
#[path = "export/moves.rs"]
mod moves;
#[path = "export/refused.rs"]
mod refused;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::support::{Ended, Shop, charge, hapax};

/// A new, empty ledger beside a shop's, with the same secret and the same providers.
struct Elsewhere(TempDir);

impl Elsewhere {
    fn beside(shop: &Shop) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Ended::of(hapax().arg("init").arg(folder.path())).exit, 0);
        for name in ["hapax.toml", "hapax.secret"] {
            std::fs::copy(shop.file(name), folder.path().join(name)).expect("copied");
        }
        Self(folder)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = hapax();
        command.current_dir(self.0.path()).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        Ended::of(&mut self.command(args))
    }

    #[track_caller]
    fn import(&self, text: &str) -> Ended {
        let file = self.0.path().join("export.jsonl");
        std::fs::write(&file, text).expect("written");
        self.run(&["ledger", "import", "export.jsonl"])
    }

    #[track_caller]
    fn holds(&self, operations: u64) {
        let verified = self.run(&["--json", "ledger", "verify"]);
        assert_eq!((verified.exit, verified.json()["operations"].as_u64()), (0, Some(operations)), "{}", verified.out);
    }

    fn sql(&self) -> Connection {
        let connection = Connection::open(self.0.path().join("hapax.ledger")).expect("it opens");
        connection.busy_timeout(std::time::Duration::ZERO).expect("set");
        connection
    }
}

fn exported(run: impl Fn(&[&str]) -> Ended) -> String {
    let ended = run(&["ledger", "export"]);
    assert_eq!((ended.exit, ended.err.as_str()), (0, ""), "{}", ended.err);
    ended.out
}

/// The same with other lines, ended as an export ends.
fn ended(lines: &[String], operations: usize, events: usize) -> String {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let digest = Sha256::digest(&text);
    let sha256: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let end = json!({ "end": { "operations": operations, "events": events, "sha256": sha256 } });
    format!("{text}{end}\n")
}

/// Operations by their id, as they stand in the file.
fn operations(export: &str) -> BTreeMap<String, (&str, Value)> {
    let lines = export.lines().map(|line| (line, serde_json::from_str::<Value>(line).expect("JSON")));
    let found = lines.filter_map(|(line, value)| {
        let operation = value.get("operation")?.clone();
        Some((operation["id"].as_str().expect("an id").to_owned(), (line, operation)))
    });
    found.collect()
}

/// Kills a worker when it has paused there.
pub(crate) fn kill_at(shop: &Shop, point: &str, key: &str) {
    let args = charge(100).to_string();
    kill(shop.command(&["run", "stripe.charge", "--key", key, "--args", &args]), point);
}

/// The same with a worker that isn't started yet.
pub(crate) fn kill(mut command: Command, point: &str) {
    let mut child = command.env("HAPAX_TEST_PAUSE_AT", point).stderr(Stdio::piped()).spawn().expect("a worker");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("stderr")).read_line(&mut line).expect("a line");
    assert!(line.starts_with("paused "), "{line}");
    child.kill().expect("killed");
    child.wait().expect("gone");
}

/// Everything is as it was, but for the note that the ledger was restored with each operation that hasn't ended.
#[track_caller]
fn same_but_restored(before: &str, after: &str) -> usize {
    let (before, after) = (operations(before), operations(after));
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    let mut noted = 0;
    for ((line, one), (other_line, other)) in before.values().zip(after.values()) {
        if ["succeeded", "refused"].contains(&one["index"]["phase"].as_str().expect("a phase")) {
            assert_eq!(line, other_line);
            continue;
        }
        let records = |of: &Value| of["records"].as_array().expect("records").clone();
        let (records, more) = (records(one), records(other));
        assert_eq!(records, more[..records.len()]);
        let added: Vec<_> = more[records.len()..].iter().map(|record| record["event"]["event"].clone()).collect();
        assert_eq!(added, ["restored"]);
        noted += 1;
    }
    noted
}
