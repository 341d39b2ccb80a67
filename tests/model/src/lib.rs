//! The protocol against everything: an exhaustive search over the core's own `fold`, `next` and
//! `may_send`.
//!
//! The ledger of the model is the real [`OpState`](hapax_core::protocol::OpState), moved on by its
//! own `apply`; what workers do is said by the real functions. Modelled are the provider, the
//! network, crashes and sleep, people, clocks and backups, and all of them may do their worst at
//! every step. The search is breadth first over exact states, so the first run that breaks an
//! invariant is a shortest one.
//!
//! Some steps are left out because another one leads to the same place: an answer is written at
//! any time after it was read, so it needs no separate moment of being read; a worker that dies is
//! one that never does its next step, and its request one that never arrives.

mod answers;
mod book;

/// What the executor makes of evidence that it has to write on another state than it was gathered on: the very file.
#[path = "../../../core/src/executor/carry.rs"]
mod carry;
mod claims;

mod kinds;
mod lines;
mod looks;
mod machine;
mod people;
mod provider;
mod scenario;
mod search;
mod workers;
mod world;

/// Where that file looks for its words.
mod protocol {
    pub(crate) use hapax_core::protocol::{Event, Final, Heard, OpState, Verdict};
}

pub use book::Book;
pub use claims::Claims;

pub use kinds::{Handle, Kind, Provider};
pub use machine::{Machine, SIGHTS, sight};
pub use scenario::{Bug, Scenario};
pub use search::{Model, Report, Run, Step, explore};
