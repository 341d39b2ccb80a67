//! Outcomes and operations in words for people.

use hapax_core::executor::{OperationView, RunReport};
use hapax_core::ledger::OperationId;
use hapax_core::words::{Next, Outcome};
use serde_json::Value;

use crate::output::{Output, Style};
use crate::time;

/// What a call came to.
pub(crate) fn print(output: &Output, report: &RunReport) {
    outcome(output, &report.outcome);
    if report.pruned {
        output.pair("receipt", "removed by retention");
    }
    output.pair("operation", report.operation);
    output.pair("revision", report.revision);
    if let Some(fate) = &report.fate {
        output.pair("since then", fate);
    }
    for other in &report.similar {
        output.pair("repeat?", format!("operation {other} began recently with equal arguments and another key"));
    }
    alarms(output, &report.alarms);
    advice(output, report.operation, report.revision, &report.outcome);
}

/// The same in one line, for a list of them.
pub(crate) fn brief(report: &RunReport) -> String {
    let words = match &report.outcome {
        Outcome::Succeeded { receipt } => format!("succeeded once  {}", receipt["id"].as_str().unwrap_or_default()),
        Outcome::Refused { reason } => format!("refused: {reason}"),
        Outcome::Unknown { why, next, .. } => format!("{}: {why}", word(next)),
    };
    format!("{}  {words}", report.operation)
}

/// First words: what happened to the effect.
fn outcome(output: &Output, outcome: &Outcome<Value>) {
    match outcome {
        Outcome::Succeeded { receipt } => {
            output.line(output.style(Style::Good, "succeeded: it happened once"));
            for (name, value) in receipt.as_object().into_iter().flatten() {
                output.pair(name, plain(value));
            }
        }
        Outcome::Refused { reason } => {
            output.line(output.style(Style::Bad, &format!("refused: nothing happened: {reason}")));
        }
        Outcome::Unknown { why, next, receipt } => {
            output.line(output.style(Style::Careful, &format!("{}: {why}", word(next))));
            if let Some(receipt) = receipt {
                output.pair("it happened", "but could not be recorded yet; keep this receipt");
                output.pair("receipt", receipt);
            }
        }
    }
}

/// What isn't known yet, by what is next.
fn word(next: &Next) -> &'static str {
    match next {
        Next::CallAgain { .. } => "unknown",
        Next::Held => "held",
        Next::Person => "with a person",
    }
}

fn alarms(output: &Output, alarms: &[String]) {
    for alarm in alarms {
        output.line(output.style(Style::Bad, &format!("  ALARM      {alarm}")));
    }
}

/// What to do next, as commands that can be copied.
fn advice(output: &Output, operation: OperationId, revision: u64, outcome: &Outcome<Value>) {
    let Outcome::Unknown { next, .. } = outcome else { return };
    output.pair(
        "next",
        match next {
            Next::CallAgain { .. } => {
                "run the same command again with the same key, or `hapax recover`; neither makes a second effect"
                    .to_owned()
            }
            Next::Held => format!(
                "hapax approve {operation} --seen {revision} --by YOU\n\
                 hapax deny {operation} --seen {revision} --by YOU"
            ),
            Next::Person => format!("hapax show {operation}"),
        },
    );
}

/// One operation, whole.
pub(crate) fn view(output: &Output, view: &OperationView, scale: u32) {
    output.line(output.style(Style::Bold, &format!("{} {}", view.cell, view.key)));
    outcome(output, &view.outcome);
    output.pair("operation", view.operation);
    output.pair("revision", view.revision);
    output.pair("connection", &view.connection);
    if view.epoch > 0 {
        output.pair("epoch", view.epoch);
    }
    output.pair("arguments", if view.args.is_null() { "removed by retention".to_owned() } else { plain(&view.args) });
    if let Some(fate) = &view.fate {
        output.pair("since then", fate);
    }
    alarms(output, &view.alarms);
    output.line(output.style(Style::Bold, "what happened"));
    let began = view.timeline.first().map_or(0, |entry| entry.at_ms);
    for entry in &view.timeline {
        output.line(format!("  {}  {}", output.style(Style::Dim, &moment(entry.at_ms, began, scale)), entry.what));
    }
    evidence(output, view);
}

/// A scaled clock's dates mean nothing to people, so its moments are shown from the beginning.
fn moment(at_ms: i64, began_ms: i64, scale: u32) -> String {
    if scale > 1 {
        let ms = at_ms - began_ms;
        return format!("+{:>6}.{:01} s", ms / 1000, ms % 1000 / 100);
    }
    time::show(at_ms)
}

fn evidence(output: &Output, view: &OperationView) {
    let Some(evidence) = &view.evidence else { return };
    output.line(output.style(Style::Bold, "to decide"));
    output.pair("open", format!("{} request(s) that may have taken effect", evidence.open_attempts));
    let seconds = evidence.absence_counts_in_seconds;
    output.pair(
        "absence",
        if seconds == 0 {
            "if the provider shows nothing now, nothing happened".to_owned()
        } else {
            format!("that the provider shows nothing proves nothing for another {}", duration(seconds))
        },
    );
    output.pair("look at", &evidence.look_at);
    output.pair("stakes", format!("{}; a duplicate can be reversed {}", evidence.stakes, evidence.reversal));
    output.pair("risk left", &evidence.residual);
    let (id, revision) = (view.operation, view.revision);
    if let Outcome::Unknown { next: Next::Person, .. } = view.outcome {
        output.pair(
            "then",
            format!(
                "hapax resolve {id} --seen {revision} --by YOU --happened ID\n\
                 ... or --did-not-happen, --send-again, --take-over"
            ),
        );
    } else {
        advice(output, id, revision, &view.outcome);
    }
}

/// A number of seconds as people say it.
pub(crate) fn duration(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// A value without quotes around texts; money as money.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => match serde_json::from_value::<hapax_core::money::Money>(other.clone()) {
            Ok(money) => money.to_string(),
            Err(_) => other.to_string(),
        },
    }
}
