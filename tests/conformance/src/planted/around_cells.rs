use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::capability::CellSpec;
use hapax_core::cell::{Context, ErasedCell, SharedCell, Shot, Step};
use hapax_core::money::Money;
use hapax_core::protocol::Receipt;
use hapax_core::words::{Answer, Covers, Fault, Finding, Refusal};
use serde_json::{Value, json};

use crate::kit::bent_spec;

/// What a bug does to the two verbs that judge.
#[derive(Clone, Copy)]
struct Bug {
    answer: fn(Answer<Receipt>) -> Answer<Receipt>,
    finding: fn(Result<Finding<Receipt>, Fault>) -> Result<Finding<Receipt>, Fault>,
}

const NONE: Bug = Bug { answer: |answer| answer, finding: |finding| finding };

struct Misjudging {
    below: SharedCell,
    bug: Bug,
}

fn misjudging(below: SharedCell, bug: Bug) -> SharedCell {
    Arc::new(Misjudging { below, bug })
}

pub(super) fn timeout_is_failure(cell: SharedCell) -> SharedCell {
    let answer = |answer| match answer {
        Answer::Unclear(fault) => Answer::Refused(Refusal::new("failed", fault.to_string()), Covers::Attempt),
        other => other,
    };
    misjudging(cell, Bug { answer, ..NONE })
}

pub(super) fn refusal_closes(cell: SharedCell) -> SharedCell {
    let answer = |answer| match answer {
        Answer::Refused(refusal, _) => Answer::Refused(refusal, Covers::Record),
        Answer::NotDone(why, _) if !why.contains("not sent") => {
            Answer::Refused(Refusal::new("refused", why), Covers::Record)
        }
        other => other,
    };
    misjudging(cell, Bug { answer, ..NONE })
}

pub(super) fn refusal_is_not_done(cell: SharedCell) -> SharedCell {
    let answer = |answer| match answer {
        Answer::Refused(refusal, _) => Answer::NotDone(refusal.message, None),
        other => other,
    };
    misjudging(cell, Bug { answer, ..NONE })
}

pub(super) fn no_echo(cell: SharedCell) -> SharedCell {
    let answer = |answer| match answer {
        Answer::Unclear(Fault::Echo(_)) => {
            Answer::Happened(Receipt { id: "foreign".to_owned(), body: Arc::new(json!({ "id": "foreign" })) })
        }
        other => other,
    };
    misjudging(cell, Bug { answer, ..NONE })
}

pub(super) fn first_of_several(cell: SharedCell) -> SharedCell {
    let finding = |finding| match finding {
        Ok(Finding::Several(mut hits)) => Ok(Finding::Happened(hits.remove(0))),
        other => other,
    };
    misjudging(cell, Bug { finding, ..NONE })
}

pub(super) fn blind(cell: SharedCell) -> SharedCell {
    let finding = |_| Ok(Finding::CannotTell("nobody looks".to_owned()));
    let answer = |answer| match answer {
        // Without a look and without a second request nothing is completed.
        Answer::Unclear(_) => Answer::Unclear(Fault::Adrift("nobody knows".to_owned())),
        other => other,
    };
    let cell = bent_spec(cell, |spec| spec.ladder = &[]);
    misjudging(cell, Bug { answer, finding })
}

/// No settle, no repairs, no lag: every absence is believed at once, and nothing is waited for.
pub(super) fn no_settle(cell: SharedCell) -> SharedCell {
    use hapax_core::capability::Rung;
    bent_spec(cell, |spec| {
        spec.settle = Duration::ZERO;
        spec.repairs = Some((Duration::ZERO, spec.settle_source));
        let mut ladder: Vec<Rung> = spec.ladder.iter().filter(|rung| matches!(rung, Rung::Query(_))).copied().collect();
        for rung in &mut ladder {
            if let Rung::Query(query) = rung {
                query.lag = Duration::ZERO;
                query.absence = hapax_core::capability::Absence::Proves;
            }
        }
        // Facts live as long as the program.
        spec.ladder = Box::leak(ladder.into_boxed_slice());
    })
}

#[async_trait]
impl ErasedCell for Misjudging {
    fn spec(&self) -> &'static CellSpec {
        self.below.spec()
    }

    fn schema(&self) -> Value {
        self.below.schema()
    }

    fn check(&self, args: &Value) -> Result<Value, String> {
        self.below.check(args)
    }

    fn volatile(&self) -> &'static [&'static str] {
        self.below.volatile()
    }

    fn money(&self, args: &Value) -> Option<Money> {
        self.below.money(args)
    }

    async fn prepare(&self, cx: &Context, args: &Value) -> Result<Step<Receipt>, Fault> {
        self.below.prepare(cx, args).await
    }

    async fn attempt(&self, shot: Shot<'_>, args: &Value) -> Answer<Receipt> {
        (self.bug.answer)(self.below.attempt(shot, args).await)
    }

    async fn find(&self, cx: &Context, args: &Value) -> Result<Finding<Receipt>, Fault> {
        (self.bug.finding)(self.below.find(cx, args).await)
    }

    async fn fetch(&self, cx: &Context, args: &Value, id: &str) -> Result<Option<Receipt>, Fault> {
        self.below.fetch(cx, args, id).await
    }

    fn fate(&self, receipt: &Receipt) -> Option<(String, bool)> {
        self.below.fate(receipt)
    }
}
