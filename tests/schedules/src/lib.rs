//! Runs the threads and tasks of a test in an order that a seed decides, one step at a time, and another order each time.
//!
//! The order is shuttle's. A schedule is over when everybody is done; one in which somebody waits for ever, or goes on for
//! ever, has failed, and so has one in which a test's assertion doesn't hold. What is tested may use tokio's channels and
//! locks as they are: between two points they are one step, and what happens inside them is their own tests' business.
//!
//! - [`explore`] plays schedules, and [`finds`] those in which one must fail, because a bug was planted.
//! - [`point`] is where another one may go on. Code that holds a lock of the standard library must not come to one.
//! - [`spawn`], [`block_on`] and [`breathe`] stand for what a runtime gives.
//!
//! `HAPAX_SCHEDULES=100000` plays so many of each instead of the usual number, `HAPAX_SCHEDULES_SEED=7` others than usual.

mod caller;
mod task;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::atomic::{AtomicBool, Ordering};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};

pub use caller::{Left, leaving};
pub use task::{Running, block_on, breathe, run, spawn};

/// Schedules of a test in the ordinary test command.
const USUAL: usize = 4_000;

/// Longer than any of them is. One that goes on has somebody who asks for ever.
const STEPS: usize = 20_000;

/// So many changes of who goes first are enough for nearly every order that breaks something.
const DEPTH: usize = 3;

thread_local! {
    // All threads and tasks of a schedule run on the one thread that plays it.
    static PLAYS: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread plays a schedule.
pub fn is_scheduled() -> bool {
    PLAYS.get()
}

/// Another thread or task may go on here. Outside a schedule, and while a panic unwinds, it is nothing.
pub fn point() {
    if is_scheduled() && !std::thread::panicking() {
        // Not a yield: that would mean that others are to go first.
        AtomicBool::new(false).load(Ordering::SeqCst);
    }
}

/// Yes or no, as the schedule's seed says: once in so many times.
pub fn once_in(times: u32) -> bool {
    below(times) == 0
}

/// A number below `end`, as the schedule's seed says.
pub fn below(end: u32) -> u32 {
    use shuttle::rand::Rng;
    shuttle::rand::thread_rng().gen_range(0..end)
}

/// Plays schedules of `body`: a half in random order, a half with few changes of who goes first. Prints how many.
///
/// # Panics
/// If one fails.
pub fn explore(name: &str, body: impl Fn() + Clone + Send + Sync + 'static) {
    let (seed, many) = (number("HAPAX_SCHEDULES_SEED").unwrap_or(1), schedules());
    let random = play(RandomScheduler::new_from_seed(seed, many.div_ceil(2)), body.clone());
    let changes = play(PctScheduler::new_from_seed(seed, DEPTH, many / 2), body);
    say(&format!("{name}: {} schedules from seed {seed}", random + changes));
}

/// Plays schedules of `body`, in which a bug was planted, until one fails; gives the words of the failure.
///
/// # Panics
/// If none fails.
pub fn finds(name: &str, body: impl Fn() + Clone + Send + Sync + 'static) -> String {
    let failed = catch_unwind(AssertUnwindSafe(|| play(RandomScheduler::new_from_seed(1, USUAL), body)));
    PLAYS.set(false);
    let Err(panic) = failed else { panic!("{name} was not found in {USUAL} schedules") };
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    say(&format!("{name} was found: {}", text.lines().next().unwrap_or_default()));
    text
}

fn play(scheduler: impl Scheduler + 'static, body: impl Fn() + Send + Sync + 'static) -> usize {
    let mut config = Config::new();
    config.max_steps = MaxSteps::FailAfter(STEPS);
    // The seed and the number of the schedule say the same in fewer words.
    config.failure_persistence = FailurePersistence::None;
    PLAYS.set(true);
    let played = Runner::new(scheduler, config).run(body);
    PLAYS.set(false);
    played
}

#[allow(clippy::disallowed_macros, reason = "into the output of a test")]
fn say(line: &str) {
    println!("{line}");
}

fn schedules() -> usize {
    number("HAPAX_SCHEDULES").and_then(|many| many.try_into().ok()).unwrap_or(USUAL)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

#[cfg(test)]
mod tests;
