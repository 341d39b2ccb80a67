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
    demand(report.violations().is_empty(), || broken(&report));
    if kit.is_partial() {
        return;
    }
    demand(lacking.is_empty(), || told(&lacking));
    let missing = report.reach.missing(&due(&*subject));
    let chance = subject.by_chance();
    let mut amiss = at_odds("never reached", &missing, &subject.unreached(), &chance);

    let caught = planted::play(&subject).await;
    say(planted::table(&caught).as_bytes());
    let missed = planted::missed(&caught);
    amiss.extend(at_odds("a planted bug that nobody found", &missed, &subject.hidden_bugs(), &chance));
    demand(amiss.is_empty(), || format!("{amiss:#?}"));
    if results::wanted() {
        write(&*subject, &report, &caught, crate_folder);
    }
}

/// Fails the test with these words unless it is so. They are the last that is written, without a backtrace behind them: a
/// reader of a long log sees its end, and where in the kit the test ended says nothing.
fn demand(so: bool, words: impl FnOnce() -> String) {
    if !so {
        let words = words();
        say(format!("\n{words}\n").as_bytes());
        std::panic::resume_unwind(Box::new(words));
    }
}

/// What is missing and not excused, and what is excused and not missing: an idle excuse would hide the next gap. What
/// hangs on chance is neither.
fn at_odds(words: &str, missing: &[&str], excuses: &[(&str, &str)], chance: &[(&str, &str)]) -> Vec<String> {
    let is_in = |list: &[(&str, &str)], what: &str| list.iter().any(|(named, _)| *named == what);
    let open = missing.iter().filter(|what| !is_in(excuses, what) && !is_in(chance, what));
    let open = open.map(|what| format!("{words}: {what}"));
    let idle = excuses.iter().filter(|(what, _)| !missing.contains(what) || is_in(chance, what));
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

#[cfg(test)]
mod tests {
    use super::at_odds;

    #[test]
    fn what_is_missing_needs_an_excuse_and_an_excuse_a_lack_and_chance_neither() {
        let amiss = at_odds("missing", &["a", "b", "c"], &[("b", ""), ("d", "")], &[("c", ""), ("e", "")]);
        assert_eq!(amiss, ["missing: a", "excused as missing, and it isn't so: d"]);
        assert_eq!(at_odds("missing", &["a"], &[("a", "")], &[("a", "")]).len(), 1, "excused twice over");
    }
}
