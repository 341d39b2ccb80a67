use std::path::Path;
use std::sync::Arc;

use hapax_core::capability::{Fate, Meaning};

use crate::kit::{Kit, Subject, say};
use crate::{planted, results, shortfalls};

/// What an adapter's test calls: plays every fault over every cell, and every planted bug; prints the tables; fails on a
/// violation, on what [`shortfalls`] names, on a bug that stayed hidden and was not excused, and on a fault that no cell
/// could have. With `HAPAX_PROVE=1` it writes the results.
///
/// # Panics
/// If anything of that does not hold.
pub async fn prove(subject: Arc<dyn Subject>, crate_folder: &str) {
    let kit = Kit::new(subject.clone());
    let report = kit.play().await;
    let mut table = Vec::new();
    report.write(&mut table).unwrap_or_else(|_| unreachable!("memory takes everything"));
    say(&table);
    let lacking = shortfalls(&*subject, Path::new(crate_folder));
    say(told(&lacking).as_bytes());
    let violations = report.violations().len();
    assert!(violations == 0, "{violations} violations, see above");
    if kit.is_partial() {
        return;
    }
    assert!(lacking.is_empty(), "{} things fall short, see above", lacking.len());
    let excused: Vec<&str> = subject.unreached().iter().map(|(what, _)| *what).collect();
    let missing: Vec<&str> =
        report.reach.missing(&due(&*subject)).into_iter().filter(|what| !excused.contains(what)).collect();
    assert!(missing.is_empty(), "never reached: {missing:?}");

    let caught = planted::play(&subject).await;
    say(planted::table(&caught).as_bytes());
    let excused: Vec<&str> = subject.hidden_bugs().iter().map(|(bug, _)| *bug).collect();
    let hidden: Vec<&str> = planted::missed(&caught).into_iter().filter(|bug| !excused.contains(bug)).collect();
    assert!(hidden.is_empty(), "planted bugs that nobody found: {hidden:?}");
    if results::wanted() {
        write(&*subject, &report, &caught, crate_folder);
    }
}

/// What the facts of these cells make reachable: a cell that journals nothing takes no step, and a table without such a
/// row gives no such verdict.
fn due(subject: &dyn Subject) -> Vec<&'static str> {
    let cells = subject.integration().cells();
    let specs: Vec<_> = cells.iter().map(|cell| cell.spec()).collect();
    let means = |meaning| specs.iter().any(|spec| spec.answers.iter().any(|row| row.means == meaning));
    let can = |what: &str| match what {
        "do:prepare" | "point:after-prepare-step" => specs.iter().any(|spec| !spec.notes.is_empty()),
        "verdict:refused-on-record" => means(Meaning::RefusedOnRecord),
        "verdict:adrift" => means(Meaning::Adrift),
        "verdict:key-burnt" => means(Meaning::KeyBurnt),
        "event:fated" => specs.iter().any(|spec| spec.fate != Fate::Final),
        _ => true,
    };
    crate::kit::EXPECTED.iter().copied().filter(|what| can(what)).collect()
}

fn told(lacking: &[String]) -> String {
    let line = |what: &String| format!("\n- {what}");
    let lines: String = lacking.iter().map(line).collect();
    if lacking.is_empty() { String::new() } else { format!("\nfalls short:{lines}\n\n") }
}

fn write(subject: &dyn Subject, report: &crate::kit::Report, caught: &[planted::Caught], crate_folder: &str) {
    let root = results::root(crate_folder);
    let adapter = Path::new(crate_folder).file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    for cell in subject.cells() {
        let simulated = results::simulated(report, cell.id(), planted::count(caught, cell.id()));
        let written = results::write_simulated(&root, &adapter, cell.id(), simulated);
        assert!(written.is_ok(), "the result of {} can't be written: {written:?}", cell.id());
        // The kit was run at the server itself, so that is what it is proved at.
        let Some(server) = subject.server() else { continue };
        let runs = results::Independent { server, runs: report.played(cell.id()).count(), violations: 0 };
        let written = results::write_independent(&root, &adapter, cell.id(), runs);
        assert!(written.is_ok(), "the result of {} can't be written: {written:?}", cell.id());
    }
}
