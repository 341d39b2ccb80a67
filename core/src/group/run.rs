use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use super::Group;
use crate::executor::{Executor, ExecutorError, RunReport, RunRequest};
use crate::words::{Next, Outcome};

/// How a group is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// Name of the connection.
    pub connection: String,
    /// `gmail.send`.
    pub cell: String,
    /// How many operations are worked on at once.
    pub at_once: usize,
    /// Milliseconds that each is waited for; the work goes on without it.
    pub wait_ms: u64,
    /// After this moment (milliseconds since 1970) nothing is sent.
    pub good_until_ms: Option<i64>,
}

impl Course {
    /// Four at once, each waited for two minutes.
    pub fn new(connection: &str, cell: &str) -> Self {
        let (connection, cell) = (connection.to_owned(), cell.to_owned());
        Self { connection, cell, at_once: 4, wait_ms: 120_000, good_until_ms: None }
    }

    /// So many at once; at least one.
    pub fn at_once(mut self, operations: usize) -> Self {
        self.at_once = operations;
        self
    }
}

/// What became of the targets of a group so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Targets in all.
    pub total: usize,
    /// Happened once.
    pub succeeded: usize,
    /// Did not happen, and won't under their keys.
    pub refused: usize,
    /// Not known yet; running the group again goes on with them.
    pub waiting: usize,
    /// Held for approval.
    pub held: usize,
    /// With a person.
    pub with_person: usize,
    /// Errors before anything was sent.
    pub not_begun: usize,
}

impl Counts {
    /// How many targets have been gone through in this run.
    pub fn seen(&self) -> usize {
        self.succeeded + self.refused + self.waiting + self.held + self.with_person + self.not_begun
    }

    fn count(&mut self, result: &Result<RunReport, ExecutorError>) {
        let of = match result.as_ref().map(|report| &report.outcome) {
            Ok(Outcome::Succeeded { .. }) => &mut self.succeeded,
            Ok(Outcome::Refused { .. }) => &mut self.refused,
            Ok(Outcome::Unknown { next: Next::Held, .. }) => &mut self.held,
            Ok(Outcome::Unknown { next: Next::Person, .. }) => &mut self.with_person,
            Ok(Outcome::Unknown { .. }) => &mut self.waiting,
            Err(_) => &mut self.not_begun,
        };
        *of += 1;
    }
}

/// One target has been gone through.
#[derive(Debug)]
pub struct Progress<'a> {
    /// The target's id.
    pub id: &'a str,
    /// What its operation came to.
    pub result: &'a Result<RunReport, ExecutorError>,
    /// The counts so far, this one included.
    pub counts: Counts,
}

impl Group {
    /// Runs every target's operation, some at once, and says what became of each. What an earlier
    /// run has settled returns what it came to then; nothing is sent again for it.
    ///
    /// Dropping the future loses nothing: each operation goes on in a task of its own, and those
    /// that were not begun are begun by the next run.
    pub async fn run(&self, executor: &Executor, course: &Course, mut progress: impl FnMut(Progress<'_>)) -> Counts {
        let mut counts = Counts { total: self.len(), ..Counts::default() };
        let mut waiting = self.members.iter().enumerate();
        let mut running: JoinSet<(usize, Result<RunReport, ExecutorError>)> = JoinSet::new();
        loop {
            while running.len() < course.at_once.max(1) {
                let Some((place, (key, target))) = waiting.next() else { break };
                let mut request = RunRequest::new(&course.connection, &course.cell, key.clone(), target.args.clone())
                    .wait_ms(course.wait_ms);
                request.good_until_ms = course.good_until_ms;
                let executor = executor.clone();
                running.spawn(async move { (place, executor.run(request).await) });
            }
            match running.join_next().await {
                Some(Ok((place, result))) => {
                    counts.count(&result);
                    let id = self.members.get(place).map_or("", |(_, target)| target.id.as_str());
                    progress(Progress { id, result: &result, counts });
                }
                // A task ends early only if the runtime does, or by a panic before anything was journaled.
                Some(Err(_)) => counts.not_begun += 1,
                None => return counts,
            }
        }
    }
}
