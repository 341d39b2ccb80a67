//! What the figures should be. All are ratios inside one run, or counts: no machine makes them better than they are.

use super::spread::{median, ratios, shown};
use crate::keys::Order;
use crate::run::{AGENT_EFFECTS, DBOS, Kind, Measurements, POSTGRES, RAW, RESTATE, SQLITE, Size, Slot, Work};

/// A target and what was measured.
struct Goal {
    what: &'static str,
    ledger: &'static str,
    callers: Option<u64>,
    bound: Bound,
    measured: Vec<f64>,
    digits: usize,
}

#[derive(Clone, Copy)]
enum Bound {
    Least(f64),
    Most(f64),
}

const BOTH: [&str; 2] = [SQLITE, POSTGRES];

/// Target and measured, side by side.
pub(super) fn table(all: &Measurements) -> String {
    let slots = &all.slots;
    let goals = [shares(slots), peers(slots), counts(slots), replays(slots), sizes(&all.sizes)];
    let rows: String = goals.iter().flatten().map(Goal::row).collect();
    format!("| work | ledger | callers | target | measured | |\n|---|---|---|---|---|---|\n{rows}")
}

fn fresh(callers: u64) -> Work {
    Work { kind: Kind::Fresh, order: Order::Random, provider_ms: 0, callers }
}

fn shares(slots: &[Slot]) -> Vec<Goal> {
    const LEAST: [(&str, [(u64, f64); 3]); 2] =
        [(SQLITE, [(1, 0.15), (32, 0.30), (128, 0.40)]), (POSTGRES, [(1, 0.10), (32, 0.19), (128, 0.33)])];
    each(&LEAST, |ledger, callers, least| Goal {
        what: "share of the unguarded call's throughput that remains",
        ledger,
        callers: Some(callers),
        bound: Bound::Least(least),
        measured: ratios(slots, ledger, RAW, fresh(callers)),
        digits: 3,
    })
}

fn peers(slots: &[Slot]) -> Vec<Goal> {
    const STORE: [(&str, [(u64, f64); 3]); 2] =
        [(SQLITE, [(1, 4.0), (32, 30.0), (128, 40.0)]), (POSTGRES, [(1, 4.0), (32, 15.0), (128, 30.0)])];
    const ENGINE: [(&str, [(u64, f64); 4]); 2] = [
        (SQLITE, [(1, 5.0), (8, 5.0), (32, 5.0), (128, 5.0)]),
        (POSTGRES, [(1, 4.0), (8, 5.0), (32, 5.0), (128, 5.0)]),
    ];
    let against = |what, peer: fn(&str) -> &'static str| {
        move |ledger: &'static str, callers, least| Goal {
            what,
            ledger,
            callers: Some(callers),
            bound: Bound::Least(least),
            measured: ratios(slots, ledger, peer(ledger), fresh(callers)),
            digits: 1,
        }
    };
    let same = |ledger: &str| if ledger == SQLITE { AGENT_EFFECTS } else { DBOS };
    let mut goals = each(&STORE, against("times the best peer on the same kind of store (agent-effects; DBOS)", same));
    goals.extend(each(&ENGINE, against("times Restate (Rust, 4 partitions)", |_| RESTATE)));
    goals
}

fn counts(slots: &[Slot]) -> Vec<Goal> {
    let of = |ledger: &str, work: Work, value: fn(&Slot) -> f64| -> Vec<f64> {
        slots.iter().filter(|slot| slot.target == ledger && slot.work == work).map(value).collect()
    };
    let flushes: fn(&Slot) -> f64 = |slot| slot.per_operation(slot.measured.committed.commits as f64);
    let goal = |what, ledger, callers, bound, measured| Goal {
        what,
        ledger,
        callers: Some(callers),
        bound,
        measured,
        digits: 3,
    };
    let mut goals = Vec::new();
    for (ledger, at_128) in [(SQLITE, 0.06), (POSTGRES, 0.08)] {
        let what = "flushes per operation";
        goals.push(goal(what, ledger, 1, Bound::Most(2.0), of(ledger, fresh(1), flushes)));
        goals.push(goal(what, ledger, 128, Bound::Most(at_128), of(ledger, fresh(128), flushes)));
        for callers in [1, 128] {
            let replay = Work { kind: Kind::Replay, ..fresh(callers) };
            goals.push(goal("flushes per replay", ledger, callers, Bound::Most(0.0), of(ledger, replay, flushes)));
        }
        let appends = of(ledger, fresh(32), Slot::appends_per_commit);
        goals.push(goal("appends per commit", ledger, 32, Bound::Least(8.0), appends));
    }
    goals
}

fn replays(slots: &[Slot]) -> Vec<Goal> {
    const LEAST: [(&str, [(u64, f64); 3]); 2] = [
        (SQLITE, [(1, 100_000.0), (32, 100_000.0), (128, 100_000.0)]),
        (POSTGRES, [(1, 10_000.0), (32, 10_000.0), (128, 10_000.0)]),
    ];
    each(&LEAST, |ledger, callers, least| {
        let work = Work { kind: Kind::Replay, ..fresh(callers) };
        let of = |slot: &&Slot| slot.target == ledger && slot.work == work;
        let measured = slots.iter().filter(of).map(Slot::per_second).collect();
        let bound = Bound::Least(least);
        Goal {
            what: "replays of finished keys in a second",
            ledger,
            callers: Some(callers),
            bound,
            measured,
            digits: 0,
        }
    })
}

fn sizes(sizes: &[Size]) -> Vec<Goal> {
    let of = |ledger: &'static str, value: &dyn Fn(&Size) -> Vec<f64>| -> Vec<f64> {
        sizes.iter().filter(|size| size.target == ledger).flat_map(value).collect()
    };
    let kept = |ledger| if ledger == SQLITE { 1024.0 } else { 1536.0 };
    let goal = |what, ledger, most, measured, digits| Goal {
        what,
        ledger,
        callers: None,
        bound: Bound::Most(most),
        measured,
        digits,
    };
    let goals = |ledger| {
        let mebibyte = f64::from(1 << 20);
        [
            goal(
                "seconds until due work is found",
                ledger,
                1.0,
                of(ledger, &|size| vec![size.until_due().as_secs_f64()]),
                3,
            ),
            goal("MiB of memory then", ledger, 200.0, of(ledger, &|size| vec![size.memory_bytes as f64 / mebibyte]), 0),
            goal(
                "bytes on disk per finished operation",
                ledger,
                kept(ledger),
                of(ledger, &|size| vec![size.bytes_per_finished()]),
                0,
            ),
            goal("cost against an empty ledger, 32 callers", ledger, 1.3, of(ledger, &Size::cost), 2),
        ]
    };
    BOTH.into_iter().flat_map(goals).collect()
}

/// A goal for each ledger and number of callers.
fn each<const N: usize>(
    all: &[(&'static str, [(u64, f64); N])],
    goal: impl Fn(&'static str, u64, f64) -> Goal,
) -> Vec<Goal> {
    all.iter()
        .flat_map(|(ledger, bounds)| bounds.iter().map(|(callers, bound)| goal(ledger, *callers, *bound)))
        .collect()
}

impl Goal {
    fn row(&self) -> String {
        let Self { what, ledger, callers, measured, digits, .. } = self;
        let callers = callers.map_or_else(|| "-".to_owned(), |callers| callers.to_string());
        let bound = match self.bound {
            Bound::Least(least) => format!("≥ {least}"),
            Bound::Most(most) => format!("≤ {most}"),
        };
        format!("| {what} | {ledger} | {callers} | {bound} | {} | {} |\n", shown(measured, *digits), self.verdict())
    }

    fn verdict(&self) -> &'static str {
        match (median(self.measured.clone()), self.bound) {
            (None, _) => "not measured",
            (Some(median), Bound::Least(least)) if median >= least => "met",
            (Some(median), Bound::Most(most)) if median <= most => "met",
            _ => "**missed**",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(bound: Bound, measured: &[f64]) -> Goal {
        Goal { what: "work", ledger: SQLITE, callers: Some(1), bound, measured: measured.to_vec(), digits: 1 }
    }

    #[test]
    fn the_median_decides_and_what_is_not_measured_is_not_met() {
        assert_eq!(goal(Bound::Least(2.0), &[1.0, 2.0, 9.0]).verdict(), "met");
        assert_eq!(goal(Bound::Least(2.0), &[1.0, 1.9, 9.0]).verdict(), "**missed**");
        assert_eq!(goal(Bound::Most(0.0), &[0.0]).verdict(), "met");
        assert_eq!(goal(Bound::Most(0.0), &[0.1]).verdict(), "**missed**");
        assert_eq!(goal(Bound::Most(2.0), &[]).verdict(), "not measured");
        assert_eq!(goal(Bound::Least(0.5), &[1.0]).row(), "| work | hapax-sqlite | 1 | ≥ 0.5 | 1.0 | met |\n");
    }

    #[test]
    fn every_target_of_the_table_is_looked_for() {
        let rows = table(&Measurements::default()).lines().count() - 2;
        // Shares, store peers, Restate, counts, replays, sizes.
        assert_eq!(rows, 6 + 6 + 8 + 10 + 6 + 8);
    }
}
