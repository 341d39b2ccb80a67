//! Imports that are killed.

use std::process::Stdio;

use super::{Elsewhere, ended, exported, kill_at, operations, same_but_restored};
use crate::support::{Ended, Shop};

/// An export of many operations that are under way, made of one that is.
fn of_many(shop: &Shop, count: usize) -> String {
    kill_at(shop, "before-send:1", "model");
    let file = exported(|args| shop.hapax(args));
    let lines: Vec<&str> = file.lines().collect();
    let (id, (line, operation)) = operations(&file).into_iter().next().expect("one");
    let events = operation["records"].as_array().expect("records").len();
    let more = (0..count).map(|number| {
        let other = format!("{}{number:012x}", &id[..24]);
        line.replace(&id, &other).replace("\"key\":\"model\"", &format!("\"key\":\"k{number}\""))
    });
    let lines: Vec<String> = [lines[0].to_owned()].into_iter().chain(more).collect();
    ended(&lines, count, count * events)
}

#[test]
fn an_import_that_is_killed_leaves_nothing_or_a_ledger_that_is_closed() {
    const COUNT: usize = 2_000;
    let shop = Shop::open();
    let file = of_many(&shop, COUNT);
    let elsewhere = Elsewhere::beside(&shop);
    std::fs::write(elsewhere.0.path().join("export.jsonl"), &file).expect("written");
    let import = ["ledger", "import", "export.jsonl"];
    let start = || elsewhere.command(&import).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("an import");
    let kill = |mut child: std::process::Child| {
        child.kill().expect("killed");
        assert!(!child.wait().expect("gone").success(), "it was killed before its end");
    };
    let sql = elsewhere.sql();
    let check =
        || -> String { sql.query_row("SELECT secret_check FROM header", [], |row| row.get(0)).unwrap_or_default() };

    let child = start();
    // Nobody else can write while it is in the middle.
    wait_for(|| sql.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_err());
    kill(child);
    assert_eq!(check(), "");
    elsewhere.holds(0);

    let child = start();
    wait_for(|| check().starts_with("imported "));
    kill(child);
    elsewhere.holds(COUNT as u64);
    let closed = "nothing was sent: an import into this ledger was not finished";
    elsewhere.run(&["ls"]).failed(7, closed, &["hapax ledger restored"]);
    elsewhere.run(&["recover"]).failed(7, closed, &[]);
    // What the export's ledger forgot is found with its secret alone.
    for args in [&["ledger", "restored"][..], &["ledger", "restored", "--new-secret"]] {
        let with_other = Ended::of(elsewhere.command(args).env("HAPAX_NAMESPACE_SECRET", "ab".repeat(32)));
        with_other.failed(
            7,
            "nothing was changed: an import into this ledger was not finished",
            &["another namespace"],
        );
    }
    elsewhere.run(&["ledger", "export"]).failed(2, "nothing was exported: an import", &["hapax ledger restored"]);
    let other = shop.hapax(&["ledger", "export", "--to", "other.jsonl"]);
    assert_eq!(other.exit, 0, "{}", other.err);
    let other = shop.file("other.jsonl");
    let refused = elsewhere.run(&["ledger", "import", other.to_str().expect("UTF-8")]);
    refused.failed(7, "nothing was imported: ", &["has been used already"]);
    // The same file is taken up where it was left.
    let again = elsewhere.run(&["--json", "ledger", "import", "export.jsonl"]);
    assert_eq!(again.exit, 0, "{}", again.out);
    assert_eq!(same_but_restored(&file, &exported(|args| elsewhere.run(args))), COUNT);
    assert_eq!(elsewhere.run(&["ls"]).exit, 0);
}

/// Without a pause in between: what is waited for goes by.
#[track_caller]
fn wait_for(mut is_so: impl FnMut() -> bool) {
    for _ in 0..20_000_000_u64 {
        if is_so() {
            return;
        }
        std::thread::yield_now();
    }
    panic!("it never came to this");
}
