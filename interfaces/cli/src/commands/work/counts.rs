//! What a worker has done, in numbers.

use std::fmt;

use hapax_core::executor::RunReport;
use hapax_core::protocol::IN_PROGRESS;
use hapax_core::words::{Next, Outcome};
use serde::Serialize;

use super::tally::Tally;

/// How often something was taken up here, and what came of it. Each time ends in exactly one of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    pub(super) taken_up: u64,
    pub(super) succeeded: u64,
    pub(super) refused: u64,
    /// Given to a person, to decide or to approve.
    pub(super) inbox: u64,
    /// Put back, to be taken up later by whoever comes first.
    pub(super) waiting: u64,
    /// Taken up in vain: another worker held it, or had done it already.
    pub(super) lost_races: u64,
    /// The ledger failed meanwhile.
    pub(super) failed: u64,
}

/// What came of taking up an operation once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    Succeeded,
    Refused,
    Inbox,
    Waiting,
    LostRace,
    Failed,
}

impl Came {
    /// From what the report says and what this worker wrote itself.
    pub(super) fn of(report: &RunReport, tally: Tally) -> Self {
        // The executor has no revision to name when the ledger failed.
        if report.revision == 0 {
            return Self::Failed;
        }
        match &report.outcome {
            Outcome::Succeeded { .. } if tally.ended_it() => Self::Succeeded,
            Outcome::Refused { .. } if tally.ended_it() => Self::Refused,
            Outcome::Succeeded { .. } | Outcome::Refused { .. } => Self::LostRace,
            Outcome::Unknown { next: Next::Person | Next::Held, .. } if tally.written > 0 => Self::Inbox,
            Outcome::Unknown { next: Next::Person | Next::Held, .. } => Self::LostRace,
            Outcome::Unknown { why, .. } if tally.written == 0 && why.starts_with(IN_PROGRESS) => Self::LostRace,
            Outcome::Unknown { .. } => Self::Waiting,
        }
    }
}

impl Counts {
    pub(super) fn add(&mut self, came: Came) {
        let counter = match came {
            Came::Succeeded => &mut self.succeeded,
            Came::Refused => &mut self.refused,
            Came::Inbox => &mut self.inbox,
            Came::Waiting => &mut self.waiting,
            Came::LostRace => &mut self.lost_races,
            Came::Failed => &mut self.failed,
        };
        *counter += 1;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { taken_up, succeeded, refused, inbox, waiting, lost_races, failed } = self;
        write!(
            f,
            "taken up {taken_up}: {succeeded} succeeded, {refused} refused, {waiting} waiting, {inbox} in the inbox, \
             {lost_races} lost races"
        )?;
        if *failed > 0 { write!(f, ", {failed} failed with the ledger") } else { Ok(()) }
    }
}
