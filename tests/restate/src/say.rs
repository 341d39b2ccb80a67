//! The one place that prints: one JSON object a line.

use std::io::Write;

use restate_sdk::prelude::HandlerResult;
use serde_json::Value;

/// Says it to whoever started the worker.
pub(crate) fn line(said: &Value) {
    let mut out = std::io::stdout().lock();
    // Who doesn't listen any more has ended, and ends this process as well.
    let _ = writeln!(out, "{said}").and_then(|()| out.flush());
}

/// A step that tells people something, where they look: here, a line on the standard output.
pub(crate) async fn people(what: Value) -> HandlerResult<()> {
    line(&what);
    Ok(())
}
