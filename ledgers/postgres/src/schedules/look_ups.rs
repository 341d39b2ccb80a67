//! Questions that are asked for many callers at once.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};

use hapax_core::ledger::LedgerError;
use hapax_schedules::{below, block_on, breathe, explore, finds, leaving, once_in, run};
use uuid::Uuid;

use crate::error::unusable;
use crate::look_up::{Answer, LookUps, Question};

/// A bug.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Plant {
    #[default]
    None,
    /// An answer is from before its question.
    OldAnswers,
    /// Keys are answered in another order.
    SwapsAnswers,
    /// One key that can't be read fails all.
    OneFailsAll,
    /// A question never ends.
    NeverEnds,
}

#[derive(Clone, Copy, Default)]
struct Play {
    callers: u64,
    most: usize,
    leaving: bool,
    failing: bool,
    panicking: bool,
    plant: Plant,
}

/// What stands for the database: each moment has a number.
#[derive(Default)]
struct Paper {
    play: Play,
    now: AtomicU64,
    under_way: AtomicUsize,
    questions: AtomicU64,
    failed: AtomicBool,
    kept: AtomicU64,
}

/// A key that can't be read, where something may fail.
fn is_damaged(key: Uuid) -> bool {
    key.as_u128() % 4 == 2
}

fn damaged() -> LedgerError {
    unusable("it is damaged", "restore it")
}

/// One question of those that are under way.
struct Asked<'a>(&'a AtomicUsize);

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Question for Arc<Paper> {
    type Head = u64;
    type One = Uuid;

    async fn ask(&self, keys: Vec<Uuid>) -> Answer<Self> {
        assert!(self.under_way.fetch_add(1, SeqCst) < self.play.most, "too many questions at once");
        let _asked = Asked(&self.under_way);
        self.questions.fetch_add(1, SeqCst);
        assert!(keys.is_sorted_by(|one, next| one < next), "a key came twice");
        breathe().await;
        let mut now = self.now.load(SeqCst);
        breathe().await;
        if self.play.plant == Plant::OldAnswers {
            now = self.kept.swap(now, SeqCst);
        }
        if self.play.plant == Plant::NeverEnds {
            std::future::pending::<()>().await;
        }
        if self.play.panicking && once_in(4) {
            self.failed.store(true, SeqCst);
            resume_unwind(Box::new("planned"));
        }
        if self.play.failing && once_in(4) {
            self.failed.store(true, SeqCst);
            return Err(unusable("nobody answers", "try again"));
        }
        if self.play.plant == Plant::OneFailsAll && keys.iter().any(|key| is_damaged(*key)) {
            return Err(damaged());
        }
        let one = |key: &Uuid| if self.play.failing && is_damaged(*key) { Err(damaged()) } else { Ok(*key) };
        let mut ones: Vec<_> = keys.iter().map(one).collect();
        if self.play.plant == Plant::SwapsAnswers {
            ones.reverse();
        }
        Ok((now, keys.into_iter().zip(ones).collect::<HashMap<_, _>>()))
    }
}

impl Play {
    fn run(self) {
        let paper = Arc::new(Paper { play: self, now: AtomicU64::new(1), ..Paper::default() });
        let look_ups = LookUps::new(Arc::clone(&paper), self.most);
        // Two of them ask for the same.
        let callers: Vec<_> = (0..self.callers)
            .map(|number| {
                let key = Uuid::from_u128(u128::from(number % (self.callers - 1)));
                run(self.call(key, Arc::clone(&look_ups), Arc::clone(&paper)))
            })
            .collect();
        block_on(async {
            for caller in callers {
                caller.end().await;
            }
            // Whatever happened, the next one who comes is asked for.
            while paper.under_way.load(SeqCst) > 0 {
                breathe().await;
            }
            let last = look_ups.by_key(Uuid::from_u128(1)).await;
            assert!(last.is_some() || self.panicking, "a question broke off");
        });
        assert!(paper.questions.load(SeqCst) <= self.callers + 1, "more questions than callers");
    }

    async fn call(self, key: Uuid, look_ups: Arc<LookUps<Arc<Paper>>>, paper: Arc<Paper>) {
        let came = paper.now.fetch_add(1, SeqCst) + 1;
        let looks = (self.leaving && once_in(3)).then(|| below(4));
        let Ok(told) = leaving(looks, look_ups.by_key(key)).await else { return };
        let failed = paper.failed.load(SeqCst);
        match told {
            Some(Ok((now, one))) => {
                assert!(now >= came, "an answer of {now} to one who came at {came}");
                assert_eq!(one, Some(key), "somebody else's answer");
            }
            Some(Err(error)) => {
                assert!(failed || self.failing && is_damaged(key), "told of {error} though nothing failed");
            }
            None => assert!(self.panicking && failed, "a question broke off"),
        }
    }
}

#[test]
fn each_caller_gets_an_answer_to_its_own_key_from_after_it_came() {
    for most in [1, 2] {
        let play = Play { callers: 6, most, leaving: true, ..Play::default() };
        explore(&format!("look-ups: {most} at once"), move || play.run());
    }
}

#[test]
fn what_fails_is_told_to_those_whom_it_concerns() {
    let play = Play { callers: 6, most: 2, leaving: true, failing: true, ..Play::default() };
    explore("look-ups: failing questions", move || play.run());
}

#[test]
fn nobody_waits_for_a_question_that_broke_off() {
    for most in [1, 2] {
        let play = Play { callers: 6, most, leaving: true, panicking: true, ..Play::default() };
        explore(&format!("look-ups: {most} at once that panic"), move || play.run());
    }
}

/// A lonely caller is asked for at once, and all who come meanwhile in one more question.
#[test]
fn nobody_waits_for_company_and_all_that_wait_share_a_question() {
    explore("look-ups: a lonely caller, and a shared question", || {
        let play = Play { most: 1, ..Play::default() };
        let paper = Arc::new(Paper { play, ..Paper::default() });
        let look_ups = LookUps::new(Arc::clone(&paper), 1);
        let ask = |number: u128| {
            let look_ups = Arc::clone(&look_ups);
            run(async move { look_ups.by_key(Uuid::from_u128(number)).await })
        };
        block_on(async {
            assert!(ask(0).end().await.is_some());
            assert_eq!(paper.questions.load(SeqCst), 1);
            let callers: Vec<_> = (1..6).map(ask).collect();
            for caller in callers {
                assert!(caller.end().await.is_some());
            }
        });
        assert!(paper.questions.load(SeqCst) <= 6);
    });
}

#[test]
fn planted_bugs_are_found() {
    for (plant, says) in [
        (Plant::OldAnswers, "to one who came at"),
        (Plant::SwapsAnswers, "somebody else's answer"),
        (Plant::OneFailsAll, "though nothing failed"),
        (Plant::NeverEnds, "deadlock"),
    ] {
        let play = Play { callers: 5, most: 2, leaving: true, plant, ..Play::default() };
        let words = finds(&format!("look-ups: {plant:?}"), move || play.run());
        assert!(words.contains(says), "{plant:?} was found as something else: {words}");
    }
}
