//! Callers who wait until somebody else has moved their operation on.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};

use hapax_core::ledger::{LedgerError, OperationId};
use hapax_schedules::{below, block_on, breathe, explore, finds, leaving, once_in, run};
use uuid::Uuid;

use crate::error::unusable;
use crate::watch::{Revisions, Watch};

/// A bug.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Plant {
    #[default]
    None,
    /// The operation that moved on last is not seen to have.
    Overlooks,
    /// All have moved on when one has.
    TellsEverybody,
    /// A question never ends.
    NeverEnds,
}

#[derive(Clone, Copy, Default)]
struct Play {
    callers: usize,
    leaving: bool,
    failing: bool,
    panicking: bool,
    plant: Plant,
}

const OPERATIONS: usize = 3;

/// What stands for the database.
#[derive(Default)]
struct Paper {
    play: Play,
    revisions: [AtomicU64; OPERATIONS],
    under_way: AtomicUsize,
    failed: AtomicBool,
}

fn id(number: usize) -> Uuid {
    Uuid::from_u128(number as u128)
}

struct Asked<'a>(&'a AtomicUsize);

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Revisions for Paper {
    async fn revisions(&self, of: &[Uuid]) -> Result<HashMap<Uuid, u64>, LedgerError> {
        assert_eq!(self.under_way.fetch_add(1, SeqCst), 0, "two questions at once");
        let _asked = Asked(&self.under_way);
        assert!(!of.is_empty() && of.is_sorted_by(|one, next| one < next), "asked for nothing, or for one twice");
        breathe().await;
        if self.play.panicking && once_in(4) {
            self.failed.store(true, SeqCst);
            resume_unwind(Box::new("planned"));
        }
        if self.play.failing && once_in(4) {
            self.failed.store(true, SeqCst);
            return Err(unusable("nobody answers", "try again"));
        }
        if self.play.plant == Plant::NeverEnds {
            std::future::pending::<()>().await;
        }
        let moved = self.revisions.iter().any(|revision| revision.load(SeqCst) > 1);
        let read = |number: usize| match self.play.plant {
            Plant::TellsEverybody if moved => 2,
            Plant::Overlooks if number == OPERATIONS - 1 => 1,
            _ => self.revisions[number].load(SeqCst),
        };
        let all = (0..OPERATIONS).filter(|number| of.contains(&id(*number))).map(|number| (id(number), read(number)));
        let all = all.collect();
        breathe().await;
        Ok(all)
    }
}

impl Play {
    fn run(self) {
        let paper = Arc::new(Paper { play: self, revisions: [1, 1, 1].map(AtomicU64::new), ..Paper::default() });
        let watch = Watch::new(Arc::clone(&paper));
        let wait = |caller: usize| run(self.wait(caller % OPERATIONS, Arc::clone(&watch), Arc::clone(&paper)));
        let callers: Vec<_> = (0..self.callers).map(wait).collect();
        block_on(async {
            for revision in &paper.revisions {
                breathe().await;
                revision.fetch_add(1, SeqCst);
            }
            for caller in callers {
                caller.end().await;
            }
            // Whatever happened, the next one who waits for what has happened is told.
            wait(0).end().await;
            // And nobody is asked for when nobody waits.
            while Arc::strong_count(&watch) > 1 {
                breathe().await;
            }
        });
    }

    async fn wait(self, number: usize, watch: Arc<Watch<Paper>>, paper: Arc<Paper>) {
        let looks = (self.leaving && once_in(3)).then(|| below(4));
        let Ok(()) = leaving(looks, watch.moved_on(OperationId(id(number)), 1)).await else { return };
        let moved = paper.revisions[number].load(SeqCst) > 1;
        assert!(moved || paper.failed.load(SeqCst), "{number} was told of nothing");
    }
}

#[test]
fn who_waits_is_told_when_it_happened_and_not_before() {
    explore("watches", || Play { callers: 5, leaving: true, ..Play::default() }.run());
}

#[test]
fn who_waits_is_told_if_it_cannot_be_known() {
    explore("watches: failing questions", || {
        Play { callers: 5, leaving: true, failing: true, ..Play::default() }.run()
    });
}

#[test]
fn nobody_waits_for_a_question_that_broke_off() {
    explore("watches: panics", || Play { callers: 5, leaving: true, panicking: true, ..Play::default() }.run());
}

#[test]
fn planted_bugs_are_found() {
    for (plant, says) in
        [(Plant::Overlooks, "step"), (Plant::TellsEverybody, "told of nothing"), (Plant::NeverEnds, "deadlock")]
    {
        let play = Play { callers: 5, leaving: true, plant, ..Play::default() };
        let words = finds(&format!("watches: {plant:?}"), move || play.run());
        assert!(words.contains(says), "{plant:?} was found as something else: {words}");
    }
}
