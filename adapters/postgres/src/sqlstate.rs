//! What an error means, and how it is told without the values that it quotes.

use hapax_core::capability::{Code, Meaning, meaning_of};
use hapax_core::words::{Answer, Covers, Fault, Refusal};
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, ErrorPosition};

use crate::facts::{ANSWERS, AT, BEFORE};

/// Where an error came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// `COMMIT` has not left: nothing can have happened.
    Before,
    /// `COMMIT` has left.
    Commit,
}

/// What an error says of its attempt. `what` names the step.
pub(crate) fn answer<R>(stage: Stage, what: &str, error: &Error) -> Answer<R> {
    let Some(said) = error.as_db_error() else { return lost(stage, what, error) };
    let (state, words) = (said.code().code(), words(what, said));
    match meaning(stage, state) {
        Some(Meaning::Refused) => Answer::Refused(Refusal::new(state, words), Covers::Attempt),
        Some(Meaning::NotDone) => Answer::NotDone(words, None),
        _ => Answer::Unclear(Fault::Unread(words)),
    }
}

/// The same for a harmless step.
pub(crate) fn fault(what: &str, error: &Error) -> Fault {
    match error.as_db_error() {
        Some(said) => Fault::Unread(words(what, said)),
        None => Fault::Lost(format!("{what}: {error}")),
    }
}

/// By the whole SQLSTATE, else by its class.
pub(crate) fn meaning(stage: Stage, state: &str) -> Option<Meaning> {
    let kind = if stage == Stage::Before { BEFORE } else { AT };
    let by = |code: &str| meaning_of(ANSWERS, 0, &Code::new(kind, code, ""));
    by(state).or_else(|| by(state.get(..2)?))
}

fn lost<R>(stage: Stage, what: &str, error: &Error) -> Answer<R> {
    match stage {
        // No COMMIT can come any more: the server rolls back, at once or when it notices.
        Stage::Before => Answer::NotDone(format!("{what}: the connection ended before COMMIT left ({error})"), None),
        Stage::Commit => Answer::Unclear(Fault::Lost(format!("{what}: {error}"))),
    }
}

/// An error in words: MESSAGE, DETAIL and HINT may quote values, so they are left out. What is
/// violated where is told in fields of its own.
fn words(what: &str, said: &DbError) -> String {
    let state = said.code().code();
    let mut words = format!("{what}: {} (SQLSTATE {state})", condition(state));
    let fields = [("constraint", said.constraint()), ("table", said.table()), ("column", said.column())];
    for (name, value) in fields {
        if let Some(value) = value {
            words.push_str(&format!(", {name} {value}"));
        }
    }
    if let Some(ErrorPosition::Original(position)) = said.position() {
        words.push_str(&format!(", at character {position}"));
    }
    words
}

/// The condition's name in the manual, for those that people meet.
fn condition(state: &str) -> &'static str {
    match state {
        "22P02" => "invalid text representation",
        "22001" => "string data right truncation",
        "22003" => "numeric value out of range",
        "23502" => "not-null violation",
        "23503" => "foreign key violation",
        "23505" => "unique violation",
        "23514" => "check violation",
        "23P01" => "exclusion violation",
        "25006" => "read-only transaction",
        "25P03" => "idle in transaction for too long",
        "28P01" => "invalid password",
        "2D000" => "invalid transaction termination",
        "3D000" => "no such database",
        "40001" => "serialization failure",
        "40P01" => "deadlock detected",
        "42501" => "insufficient privilege",
        "42601" => "syntax error",
        "42703" => "undefined column",
        "42P01" => "undefined table",
        "53300" => "too many connections",
        "55P03" => "lock not available",
        "57014" => "statement timeout or canceled",
        "57P01" => "terminated by an administrator",
        "57P03" => "cannot connect now",
        "P0001" => "raised by the database's own code; its words are left out",
        _ => "an error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn execute_every_row_of_the_table_means_what_it_says() {
        for row in ANSWERS {
            let stage = if row.kind == BEFORE { Stage::Before } else { Stage::Commit };
            let state = if row.code.len() == 2 { format!("{}999", row.code) } else { row.code.to_owned() };
            assert_eq!(meaning(stage, &state), Some(row.means), "{state} {}", row.kind);
        }
        // What is certain before COMMIT is not certain as its answer.
        for state in ["57P01", "57014", "53100", "42P01", "08006", "40P01", "XX000"] {
            assert!(!matches!(meaning(Stage::Commit, state), Some(Meaning::Refused | Meaning::NotDone)), "{state}");
        }
    }

    #[test]
    fn execute_unknown_state_is_unclear() {
        for state in ["XX000", "08006", "58030", "40003", "ABCDE", "4", ""] {
            assert_eq!(meaning(Stage::Before, state), None, "{state}");
        }
    }
}
