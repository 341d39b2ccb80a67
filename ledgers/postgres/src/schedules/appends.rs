//! The tasks that write, and who appends.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hapax_conformance::ledger::samples::Draft;
use hapax_core::ledger::{Append, Appended, LedgerError};
use hapax_schedules::{Running, below, block_on, breathe, explore, finds, leaving, once_in, point, run, spawn};
use tokio::sync::mpsc;

use crate::batch::Answers;
use crate::error::Failure;
use crate::gather::{Job, Queue, Together, ask, serve};
use crate::plan::Asked;

/// A bug.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Plant {
    #[default]
    None,
    /// Answers come before the flush that covers them.
    AnswersBeforeFlush,
    /// Answers of a batch are in another order.
    SwapsAnswers,
    /// A batch fails if one of its callers has gone away.
    FailsForOneWhoLeft,
    /// What failed stays written.
    KeepsWhatFailed,
}

/// Who comes, and what may happen.
#[derive(Clone, Copy, Default)]
struct Play {
    callers: u64,
    writers: usize,
    leaving: bool,
    failing: bool,
    panicking: bool,
    /// Whether the runtime ends the tasks.
    aborting: bool,
    plant: Plant,
}

#[derive(Default)]
struct Seen {
    flushed: BTreeSet<u64>,
    twice: bool,
    left: BTreeSet<u64>,
    commits: u64,
    /// Whether something was made to fail that is nobody's own.
    failed: bool,
}

type Shared = Arc<Mutex<Seen>>;

fn of(seen: &Shared) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What stands for the database.
struct Paper {
    play: Play,
    seen: Shared,
    owed: Vec<u64>,
}

fn number(append: &Append) -> u64 {
    append.index.key.as_str().parse().expect("a number")
}

fn append(number: u64) -> Append {
    Draft::new(&number.to_string()).first()
}

fn is_refused(number: u64) -> bool {
    number % 4 == 3
}

/// What can't be written, where something may fail.
fn is_unfit(number: u64) -> bool {
    number % 4 == 2
}

impl Paper {
    fn fails(&self) -> bool {
        let fails = self.play.failing && once_in(6);
        of(&self.seen).failed |= fails;
        fails
    }

    fn flush(&mut self, mut written: Vec<u64>) {
        if self.play.plant == Plant::AnswersBeforeFlush {
            written = std::mem::replace(&mut self.owed, written);
        }
        let mut seen = of(&self.seen);
        for number in written {
            seen.twice |= !seen.flushed.insert(number);
        }
        seen.commits += 1;
    }
}

impl Together for Paper {
    async fn together(&mut self, asked: &[Asked]) -> Result<Answers, Failure> {
        breathe().await;
        if self.fails() {
            return Err(Failure::Late);
        }
        if self.play.panicking && once_in(6) {
            of(&self.seen).failed = true;
            // As a panic would, without its words in the output of a test that holds.
            resume_unwind(Box::new("planned"));
        }
        let numbers: Vec<u64> = asked.iter().map(|one| number(&one.append)).collect();
        let written: Vec<u64> = numbers.iter().copied().filter(|number| !is_refused(*number)).collect();
        let one_left = numbers.iter().any(|number| of(&self.seen).left.contains(number));
        if self.play.plant == Plant::FailsForOneWhoLeft && one_left {
            return Err(Failure::Late);
        }
        if self.play.failing && numbers.iter().any(|number| is_unfit(*number)) {
            if self.play.plant == Plant::KeepsWhatFailed {
                self.flush(written);
            }
            return Err(Failure::Damaged("what can't be written".to_owned()));
        }
        breathe().await;
        self.flush(written);
        point();
        let mut answers: Answers = numbers.into_iter().map(answer).collect();
        if self.play.plant == Plant::SwapsAnswers {
            answers.reverse();
        }
        Ok(answers)
    }

    fn tell(&self, failure: &Failure) -> LedgerError {
        failure.tell("paper")
    }
}

fn answer(number: u64) -> Result<Appended, LedgerError> {
    if is_refused(number) { Err(LedgerError::Moved) } else { Ok(Appended { revision: number, similar: Vec::new() }) }
}

impl Play {
    fn run(self) {
        let seen = Shared::default();
        // Short, so that some wait to hand over.
        let (jobs, queue) = mpsc::channel(2);
        let queue: Queue = Arc::new(tokio::sync::Mutex::new(queue));
        let writers: Vec<Running<()>> = (0..self.writers)
            .map(|_| spawn(serve(Paper { play: self, seen: seen.clone(), owed: Vec::new() }, Arc::clone(&queue))))
            .collect();
        drop(queue);
        let callers: Vec<_> = (0..self.callers).map(|one| run(self.call(one, jobs.clone(), seen.clone()))).collect();
        block_on(self.ends(callers, writers, jobs, &seen));
        assert!(!of(&seen).twice, "something was flushed twice");
    }

    async fn call(self, number: u64, jobs: mpsc::Sender<Job>, seen: Shared) {
        let looks = (self.leaving && once_in(3)).then(|| below(6));
        match leaving(looks, ask(&jobs, append(number))).await {
            Ok(told) => self.hold(number, told, &seen),
            Err(_) => drop(of(&seen).left.insert(number)),
        }
    }

    /// What must hold of what a caller was told, at the moment when it hears it.
    fn hold(self, number: u64, told: Option<Result<Appended, LedgerError>>, seen: &Shared) {
        let seen = of(seen);
        let flushed = seen.flushed.contains(&number);
        match told {
            Some(Ok(appended)) => {
                assert_eq!(appended.revision, number, "{number} got somebody else's answer");
                assert!(flushed, "{number} was answered before the flush");
                assert!(!(self.failing && is_unfit(number)), "{number} can't be written");
            }
            Some(Err(LedgerError::Moved)) => assert!(is_refused(number), "{number} got somebody else's refusal"),
            Some(Err(error)) => {
                let its_own = self.failing && is_unfit(number);
                assert!(seen.failed || its_own, "{number} was told of {error} though nothing failed");
                assert!(!flushed, "{number} was flushed and was told that it failed");
            }
            None => assert!(self.aborting || self.panicking && seen.failed, "{number} was told that the tasks stopped"),
        }
    }

    async fn ends(self, callers: Vec<Running<()>>, writers: Vec<Running<()>>, jobs: mpsc::Sender<Job>, seen: &Shared) {
        if self.aborting {
            for _ in 0..below(12) {
                breathe().await;
            }
            writers.iter().for_each(Running::abort);
        }
        for caller in callers {
            caller.end().await;
        }
        drop(jobs);
        if !self.aborting {
            for writer in writers {
                writer.end().await;
            }
        }
        assert!(of(seen).commits <= self.callers * 2, "more flushes than callers");
    }
}

#[test]
fn each_caller_gets_the_answer_of_its_own_append_after_its_flush() {
    explore("postgres: one writer", || Play { callers: 5, writers: 1, leaving: true, ..Play::default() }.run());
    explore("postgres: three writers", || Play { callers: 6, writers: 3, leaving: true, ..Play::default() }.run());
}

#[test]
fn a_batch_that_fails_is_answered_whole_and_an_append_that_fails_alone() {
    let play = Play { callers: 5, writers: 2, leaving: true, failing: true, ..Play::default() };
    explore("postgres: failing batches", move || play.run());
}

#[test]
fn nobody_waits_for_tasks_that_panicked_or_were_ended() {
    let play = Play { callers: 5, writers: 2, leaving: true, ..Play::default() };
    explore("postgres: panics", move || Play { panicking: true, ..play }.run());
    explore("postgres: a runtime that stops", move || Play { aborting: true, ..play }.run());
}

#[test]
fn nobody_waits_for_company_and_all_that_wait_share_a_flush() {
    explore("postgres: a lonely caller, and a shared flush", || {
        let seen = Shared::default();
        let (jobs, queue) = mpsc::channel(8);
        let queue: Queue = Arc::new(tokio::sync::Mutex::new(queue));
        let paper = || Paper { play: Play::default(), seen: seen.clone(), owed: Vec::new() };
        block_on(async {
            let held = queue.lock().await;
            let writers = [(); 2].map(|()| spawn(serve(paper(), Arc::clone(&queue))));
            let callers = [0, 1, 2, 4].map(|number| {
                let jobs = jobs.clone();
                run(async move { ask(&jobs, append(number)).await })
            });
            while held.len() < callers.len() {
                breathe().await;
            }
            drop(held);
            for caller in callers {
                assert!(matches!(caller.end().await, Some(Ok(_))));
            }
            assert_eq!(of(&seen).commits, 1);
            for number in [5, 6] {
                assert!(matches!(ask(&jobs, append(number)).await, Some(Ok(told)) if told.revision == number));
                assert_eq!(of(&seen).commits, number - 3);
            }
            drop(jobs);
            for writer in writers {
                writer.end().await;
            }
        });
    });
}

#[test]
fn planted_bugs_are_found() {
    for (plant, says) in [
        (Plant::AnswersBeforeFlush, "before the flush"),
        (Plant::SwapsAnswers, "somebody else's"),
        (Plant::FailsForOneWhoLeft, "though nothing failed"),
        (Plant::KeepsWhatFailed, "flushed"),
    ] {
        let failing = plant == Plant::KeepsWhatFailed;
        let play = Play { callers: 5, writers: 1, leaving: true, failing, plant, ..Play::default() };
        let words = finds(&format!("postgres: {plant:?}"), move || play.run());
        assert!(words.contains(says), "{plant:?} was found as something else: {words}");
    }
}
