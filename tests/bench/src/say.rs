//! The one place that prints.

use std::io::Write;

/// A line of the answer.
pub fn out(line: &str) {
    to(std::io::stdout().lock(), line);
}

/// A line for whoever watches.
pub fn note(line: &str) {
    to(std::io::stderr().lock(), line);
}

fn to(mut stream: impl Write, line: &str) {
    // Nobody is left to tell that nobody listens.
    let _ = writeln!(stream, "{line}").and_then(|()| stream.flush());
}
