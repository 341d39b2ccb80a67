//! Every check that a change must pass: named, timed, and ending at the first failure with the
//! command that repeats it.

mod steps;

use std::path::Path;
use std::time::Duration;

use hapax_core::clock::{Clock, SystemClock};

use crate::files::Done;
use crate::say;
use steps::{Job, Step};

/// Runs the steps: all, only the named ones, or all but the named ones.
pub(crate) fn ci(root: &Path, only: &[String], skip: &[String], list: bool) -> Done {
    let steps = steps::steps(root);
    if let Some(unknown) = only.iter().chain(skip).find(|name| !steps.iter().any(|step| step.name == **name)) {
        return Err(format!("there is no step {unknown:?}; `cargo xtask ci --list` says which there are"));
    }
    let mut times = Vec::new();
    let named = |names: &[String], step: &Step| names.iter().any(|name| step.name == *name);
    for step in steps.iter().filter(|step| only.is_empty() || named(only, step)) {
        if named(skip, step) {
            times.push(format!("{:<12} skipped, as asked", step.name));
            continue;
        }
        if list {
            say::line(format!("{:<12} {}", step.name, step.what));
            continue;
        }
        say::line(format!("\n== {}: {}", step.name, step.what));
        let (done, took) = timed(|| run(root, step));
        if let Err(why) = done {
            return Err(format!(
                "step {} failed after {took}: {why}\nagain: cargo xtask ci --only {}",
                step.name, step.name
            ));
        }
        say::line(format!("== {}: passed in {took}", step.name));
        times.push(format!("{:<12} {took}", step.name));
    }
    if !list {
        say::line(format!("\nno step failed\n{}", times.join("\n")));
    }
    Ok(())
}

fn run(root: &Path, step: &Step) -> Done {
    for job in &step.jobs {
        match job {
            Job::Run(line) => {
                say::line(format!("$ {}", line.shown()));
                line.run(root)?;
            }
            Job::Chore(chore) => chore(root)?,
            Job::Skipped(why) => say::line(format!("skipped: {why}")),
        }
    }
    Ok(())
}

/// Runs something and says how long it took.
fn timed<T>(job: impl FnOnce() -> T) -> (T, String) {
    let clock = SystemClock::new();
    let begun = clock.now();
    let done = job();
    let took = Duration::from_millis(clock.now().boot_ms.saturating_sub(begun.boot_ms));
    (done, format!("{:.1} s", took.as_secs_f64()))
}
