//! Every kind of cell in every scenario: nothing breaks, and everything interesting is reached.
//! And everything planted is found.

mod kinds;
mod planted;
mod together;

use std::io::Write as _;

use hapax_model::{Kind, Machine, Report, SIGHTS, Scenario, explore, sight};

/// States of one search when somebody asked for long ones.
const STATES_WHEN_DEEP: usize = 12_000_000;

/// Whether somebody asked for the long searches: `HAPAX_MODEL_DEEP=1`.
fn deep() -> bool {
    std::env::var_os("HAPAX_MODEL_DEEP").is_some()
}

/// A row of the table. It is written past the test harness, so that it is always there.
fn row(kind: &str, scenario: &str, report: &Report) {
    let how = match (&report.broken, report.complete) {
        (Some(_), _) => "broken",
        (None, true) => "complete",
        (None, false) => "bounded",
    };
    let (states, steps, seconds) = (report.states, report.steps, report.seconds);
    let line = format!("{kind:<26} {scenario:<30} {states:>9} states {steps:>10} steps {how:<9} {seconds:>6.1} s\n");
    let _ = std::io::stdout().write_all(line.as_bytes());
}

/// Searches a kind in its scenarios, of which an environment variable may choose one. Fails with the shortest run if one
/// breaks an invariant, and if something that should be reached was not.
fn search_all(kind: &Kind, scenarios: &[Scenario], states: usize, reached: &[&str]) {
    let only = std::env::var("HAPAX_MODEL_SCENARIO").ok();
    let (mut seen, mut left) = (0, states);
    for (number, scenario) in scenarios.iter().enumerate() {
        if only.as_ref().is_some_and(|only| only != scenario.name) {
            continue;
        }
        let limit = if deep() { STATES_WHEN_DEEP } else { left / (scenarios.len() - number) };
        let report = explore(&mut Machine::new(kind.clone(), *scenario), limit);
        row(kind.name, scenario.name, &report);
        if let Some(run) = &report.broken {
            panic!("{}, {}: {run}", kind.name, scenario.name);
        }
        seen |= report.seen;
        left = left.saturating_sub(report.states);
    }
    let met: Vec<_> = SIGHTS.into_iter().filter(|name| seen & sight(name) != 0).collect();
    let line = format!("{:<26} reached: {}\n", kind.name, met.join(", "));
    let _ = std::io::stdout().write_all(line.as_bytes());
    let missing: Vec<_> = reached.iter().filter(|name| !met.contains(name)).collect();
    assert!(only.is_some() || missing.is_empty(), "{}: never reached: {missing:?}", kind.name);
}

const BARE: Scenario = Scenario::BARE;
const THREE: Scenario = Scenario { name: "3 attempts", attempts: 3, ..BARE };
const PERMITTED: Scenario = Scenario { name: "permitted", permitted: true, requests: 2, ..BARE };
const TWO_LOOKS: Scenario = Scenario { name: "permitted, 2 looks at once", looks_at_once: 2, ..PERMITTED };
const FAILING: Scenario = Scenario { name: "failing looks", failing_looks: true, requests: 2, ..BARE };
const PROOF: Scenario = Scenario { name: "webhook", webhook: true, requests: 2, ..BARE };
const AGAIN: Scenario = Scenario { name: "superseded", supersede: true, requests: 2, ..BARE };
const PERSON: Scenario = Scenario { name: "person", person: true, requests: 2, looks: 1, ticks: Some(6), ..BARE };
const HAND: Scenario = Scenario { name: "person, by hand", person: true, hand: true, requests: 1, looks: 1, ..BARE };
const PEOPLE: Scenario = Scenario { name: "all people", webhook: true, supersede: true, requests: 2, ..HAND };
const RESTORE: Scenario = Scenario { name: "restore", restore: true, requests: 2, looks: 1, ticks: Some(6), ..BARE };
const RESTORE_PERSON: Scenario = Scenario { name: "restore, person", person: true, requests: 1, ..RESTORE };
const RESTORE_LATE: Scenario = Scenario { name: "restore, person, 2 requests", requests: 2, ..RESTORE_PERSON };
const RESTORE_AGAIN: Scenario = Scenario { name: "restore, superseded", supersede: true, ..RESTORE };
const RESTORE_UNTIL: Scenario = Scenario { name: "restore, good until", good_until: 4, ..RESTORE };
const UNTIL: Scenario = Scenario { name: "good until", good_until: 4, requests: 2, ..BARE };
const UNTIL_PERSON: Scenario = Scenario { name: "good until, person", good_until: 4, ..PERSON };
const LEASES: Scenario = Scenario { name: "2 workers, leases", leases: true, requests: 2, ..BARE };
const FORWARD: Scenario = Scenario { name: "clock steps forward", clock_step: 3, ..PERSON };
const BACK: Scenario = Scenario { name: "clock steps back", clock_step: -3, ..PERSON };
const WORKERS_PERSON: Scenario = Scenario { name: "2 workers, person", leases: true, ..PERSON };
const WORKERS_HAND: Scenario = Scenario { name: "2 workers, by hand", leases: true, ..HAND };
const WORKERS_PROOF: Scenario = Scenario { name: "2 workers, webhook", leases: true, ..PROOF };
const WORKERS_RESTORE: Scenario = Scenario { name: "2 workers, restore", leases: true, ..RESTORE };
const WORKERS_RESTORE_PERSON: Scenario =
    Scenario { name: "2 workers, restore, person", leases: true, ..RESTORE_PERSON };
const WORKERS_RESTORE_PROOF: Scenario =
    Scenario { name: "2 workers, restore, webhook", webhook: true, requests: 1, ..WORKERS_RESTORE };
const WORKERS_PERSON_PROOF: Scenario = Scenario { name: "2 workers, person, webhook", webhook: true, ..WORKERS_PERSON };
const EVERYBODY: Scenario =
    Scenario { name: "2 workers, all", hand: true, webhook: true, supersede: true, ..WORKERS_RESTORE_PERSON };
const EVERYBODY_TWICE: Scenario = Scenario { name: "2 workers, all, 2 requests", requests: 2, ..EVERYBODY };
const WORKERS_RESTORE_LATE: Scenario =
    Scenario { name: "2 workers, restore, person, 2 requests", requests: 2, ..WORKERS_RESTORE_PERSON };
const WORKERS_RESTORE_PROOFS: Scenario =
    Scenario { name: "2 workers, restore, webhook, 2 requests", webhook: true, ..WORKERS_RESTORE };
const WRITES: Scenario = Scenario { name: "appends lose answers", lost_appends: 1, requests: 2, ..BARE };
const WORKERS_WRITES: Scenario = Scenario { name: "2 workers, lost appends", lost_appends: 1, ..LEASES };
const RESTORE_WRITES: Scenario =
    Scenario { name: "restore, lost appends", lost_appends: 1, person: true, requests: 1, ..RESTORE };
const PERSON_WRITES: Scenario = Scenario { name: "person, lost appends", lost_appends: 1, ..PERSON };
const WORKERS_RESTORE_WRITES: Scenario =
    Scenario { name: "2 workers, restore, lost appends", lost_appends: 1, ..WORKERS_RESTORE_PERSON };
const PRUNE: Scenario = Scenario { name: "pruned", prune: true, webhook: true, supersede: true, requests: 2, ..BARE };
const WORKERS_PRUNE: Scenario =
    Scenario { name: "2 workers, pruned, lost appends", prune: true, webhook: true, lost_appends: 1, ..LEASES };
const RESTORE_PRUNE: Scenario =
    Scenario { name: "restore, pruned", prune: true, webhook: true, requests: 1, person: true, ..RESTORE };
const AHEAD: Scenario = Scenario { name: "2 machines, one ahead", apart: 1, margin: 1, ..LEASES };
const BEHIND: Scenario = Scenario { name: "2 machines, one behind", apart: -1, margin: 1, ..LEASES };
const AHEAD_PERSON: Scenario =
    Scenario { name: "2 machines, one ahead, person", apart: 1, margin: 1, ..WORKERS_PERSON };
const BEHIND_PERSON: Scenario =
    Scenario { name: "2 machines, one behind, person", apart: -1, margin: 1, ..WORKERS_PERSON };
const AHEAD_RESTORE: Scenario =
    Scenario { name: "2 machines, one ahead, restore", apart: 1, margin: 1, ..WORKERS_RESTORE };
const BEHIND_RESTORE: Scenario =
    Scenario { name: "2 machines, one behind, restore", apart: -1, margin: 1, ..WORKERS_RESTORE };
const CARRIED: Scenario = Scenario { name: "restore, failing appends", failing_appends: true, ..RESTORE_LATE };
