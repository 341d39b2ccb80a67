//! What a mistake of ours says when it stops a thread: where it is, and nothing of what it was about.
//!
//! The words of a panic may quote anything. A text that is cut in the middle of a letter is shown whole, an `expect` shows
//! the error that it met; so arguments and answers would be in whatever keeps this program's stderr.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};

use crate::exit::{Exit, Failure};
use crate::output::stderr_line;

/// From here on, a panic tells its place alone.
pub(crate) fn tell_places_alone() {
    set_hook(Box::new(|panic| stderr_line(&told(panic))));
}

fn told(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let thread = std::thread::current();
    let line = format!(
        "a mistake in hapax stopped its thread {} at {place}; what was journaled is safe and goes on; please report this line",
        thread.name().unwrap_or("without a name")
    );
    // Names of functions, if the environment asks for them as it does elsewhere.
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured { format!("{line}\n{backtrace}") } else { line }
}

/// A command's end, also where a mistake stopped the command itself.
pub(crate) fn caught(run: impl FnOnce() -> Result<Exit, Failure>) -> Result<Exit, Failure> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let why = "it isn't known what happened: a mistake in hapax stopped this command";
        Err(Failure::internal(format!("{why}; call again with the same key, or look with `hapax show`")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_a_mistake_stops_says_what_to_do_and_nothing_of_what_it_was_about() {
        let failure = caught(|| panic!("the name of ada@example.com")).expect_err("it was stopped");
        assert_eq!((failure.exit, failure.code), (Exit::Internal, "internal"));
        assert!(failure.message.starts_with("it isn't known what happened"), "{failure:?}");
        assert!(failure.message.contains("the same key") && !failure.message.contains("ada@"), "{failure:?}");
        assert_eq!(caught(|| Ok(Exit::Held)).ok(), Some(Exit::Held));
    }
}
