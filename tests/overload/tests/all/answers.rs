//! What callers were told, and what must be true of it.

use std::collections::BTreeMap;

use hapax_core::ledger::Phase;
use hapax_core::words::Outcome;
use hapax_histories::worker::{Answer, Told};

use crate::service::Service;
use crate::site::Site;

/// What callers were told, by their numbers.
#[derive(Default)]
pub(crate) struct Answers(BTreeMap<u64, Answer>);

/// How many were told what.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) succeeded: usize,
    pub(crate) unknown: usize,
    pub(crate) nothing_sent: usize,
}

impl Answers {
    /// Gathers so many answers: one for each who asked, and no second one for anybody.
    pub(crate) async fn gather(service: &mut Service, callers: u64) -> Self {
        let mut answers = Self::default();
        for _ in 0..callers {
            answers.add(service.told().await);
        }
        answers
    }

    pub(crate) fn add(&mut self, Told { id, answer }: Told) {
        assert!(self.0.insert(id, answer).is_none(), "{id} was answered twice");
    }

    /// Holds each answer against what the provider counts now.
    pub(crate) fn hold(&self, site: &Site) -> Counts {
        let (mut counts, all) = (Counts::default(), site.effects());
        for (number, answer) in &self.0 {
            let effects = all.get(number).copied().unwrap_or(0);
            match answer {
                Answer::Report(report) => match &report.outcome {
                    Outcome::Succeeded { receipt } => {
                        counts.succeeded += 1;
                        assert!(effects == 1 && site.is_of(receipt, *number), "{number}: {effects} {receipt}");
                    }
                    Outcome::Unknown { .. } => {
                        counts.unknown += 1;
                        assert!(effects <= 1, "{number}");
                    }
                    Outcome::Refused { reason } => panic!("{number} was refused: {reason:?}"),
                },
                Answer::Error { text, .. } => {
                    counts.nothing_sent += 1;
                    assert!(text.starts_with("nothing was sent: "), "{number}: {text}");
                    assert_eq!(effects, 0, "{number} was told that nothing was sent: {text}");
                }
                Answer::Inbox(_) => panic!("{number} asked for something else"),
            }
        }
        counts
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// How many were told of a success.
    pub(crate) fn succeeded(&self) -> usize {
        let is_success = |answer: &&Answer| matches!(answer, Answer::Report(report) if matches!(report.outcome, Outcome::Succeeded { .. }));
        self.0.values().filter(is_success).count()
    }

    /// Whether whoever was told of an operation before was told of the same one now.
    pub(crate) fn are_of_the_operations_of(&self, before: &Self) -> bool {
        let operation = |answer: &Answer| match answer {
            Answer::Report(report) => Some(report.operation),
            _ => None,
        };
        before.0.iter().all(|(number, answer)| self.0.get(number).and_then(operation) == operation(answer))
    }

    /// Leaves out those who were told of no operation, or of one that may never exist, and have called again since.
    pub(crate) fn forget_the_unwritten(&mut self) {
        self.0.retain(|_, answer| matches!(answer, Answer::Report(report) if report.revision > 0));
    }

    /// Adds what others were told.
    pub(crate) fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// What a caller was told that was told of no outcome, for whoever reads why a test fails.
    pub(crate) fn sample(&self) -> String {
        let odd = self.0.iter().find(|(_, answer)| {
            !matches!(answer, Answer::Report(report) if matches!(report.outcome, Outcome::Succeeded { .. }))
        });
        format!("{odd:?}")
    }

    /// Everything is finished: what was told of stays true, each operation in the ledger has its one effect, and nothing
    /// else has happened.
    pub(crate) async fn hold_for_ever(&self, site: &Site) -> Counts {
        site.is_done().await;
        let counts = self.hold(site);
        let (effects, done) = (site.effects(), site.phase(Phase::Succeeded).await);
        assert!(effects.values().all(|times| *times == 1), "each effect once: {effects:?}");
        assert_eq!(effects.len(), done.len(), "what is in the ledger has happened, and nothing else");
        for (number, answer) in &self.0 {
            if let Answer::Report(report) = answer {
                // Of one that the ledger never held, the caller was told that it may never exist.
                let is_held = done.contains(&report.operation);
                assert!(is_held || report.revision == 0, "{number}: {report:?}");
                assert_eq!(effects.contains_key(number), is_held, "{number}: {report:?}");
            }
        }
        counts
    }
}
