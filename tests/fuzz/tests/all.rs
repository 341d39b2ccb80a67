//! Foreign bytes for every parser, and random calls for every ledger: `docs/internals/fuzzing.md`.

#[path = "all/answers.rs"]
mod answers;
// It stands in the program, whose own targets use it too: a program can't be a dependency.
#[path = "../../../interfaces/cli/src/bytes.rs"]
mod bytes;
#[path = "all/damaged.rs"]
mod damaged;
#[path = "all/declarations.rs"]
mod declarations;
// What the cells are called with stands in the adapters' folders; the crash suite's list of it is generated.
#[allow(dead_code, reason = "the crash suite reads more of it")]
#[path = "../../crash/tests/all/jobs.rs"]
mod jobs;
#[path = "all/ledgers.rs"]
mod ledgers;
#[path = "all/recorded.rs"]
mod recorded;
#[path = "all/rows.rs"]
mod rows;
#[path = "all/texts.rs"]
mod texts;
#[path = "all/tokens.rs"]
mod tokens;
