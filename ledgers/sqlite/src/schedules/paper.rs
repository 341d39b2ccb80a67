//! What stands for the file: it notes what would be durable, fails where it is told to, and has bugs planted.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hapax_core::ledger::{Append, Appended, LedgerError};
use hapax_schedules::{once_in, point};

use crate::error::{Failure, unusable};
use crate::gather::{Reply, Together, answer};

/// A bug.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Plant {
    #[default]
    None,
    /// A commit is said to be done, and done with the next one.
    AnswersBeforeFlush,
    /// Of two appends in one transaction each gets the other's answer.
    SwapsAnswers,
    /// A batch fails if one of its callers has gone away.
    FailsForOneWhoLeft,
    /// Of several appends the last is not in what is flushed.
    ForgetsOneAtTheFlush,
    /// What failed is committed all the same.
    KeepsWhatFailed,
    /// A caller is not woken up; planted in the play.
    LosesAWakeUp,
}

/// What everybody in a play sees.
#[derive(Default)]
pub(super) struct Seen {
    /// Numbers of appends that were flushed.
    pub(super) flushed: BTreeSet<u64>,
    /// Numbers of callers who went away.
    pub(super) left: BTreeSet<u64>,
    pub(super) commits: u64,
    pub(super) counted: u64,
    pub(super) twice: bool,
    /// Whether something was made to fail that is nobody's own.
    pub(super) failed: bool,
}

pub(super) type Shared = Arc<Mutex<Seen>>;

pub(super) fn of(seen: &Shared) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) struct Paper {
    pub(super) seen: Shared,
    pub(super) failing: bool,
    pub(super) panicking: bool,
    pub(super) plant: Plant,
    /// Said to be flushed, and not yet: only with a plant.
    pub(super) owed: Vec<u64>,
}

/// Callers have numbers, which are the keys of their appends.
pub(super) fn number(append: &Append) -> u64 {
    append.index.key.as_str().parse().expect("a number")
}

/// What a contract says no to, whatever happens.
pub(super) fn is_refused(number: u64) -> bool {
    number % 4 == 3
}

/// What can't be written, where something may fail.
pub(super) fn is_unfit(number: u64) -> bool {
    number % 4 == 2
}

impl Paper {
    fn fails(&self, times: u32) -> bool {
        let fails = self.failing && once_in(times);
        of(&self.seen).failed |= fails;
        fails
    }

    fn may_panic(&self) {
        if self.panicking && once_in(6) {
            of(&self.seen).failed = true;
            // As a panic would, without its words in the output of a test that holds.
            resume_unwind(Box::new("planned"));
        }
    }

    fn write(&self, one: &Append, open: &mut Vec<u64>, swapped: &mut Option<u64>) -> Result<Appended, Failure> {
        point();
        self.may_panic();
        let number = number(one);
        if is_refused(number) {
            return Err(Failure::Answer(LedgerError::Moved));
        }
        if self.failing && is_unfit(number) {
            return Err(Failure::Damaged("what can't be written".to_owned()));
        }
        open.push(number);
        let other = swapped.replace(number).filter(|_| self.plant == Plant::SwapsAnswers);
        Ok(Appended { revision: other.unwrap_or(number), similar: Vec::new() })
    }

    fn flush(&mut self, mut open: Vec<u64>) -> Result<(), LedgerError> {
        let one_left = open.iter().any(|number| of(&self.seen).left.contains(number));
        if self.fails(5) || self.plant == Plant::FailsForOneWhoLeft && one_left {
            return Err(disk());
        }
        if self.plant == Plant::ForgetsOneAtTheFlush && open.len() > 1 {
            open.pop();
        }
        if self.plant == Plant::AnswersBeforeFlush {
            open = std::mem::replace(&mut self.owed, open);
        }
        point();
        let mut seen = of(&self.seen);
        for number in open {
            seen.twice |= !seen.flushed.insert(number);
        }
        seen.commits += 1;
        Ok(())
    }
}

fn disk() -> LedgerError {
    unusable("the disk is full", "free some")
}

/// What callers ask for besides appends: they get its number back.
pub(super) struct Other(pub(super) u64, pub(super) Reply<u64>);

impl Together for Paper {
    type Apart = Other;

    fn together<T>(
        &mut self,
        work: impl FnOnce(&mut dyn FnMut(&Append) -> Result<Appended, Failure>) -> Result<T, Failure>,
    ) -> Result<T, LedgerError> {
        point();
        if self.fails(8) {
            return Err(disk());
        }
        let (mut open, mut swapped) = (Vec::new(), None);
        let done = work(&mut |one| self.write(one, &mut open, &mut swapped));
        point();
        self.may_panic();
        match done {
            Ok(value) => self.flush(open).map(|()| value),
            Err(failure) => {
                if self.plant == Plant::KeepsWhatFailed {
                    self.flush(open)?;
                }
                Err(failure.tell("paper".as_ref()))
            }
        }
    }

    fn committed(&self, appends: u64) {
        of(&self.seen).counted += appends;
    }

    fn apart(&mut self, Other(number, reply): Other) {
        self.may_panic();
        answer(reply, Ok(number));
    }
}
