//! The loop: ask what is due, take up no more than there is room for, sleep until there is more.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use hapax_core::clock::SharedClock;
use hapax_core::executor::{Executor, ExecutorError, RunReport};
use hapax_core::ledger::OperationId;
use hapax_core::words::{Next, Outcome};
use tokio::task::{JoinError, JoinSet};
use tokio::time::sleep;

use super::Args;
use super::away::{Away, up_to};
use super::counts::{Came, Counts};
use super::rests::Rests;
use super::retaining::{Pruned, Retaining};
use super::tally::{Tallies, Tally};
use super::tell::{Teller, Why};
use crate::commands::stop::Stop;
use crate::exit::{Exit, Failure};
use crate::open::Opened;

/// Among how many times as many due operations as it has room for a worker chooses by lot. All workers are told of the
/// oldest ones, so they would all reach for the same.
const CHOICE: usize = 8;

/// Workers that sleep until the same moment wake up within so much time of each other, not all at once.
const APART: Duration = Duration::from_millis(100);

/// The shortest time for which something is left alone that could not be worked on.
const SHORTEST_REST: Duration = Duration::from_millis(50);

/// How many operations that nobody serves are looked for at once.
const UNSERVED: u32 = 1_000;

/// What a piece of work came back with.
struct Back {
    operation: OperationId,
    report: Result<RunReport, ExecutorError>,
    tally: Tally,
}

pub(super) struct Worker {
    executor: Executor,
    clock: SharedClock,
    room: usize,
    poll: Duration,
    grace: Duration,
    until_idle: bool,
    teller: Teller,
    tallies: Arc<Tallies>,
    counts: Counts,
    tasks: JoinSet<Back>,
    under_way: HashSet<OperationId>,
    rests: Rests,
    away: Away,
    retaining: Retaining,
}

impl Worker {
    pub(super) fn new(args: &Args, opened: &Opened, tallies: Arc<Tallies>, teller: Teller) -> Self {
        Self {
            executor: opened.executor.clone(),
            clock: opened.clock.clone(),
            room: usize::from(args.concurrency),
            poll: args.poll,
            grace: args.grace,
            until_idle: args.until_idle,
            teller,
            tallies,
            counts: Counts::default(),
            tasks: JoinSet::new(),
            under_way: HashSet::new(),
            rests: Rests::default(),
            away: Away::default(),
            retaining: Retaining::new(opened.executor.clone(), opened.config.policy.keeps()),
        }
    }

    /// Works until it is told to stop, or until nothing is due if that is wanted.
    pub(super) async fn run(mut self, stop: &mut Stop) -> Result<Exit, Failure> {
        let (why, broke) = self.work(stop).await;
        self.teller.stopping(why, self.tasks.len(), self.grace);
        self.let_end(stop).await;
        let exit = broke.as_ref().map_or(Exit::Succeeded, |failure| failure.exit);
        self.teller.summary(exit, &self.counts, self.tasks.len());
        broke.map_or(Ok(exit), Err)
    }

    async fn work(&mut self, stop: &mut Stop) -> (Why, Option<Failure>) {
        loop {
            let pruned = self.retaining.turn().await;
            if let Some(failure) = self.tell_pruned(pruned).filter(|_| self.until_idle) {
                return (Why::Ledger, Some(failure));
            }
            let round = tokio::select! {
                biased;
                () = stop.told(1) => return (Why::Signal, None),
                round = self.round() => round,
            };
            let pause = match round {
                Ok(Some(pause)) => pause,
                Ok(None) if self.until_idle => return self.retain_to_the_end(stop).await,
                Ok(None) => self.poll,
                Err(failure) if self.until_idle => return (Why::Ledger, Some(failure)),
                Err(_) => self.away.pause(),
            };
            self.teller.progress(&self.counts, self.tasks.len());
            let has_room = self.tasks.len() < self.room;
            tokio::select! {
                biased;
                () = stop.told(1) => return (Why::Signal, None),
                Some(back) = self.tasks.join_next() => {
                    if let Some(failure) = self.settle_all(back) {
                        if self.until_idle {
                            return (Why::Ledger, Some(failure));
                        }
                        // The pause goes by what has failed, not by what comes back meanwhile.
                        tokio::select! {
                            () = stop.told(1) => return (Why::Signal, None),
                            () = sleep(self.away.pause()) => {}
                        }
                    }
                }
                () = sleep(pause), if has_room => {}
            }
        }
    }

    /// The policy's retention is work too.
    async fn retain_to_the_end(&mut self, stop: &mut Stop) -> (Why, Option<Failure>) {
        let pruned = tokio::select! {
            biased;
            () = stop.told(1) => return (Why::Signal, None),
            pruned = self.retaining.end() => pruned,
        };
        match self.tell_pruned(pruned) {
            Some(failure) => (Why::Ledger, Some(failure)),
            None => (Why::Idle, None),
        }
    }

    /// What failed, if it did.
    fn tell_pruned(&self, pruned: Option<Pruned>) -> Option<Failure> {
        match pruned? {
            Ok(0) => None,
            Ok(pruned) => {
                self.teller.pruned(pruned);
                None
            }
            Err(error) => {
                // If the ledger is away that is told already, and it is tried again.
                tracing::warn!(%error, "the policy's retention was not applied to the end");
                Some(error.into())
            }
        }
    }

    /// Takes up what there is room for. How long to sleep then if nothing happens; none: nothing is due, and nothing
    /// under way.
    async fn round(&mut self) -> Result<Option<Duration>, Failure> {
        match self.take_what_is_due().await {
            Ok(pause) => Ok(pause),
            Err(error) => {
                let failure = Failure::from(error);
                self.say_away(&failure, false);
                Err(failure)
            }
        }
    }

    async fn take_what_is_due(&mut self) -> Result<Option<Duration>, ExecutorError> {
        let free = self.room.saturating_sub(self.tasks.len());
        if free == 0 {
            return Ok(Some(self.poll));
        }
        let limit = free * CHOICE + self.under_way.len() + self.rests.len();
        let due = self.executor.due(u32::try_from(limit).unwrap_or(u32::MAX)).await?;
        if due.len() < limit {
            self.rests.keep(&due);
        }
        let mut open: Vec<OperationId> = due.into_iter().filter(|one| self.is_open(*one)).collect();
        if open.is_empty() && self.tasks.is_empty() {
            self.away.writes();
        }
        if let Some(after) = self.away.reads() {
            self.teller.back(after);
        }
        // Where writing failed, one is tried before others follow.
        let room = if self.away.is_careful() { usize::from(self.tasks.is_empty()) } else { free };
        let by_lot = RandomState::new();
        open.sort_by_cached_key(|operation| by_lot.hash_one(operation));
        let is_idle = open.is_empty() && self.tasks.is_empty();
        let left = open.len() > room;
        open.into_iter().take(room).for_each(|operation| self.take_up(operation));
        let given = self.executor.give_unserved_to_a_person(UNSERVED).await?;
        if !given.is_empty() {
            self.teller.unserved(&given);
        }
        if is_idle && self.until_idle {
            return Ok(None);
        }
        Ok(Some(if left { self.poll } else { self.pause().await? }))
    }

    fn is_open(&self, operation: OperationId) -> bool {
        !self.under_way.contains(&operation) && !self.rests.holds(operation)
    }

    /// Until the next operation is due, or may be tried again; at most as long as between two polls.
    async fn pause(&self) -> Result<Duration, ExecutorError> {
        let next = self.executor.next_due_in_ms().await?.map(|ms| self.clock.real(ms) + up_to(APART));
        let times = [Some(self.poll), next, self.rests.shortest().map(|rest| rest.max(SHORTEST_REST))];
        Ok(times.into_iter().flatten().min().unwrap_or(self.poll))
    }

    fn take_up(&mut self, operation: OperationId) {
        self.counts.taken_up += 1;
        self.under_way.insert(operation);
        self.tallies.open(operation);
        let (executor, tallies) = (self.executor.clone(), Arc::clone(&self.tallies));
        self.tasks.spawn(async move {
            // It waits in the ledger, not here: a place is for work, and the next to come may be another worker.
            let report = executor.take_up(operation, 0).await;
            Back { operation, report, tally: tallies.close(operation) }
        });
    }

    /// Settles what has come back, and everything else that has. What failed, if the ledger did.
    fn settle_all(&mut self, first: Result<Back, JoinError>) -> Option<Failure> {
        let mut failed = self.settle(first);
        while let Some(back) = self.tasks.try_join_next() {
            failed = self.settle(back).or(failed);
        }
        failed
    }

    fn settle(&mut self, back: Result<Back, JoinError>) -> Option<Failure> {
        // The executor catches what adapters do; nothing else here can panic.
        let Ok(Back { operation, report, tally }) = back else { return None };
        self.under_way.remove(&operation);
        let report = match report {
            Ok(report) => report,
            Err(error) => {
                self.counts.add(Came::Failed);
                return Some(self.failed(error.into()));
            }
        };
        let came = Came::of(&report, tally);
        self.counts.add(came);
        if came == Came::Failed {
            return Some(self.failed(Failure::of_ledger(why(&report))));
        }
        if tally.written > 0 {
            self.away.writes();
            self.rests.forget(operation);
            self.teller.operation(&report);
        } else if self.rests.rest(operation, self.rest_of(&report), report.revision, why(&report))
            && came == Came::Waiting
        {
            self.teller.operation(&report);
        }
        None
    }

    fn failed(&mut self, failure: Failure) -> Failure {
        self.say_away(&failure, true);
        failure
    }

    fn say_away(&mut self, failure: &Failure, writing: bool) {
        // Whoever ends because of it says it at the end.
        if self.away.failed(failure, writing) && !self.until_idle {
            self.teller.away(failure);
        }
    }

    /// How long something is left alone that nothing could be written for.
    fn rest_of(&self, report: &RunReport) -> Duration {
        let wanted = match &report.outcome {
            Outcome::Unknown { next: Next::CallAgain { after_ms }, .. } => self.clock.real(*after_ms),
            _ => self.poll,
        };
        wanted.min(self.poll).max(SHORTEST_REST)
    }

    /// Lets what is under way come to an end, or at least to something durable, for a while.
    async fn let_end(&mut self, stop: &mut Stop) {
        let over = sleep(self.grace);
        tokio::pin!(over);
        self.retaining.break_off();
        while !self.tasks.is_empty() || self.retaining.is_going() {
            self.teller.progress(&self.counts, self.tasks.len());
            tokio::select! {
                biased;
                () = stop.told(2) => return,
                Some(back) = self.tasks.join_next() => drop(self.settle(back)),
                pruned = self.retaining.end(), if self.retaining.is_going() => drop(self.tell_pruned(pruned)),
                () = &mut over => return,
            }
        }
    }
}

fn why(report: &RunReport) -> &str {
    match &report.outcome {
        Outcome::Unknown { why, .. } => why,
        _ => "",
    }
}
