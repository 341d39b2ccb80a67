use super::Run;
use super::slot::{Kind, Work};
use super::targets::{DBOS, Family, POSTGRES, RAW, RESTATE, SQLITE};
use crate::keys::{Order, mix};

/// One target's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) target: &'static str,
    pub(super) work: Work,
    pub(super) repetition: u64,
    /// Whether its keys are called again afterwards.
    pub(super) replays: bool,
}

/// How long the slow provider takes: what users have.
const SLOW_MS: u64 = 20;

/// The turns of a family. Within a repetition its targets take turns on each work, in another order each time, so that
/// what happens to the machine happens to all of them.
pub(super) fn turns(run: &Run, family: &Family) -> Vec<Turn> {
    let mut turns = Vec::new();
    for repetition in 0..run.reps {
        for (number, (work, replays)) in works(run, repetition).into_iter().enumerate() {
            for target in shuffled(&family.targets, mix(repetition << 32 | number as u64)) {
                turns.push(Turn { target, work, repetition, replays: replays && target != RAW });
            }
        }
    }
    turns
}

/// What is called in a repetition. The slow provider and the other order of keys tell little anew each time, so they
/// come once.
fn works(run: &Run, repetition: u64) -> Vec<(Work, bool)> {
    let main = |callers: &u64| Work { kind: Kind::Fresh, order: Order::Random, provider_ms: 0, callers: *callers };
    let mut works: Vec<(Work, bool)> = run.callers.iter().map(|callers| (main(callers), true)).collect();
    if repetition == 0 {
        works.extend(run.callers.iter().map(|callers| (Work { provider_ms: SLOW_MS, ..main(callers) }, false)));
        works.extend(run.callers.iter().max().map(|callers| (Work { order: Order::Time, ..main(callers) }, false)));
    }
    works
}

/// How long a target's turn goes on. The slow ones get longer, or there would be too few calls to say something of.
pub(super) fn seconds(run: &Run, target: &str) -> f64 {
    run.secs * if [DBOS, RESTATE].contains(&target) { 2.0 } else { 1.0 }
}

fn shuffled(all: &[&'static str], seed: u64) -> Vec<&'static str> {
    let mut all: Vec<(u64, &str)> = all.iter().zip(0..).map(|(one, number)| (mix(seed ^ number), *one)).collect();
    all.sort_unstable();
    all.into_iter().map(|(_, one)| one).collect()
}

/// Ledgers whose sizes can be measured.
pub(super) const LEDGERS: [&str; 2] = [SQLITE, POSTGRES];

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run { reps: 3, callers: vec![1, 128], ..Run::default() }
    }

    fn family() -> Family {
        Family { name: "hapax", targets: vec![RAW, SQLITE, POSTGRES] }
    }

    #[test]
    fn every_target_has_the_same_turns_and_they_are_mixed() {
        let turns = turns(&run(), &family());
        let of = |target: &str| -> Vec<(Work, u64)> {
            turns.iter().filter(|turn| turn.target == target).map(|turn| (turn.work, turn.repetition)).collect()
        };
        assert_eq!(of(RAW), of(SQLITE));
        assert_eq!(of(RAW), of(POSTGRES));
        // Two works in each repetition; besides, two with a slow provider and one with keys in the order of time.
        assert_eq!(of(RAW).len(), 3 * 2 + 2 + 1);
        let firsts: std::collections::BTreeSet<&str> = turns.chunks(3).map(|three| three[0].target).collect();
        assert_eq!(firsts.len(), 3, "each is the first at some time");
    }

    #[test]
    fn only_guards_replay() {
        let turns = turns(&run(), &family());
        assert!(turns.iter().any(|turn| turn.replays));
        assert!(turns.iter().all(|turn| !turn.replays || turn.target != RAW));
    }
}
