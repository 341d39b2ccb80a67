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
    assert!(report.violations().is_empty(), "{}", broken(&report));
    if kit.is_partial() {
        return;
    }
    assert!(lacking.is_empty(), "{} things fall short, see above", lacking.len());
    let missing = report.reach.missing(&due(&*subject));
    let mut amiss = at_odds("never reached", &missing, &subject.unreached());

    let caught = planted::play(&subject).await;
    say(planted::table(&caught).as_bytes());
    amiss.extend(at_odds("a planted bug that nobody found", &planted::missed(&caught), &subject.hidden_bugs()));
    assert!(amiss.is_empty(), "{amiss:#?}");
    if results::wanted() {
        write(&*subject, &report, &caught, crate_folder);
    }
}

/// What is missing and not excused, and what is excused and not missing: an idle excuse would hide the next gap.
fn at_odds(words: &str, missing: &[&str], excuses: &[(&str, &str)]) -> Vec<String> {
    let is_excused = |what: &str| excuses.iter().any(|(excused, _)| *excused == what);
    let open = missing.iter().filter(|what| !is_excused(what)).map(|what| format!("{words}: {what}"));
    let idle = excuses.iter().filter(|(what, _)| !missing.contains(what));
    open.chain(idle.map(|(what, _)| format!("excused as {words}, and it isn't so: {what}"))).collect()
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

/// The violations once more, a line each: what a reader sees who sees only the end.
fn broken(report: &crate::kit::Report) -> String {
    let violations = report.violations();
    let line = |(row, violation): &(&crate::kit::Row, &crate::kit::Violation)| {
        format!("\n- {} under {}, seed {}: {violation}", row.cell, row.fault, row.seed)
    };
    format!("{} violations:{}", violations.len(), violations.iter().map(line).collect::<String>())
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
