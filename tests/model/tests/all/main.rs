//! Every kind of cell in every scenario: nothing breaks, and everything interesting is reached.
//! And everything planted is found.

mod kinds;
mod planted;

use std::io::Write as _;

use hapax_model::{Report, Scenario};

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
