//! The one place that prints: one JSON object a line.

use std::io::Write;

use serde_json::Value;

/// Says it to whoever started the worker.
pub(crate) fn line(said: &Value) {
    let mut out = std::io::stdout().lock();
    // Who doesn't listen any more has ended, and ends this process as well.
    let _ = writeln!(out, "{said}").and_then(|()| out.flush());
}
