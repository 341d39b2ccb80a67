//! What a worker says: lines and a line of progress for people, an object per event for programs.

use std::io::IsTerminal;
use std::time::Duration;

use hapax_core::executor::RunReport;
use hapax_core::ledger::OperationId;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Args;
use super::counts::Counts;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::report;

/// How many operations are named in a line.
const NAMED: usize = 5;

/// A connection that can't be used here.
pub(super) struct LeftOut {
    pub(super) connection: String,
    pub(super) failure: Failure,
    /// What is under way on it.
    pub(super) operations: Vec<OperationId>,
}

/// Why a worker stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Why {
    /// It was told to.
    Signal,
    /// Nothing is due any more.
    Idle,
    /// The ledger failed, and it was to end when idle.
    Ledger,
}

/// Says what happens.
pub(super) struct Teller {
    output: Output,
    bar: Option<ProgressBar>,
}

impl Teller {
    pub(super) fn new(output: Output) -> Self {
        let wanted = std::io::stderr().is_terminal() && !output.json;
        let bar = wanted.then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        Self { output, bar }
    }

    pub(super) fn started(&self, args: &Args, connections: Vec<String>, left_out: &[LeftOut]) {
        self.line(format!(
            "working on what is due, {} at once, on {}; stop with Ctrl-C or SIGTERM",
            args.concurrency,
            if connections.is_empty() { "no connection".to_owned() } else { connections.join(", ") }
        ));
        for one in left_out {
            self.note(format!("connection {} is left out: {}", one.connection, one.failure.message));
            if !one.operations.is_empty() {
                self.note(format!("not served here, under way on {}: {}", one.connection, some(&one.operations)));
            }
        }
        let left_out: Vec<Value> = left_out
            .iter()
            .map(|one| {
                json!({
                    "connection": one.connection, "code": one.failure.code, "message": one.failure.message,
                    "operations": one.operations,
                })
            })
            .collect();
        let (poll_ms, grace_ms) = (ms(args.poll), ms(args.grace));
        let event = json!({
            "concurrency": args.concurrency, "poll_ms": poll_ms, "grace_ms": grace_ms, "until_idle": args.until_idle,
            "connections": connections, "left_out": left_out,
        });
        self.event(Exit::Succeeded, "started", &event);
    }

    /// What came of an operation that was taken up.
    pub(super) fn operation(&self, report: &RunReport) {
        self.line(report::brief(report));
        for alarm in &report.alarms {
            self.line(format!("{}  ALARM  {alarm}", report.operation));
        }
        self.event(Exit::of(&report.outcome), "operation", report);
    }

    /// Due work that nobody served, given to a person.
    pub(super) fn unserved(&self, operations: &[OperationId]) {
        for one in operations {
            self.line(format!("{one}  given to a person: no connection here serves it"));
        }
        self.event(Exit::Person, "unserved", &json!({ "operations": operations }));
    }

    /// The policy's retention was at so many operations.
    pub(super) fn pruned(&self, operations: u64) {
        self.line(format!("removed by retention: arguments and receipts of {operations} operation(s)"));
        self.event(Exit::Succeeded, "pruned", &json!({ "operations": operations }));
    }

    /// The ledger can't be used for now.
    pub(super) fn away(&self, failure: &Failure) {
        self.note(format!("{}; trying again until it works", failure.message));
        self.event(failure.exit, "away", &json!({ "error": { "code": failure.code, "message": failure.message } }));
    }

    /// It can be used again.
    pub(super) fn back(&self, after: Duration) {
        self.note(format!("the ledger can be used again, after {} s", after.as_secs()));
        self.event(Exit::Succeeded, "back", &json!({ "after_ms": ms(after) }));
    }

    pub(super) fn stopping(&self, why: Why, under_way: usize, grace: Duration) {
        if under_way > 0 {
            self.line(format!("stopping: {under_way} under way get up to {} s", grace.as_secs()));
        }
        self.event(Exit::Succeeded, "stopping", &json!({ "why": why, "under_way": under_way }));
    }

    /// The last words.
    pub(super) fn summary(&self, exit: Exit, counts: &Counts, left: usize) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.line(counts);
        if left > 0 {
            self.line(format!("{left} left under way; each is due again when its lease ends, for any worker"));
        }
        let mut event = json!(counts);
        event["left"] = json!(left);
        self.event(exit, "summary", &event);
    }

    /// Keeps the line of progress up to date.
    pub(super) fn progress(&self, counts: &Counts, under_way: usize) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{under_way} under way; {counts}"));
        }
    }

    fn line(&self, text: impl std::fmt::Display) {
        self.aside(|| self.output.line(text));
    }

    fn note(&self, text: impl std::fmt::Display) {
        self.aside(|| self.output.note(text));
    }

    /// Says something without tearing the line of progress.
    fn aside(&self, say: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    fn event(&self, exit: Exit, event: &str, value: &impl Serialize) {
        if !self.output.json {
            return;
        }
        let mut fields = Map::from_iter([("event".to_owned(), json!(event))]);
        if let Ok(Value::Object(more)) = serde_json::to_value(value) {
            fields.extend(more);
        }
        self.output.answer(exit, &fields);
    }
}

fn some(operations: &[OperationId]) -> String {
    let named: Vec<String> = operations.iter().take(NAMED).map(ToString::to_string).collect();
    let more = operations.len().saturating_sub(NAMED);
    if more > 0 { format!("{} and {more} more", named.join(", ")) } else { named.join(", ") }
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
