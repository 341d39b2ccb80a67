use super::slot::Work;
use super::targets::RAW;
use super::{Run, main_work};
use crate::keys::{Order, mix};

/// One target's turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) target: String,
    pub(super) work: Work,
    pub(super) repetition: u64,
    /// Whether its keys are called again afterwards.
    pub(super) replays: bool,
}

/// How long the slow provider takes: what users have.
const SLOW_MS: u64 = 20;

/// All turns. Within a repetition the targets take turns on each work, in another order each time, so that what
/// happens to the machine happens to all of them.
pub(super) fn turns(run: &Run, targets: &[String]) -> Vec<Turn> {
    let mut turns = Vec::new();
    for repetition in 0..run.reps {
        for (number, (work, replays)) in works(run, repetition).into_iter().enumerate() {
            let seed = mix(repetition << 32 | number as u64);
            for target in shuffled(targets, seed) {
                let replays = replays && target != RAW;
                turns.push(Turn { target, work, repetition, replays });
            }
        }
    }
    turns
}

/// What is called in a repetition. The slow provider and the other order of keys tell little anew each time, so they
/// come once.
fn works(run: &Run, repetition: u64) -> Vec<(Work, bool)> {
    let mut works: Vec<(Work, bool)> = run.callers.iter().map(|callers| (main_work(*callers), true)).collect();
    if repetition == 0 {
        works.extend(run.callers.iter().map(|callers| (Work { provider_ms: SLOW_MS, ..main_work(*callers) }, false)));
        let most = run.callers.iter().max().copied();
        works.extend(most.map(|callers| (Work { order: Order::Time, ..main_work(callers) }, false)));
    }
    works
}

fn shuffled(all: &[String], seed: u64) -> Vec<String> {
    let mut all: Vec<(u64, &String)> = all.iter().zip(0..).map(|(one, number)| (mix(seed ^ number), one)).collect();
    all.sort_unstable();
    all.into_iter().map(|(_, one)| one.clone()).collect()
}
