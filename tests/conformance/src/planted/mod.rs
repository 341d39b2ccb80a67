//! Planted bugs: each turns the kit red, or the kit proves nothing.
//!
//! They are wrappers around what the kit hands to an executor, never switches inside the core.

mod around_cells;
mod around_ledgers;
mod around_sockets;

use std::sync::Arc;

use tokio::task::JoinSet;

use crate::kit::{Bends, CellSubject, Invariant, Kit, Report, Subject};

/// One bug, and where it shows.
#[derive(Clone, Copy, Debug)]
pub struct Planted {
    /// Its name.
    pub name: &'static str,
    /// What is wrong.
    pub what: &'static str,
    /// The wrapper.
    pub bends: Bends,
    /// Faults that should bring it to light.
    pub faults: &'static [&'static str],
    /// Invariants of which one names it.
    pub shows: &'static [Invariant],
}

/// All of them.
pub const ALL: &[Planted] = &[
    Planted {
        name: "timeout-is-failure",
        what: "an answer that was lost counts as a refusal",
        bends: Bends::cell(around_cells::timeout_is_failure),
        faults: &["answer-lost", "redirect-after", "502-after"],
        shows: &[Invariant::NoFalseRefusal],
    },
    Planted {
        name: "fresh-key-per-attempt",
        what: "every attempt carries another key",
        bends: Bends::transport(around_sockets::fresh_key),
        faults: &["request-lost", "503-before", "504-after", "effect-after-deadline"],
        shows: &[Invariant::OneToken, Invariant::OneEffect],
    },
    Planted {
        name: "absence-believed-at-once",
        what: "what does not show yet counts as not having happened",
        bends: Bends::cell(around_cells::no_settle),
        faults: &["effect-after-deadline", "look-too-early", "403-on-the-second"],
        shows: &[Invariant::OneEffect, Invariant::NoFalseRefusal, Invariant::Loud, Invariant::NoFalseSuccess],
    },
    Planted {
        name: "first-page-is-all",
        what: "the first page of a list counts as the whole",
        bends: Bends::transport(around_sockets::first_page_is_all),
        faults: &["look-finds-many"],
        shows: &[Invariant::NothingUnbidden, Invariant::OneEffect, Invariant::ExpectedEnd],
    },
    Planted {
        name: "several-swallowed",
        what: "of several that are found the first is taken",
        bends: Bends::cell(around_cells::first_of_several),
        faults: &["look-finds-two"],
        shows: &[Invariant::Loud],
    },
    Planted {
        name: "reported-before-durable",
        what: "the ledger acknowledges an answer that it does not write",
        bends: Bends::ledger(around_ledgers::acknowledges_only),
        faults: &["clean", "killed-after-send"],
        shows: &[Invariant::FinalStaysFinal, Invariant::SameReceipt, Invariant::OneRequest, Invariant::WorkEnds],
    },
    Planted {
        name: "second-refusal-closes",
        what: "a refusal of the second request speaks for the first",
        bends: Bends::cell(around_cells::refusal_closes),
        faults: &["403-on-the-second", "401-on-the-second"],
        shows: &[Invariant::NoFalseRefusal],
    },
    Planted {
        name: "sends-twice",
        what: "one attempt sends two requests",
        bends: Bends::transport(around_sockets::sends_twice),
        faults: &["clean"],
        shows: &[Invariant::OneRequest, Invariant::AsTheFaultSays],
    },
    Planted {
        name: "transport-retries",
        what: "the transport sends again when no answer comes",
        bends: Bends::transport(around_sockets::retries),
        faults: &["answer-lost", "request-lost"],
        shows: &[Invariant::OneRequest],
    },
    Planted {
        name: "redirect-followed",
        what: "a redirect is followed with the request that counts",
        bends: Bends::transport(around_sockets::follows),
        faults: &["redirect", "redirect-after"],
        shows: &[Invariant::OneRequest],
    },
    Planted {
        name: "echo-not-compared",
        what: "a success about something else counts as ours",
        bends: Bends::cell(around_cells::no_echo),
        faults: &["foreign-object"],
        shows: &[Invariant::TrueReceipt],
    },
    Planted {
        name: "claim-not-stored",
        what: "two operations may claim one record",
        bends: Bends::ledger(around_ledgers::without_claims),
        faults: &["equal-intents-one-record"],
        shows: &[Invariant::NoFalseSuccess, Invariant::OneClaim],
    },
    Planted {
        name: "not-sent-after-bytes-left",
        what: "an answer that was lost counts as a request that never left",
        bends: Bends::transport(around_sockets::lost_is_not_sent),
        faults: &["answer-lost", "request-lost"],
        shows: &[Invariant::OneRequest],
    },
    Planted {
        name: "clock-does-not-count-sleep",
        what: "the clock of the gate stands still while the machine sleeps",
        bends: Bends::clock(around_sockets::sleep_blind),
        faults: &["asleep-before-first-byte"],
        shows: &[Invariant::DeadlineKept],
    },
    Planted {
        name: "refused-is-not-done",
        what: "a refusal counts as something to try again",
        bends: Bends::cell(around_cells::refusal_is_not_done),
        faults: &["refused"],
        shows: &[Invariant::ExpectedEnd],
    },
    Planted {
        name: "everything-to-a-person",
        what: "no look ever tells anything, so everything goes to a person",
        bends: Bends::cell(around_cells::blind),
        faults: &["answer-lost", "killed-after-send", "window-over"],
        shows: &[Invariant::ExpectedEnd],
    },
    Planted {
        name: "secret-in-a-message",
        what: "a refusal quotes a credential",
        bends: Bends::transport(around_sockets::quotes_secrets),
        faults: &["refused", "401-in-the-middle", "request-lost"],
        shows: &[Invariant::NoSecret],
    },
];

/// Whether a bug came to light on a cell.
#[derive(Clone, Debug)]
pub struct Caught {
    /// Which bug.
    pub bug: &'static str,
    /// On which cell.
    pub cell: &'static str,
    /// Whether a violation names it.
    pub caught: bool,
}

/// Plays every bug over every cell, each with the faults that should show it.
pub async fn play(subject: &Arc<dyn Subject>) -> Vec<Caught> {
    let mut caught: Vec<Caught> = Vec::new();
    // A bug of timing shows only if its moment is met, which a busy machine can miss.
    for seed in [1, 2, 3] {
        let again: Vec<&Planted> =
            ALL.iter().filter(|bug| !caught.iter().any(|one| one.bug == bug.name && one.caught)).collect();
        caught.retain(|one| again.iter().all(|bug| bug.name != one.bug));
        caught.extend(all_at_once(subject, &again, seed).await);
    }
    caught
}

/// Plays these bugs over every cell with one seed; no more runs at once than one bug alone would have.
async fn all_at_once(subject: &Arc<dyn Subject>, bugs: &[&'static Planted], seed: u64) -> Vec<Caught> {
    let kit = Kit::whole(subject.clone()).seeds(&[seed]);
    let mut plays = JoinSet::new();
    for bug in bugs.iter().copied() {
        let (kit, subject) = (kit.clone().faults(bug.faults).bent(bug.bends), subject.clone());
        plays.spawn(async move {
            let report = kit.play().await;
            let caught = |cell: &str| names(bug, cell, &report);
            let of_cell =
                |cell: &Arc<dyn CellSubject>| Caught { bug: bug.name, cell: cell.id(), caught: caught(cell.id()) };
            subject.cells().iter().map(of_cell).collect::<Vec<_>>()
        });
    }
    plays.join_all().await.into_iter().flatten().collect()
}

fn names(bug: &Planted, cell: &str, report: &Report) -> bool {
    report.violations().iter().any(|(row, violation)| row.cell == cell && bug.shows.contains(&violation.invariant))
}

/// Bugs by cells.
pub fn table(caught: &[Caught]) -> String {
    let mut cells: Vec<&str> = caught.iter().map(|one| one.cell).collect();
    cells.sort_unstable();
    cells.dedup();
    let mut text = format!("\n{:<30}{}\n", "planted bug", cells.join("  "));
    for bug in ALL {
        text.push_str(&format!("{:<30}", bug.name));
        for cell in &cells {
            let shown = caught.iter().any(|one| one.bug == bug.name && one.cell == *cell && one.caught);
            text.push_str(&format!("{:<width$}", if shown { "caught" } else { "-" }, width = cell.len() + 2));
        }
        text.push('\n');
    }
    text
}

/// Bugs that came to light on no cell at all.
pub fn missed(caught: &[Caught]) -> Vec<&'static str> {
    let shown = |name: &str| caught.iter().any(|one| one.bug == name && one.caught);
    ALL.iter().map(|bug| bug.name).filter(|name| !shown(name)).collect()
}

/// How many came to light on one cell.
pub fn count(caught: &[Caught], cell: &str) -> usize {
    caught.iter().filter(|one| one.cell == cell && one.caught).count()
}
