//! The contract suite can fail: each planted bug turns the cases red that are there for it.

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::ledger::broken;
use hapax_core::identity::OperationKey;
use hapax_core::ledger::{
    Append, Appended, By, Filter, Header, Layer, Ledger, LedgerError, MemoryLedger, OperationId, Pruned, Retention,
    Serves,
};
use hapax_core::protocol::{Event, Stamp};

/// What a planted ledger does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bug {
    IgnoresTheRevision,
    ChecksTheKeyBeforeItWrites,
    GivesAClaimTwice,
    WritesWhatItRefused,
    LosesTheLastRecord,
    ForgetsShortFractions,
    LooksForSimilarOnesBeforeItWrites,
    WritesSimilarOnes,
    ForgetsTheTimeOfSimilarOnes,
    GivesDueWorkNewestFirst,
    GivesDueWorkTooEarly,
    GivesDueWorkToAnybody,
    TakesThePresentForTheNext,
    ListsWithoutTheFilter,
    ListsOldestFirst,
    PrunesNothing,
    PrunesInADryRun,
    PrunesByTheLastRule,
    PrunesWhatMayStillHappen,
    TakesTheFirstUseForARestore,
    ForgetsTheRestore,
    KnowsNoNewestRecord,
}

struct Planted {
    bug: Bug,
    sound: MemoryLedger,
}

impl Planted {
    fn has(&self, bug: Bug) -> bool {
        self.bug == bug
    }

    async fn revision(&self, id: OperationId) -> Result<u64, LedgerError> {
        Ok(self.sound.load(By::Id(id)).await?.map_or(0, |stored| stored.records.len() as u64))
    }

    async fn key_exists(&self, append: &Append) -> Result<bool, LedgerError> {
        let (connection, cell, key) = (&append.index.connection, &append.index.cell, &append.index.key);
        Ok(self.sound.load(By::Key { connection, cell, key }).await?.is_some())
    }

    /// Writes under a key that nobody else has, as a ledger without a unique index would.
    async fn write_again(&self, mut append: Append) -> Result<Appended, LedgerError> {
        let other = OperationKey::new(format!("{}", append.operation)).expect("an id is a key");
        append.index.key = other;
        self.sound.append(append).await
    }
}

#[async_trait]
impl Layer for Planted {
    fn below(&self) -> &dyn Ledger {
        &self.sound
    }

    async fn append(&self, mut append: Append) -> Result<Appended, LedgerError> {
        match self.bug {
            Bug::IgnoresTheRevision if append.seen > 0 => append.seen = self.revision(append.operation).await?,
            Bug::ChecksTheKeyBeforeItWrites if append.seen == 0 => {
                let exists = self.key_exists(&append).await?;
                // Long enough for the others to come between the check and the write.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                if !exists && self.key_exists(&append).await? {
                    return self.write_again(append).await;
                }
            }
            Bug::LosesTheLastRecord if append.records.len() > 3 => {
                append.records.pop();
            }
            Bug::ForgetsShortFractions => {
                for record in &mut append.records {
                    let text = serde_json::to_string(&record.event).expect("an event is JSON");
                    let shortened = text.replace("5e-324", "0.0");
                    record.event = serde_json::from_str::<Event>(&shortened).expect("it still is");
                }
            }
            Bug::LooksForSimilarOnesBeforeItWrites if append.seen == 0 => {
                let appended = self.sound.append(append).await?;
                return Ok(Appended { similar: Vec::new(), ..appended });
            }
            Bug::ForgetsTheTimeOfSimilarOnes => append.similar_since_ms = i64::MIN,
            _ => {}
        }
        let done = self.sound.append(append.clone()).await;
        match &done {
            Err(LedgerError::Claimed(_)) if self.has(Bug::GivesAClaimTwice) => {
                append.index.claim = None;
                self.sound.append(append).await
            }
            Err(LedgerError::Claimed(_)) if self.has(Bug::WritesWhatItRefused) => {
                append.index.claim = None;
                self.sound.append(append).await?;
                done
            }
            Err(LedgerError::Similar(_)) if self.has(Bug::WritesSimilarOnes) => {
                append.refuse_similar = false;
                self.sound.append(append).await?;
                done
            }
            _ => done,
        }
    }

    async fn due(&self, serves: &[Serves], now: Stamp, limit: u32) -> Result<Vec<OperationId>, LedgerError> {
        let later = Stamp { wall_ms: now.wall_ms.saturating_add(1), ..now };
        let now = if self.has(Bug::GivesDueWorkTooEarly) { later } else { now };
        let mut widened = serves.to_vec();
        if self.has(Bug::GivesDueWorkToAnybody) {
            for one in serves {
                widened.extend(serves.iter().map(|other| Serves { cell: other.cell.clone(), ..one.clone() }));
            }
        }
        let mut due = self.sound.due(&widened, now, limit).await?;
        if self.has(Bug::GivesDueWorkNewestFirst) {
            due.reverse();
        }
        Ok(due)
    }

    async fn next_due(&self, serves: &[Serves], after: Stamp) -> Result<Option<i64>, LedgerError> {
        let before = Stamp { wall_ms: after.wall_ms.saturating_sub(1), ..after };
        self.sound.next_due(serves, if self.has(Bug::TakesThePresentForTheNext) { before } else { after }).await
    }

    async fn list(&self, filter: &Filter) -> Result<Vec<OperationId>, LedgerError> {
        if self.has(Bug::ListsWithoutTheFilter) {
            return self.sound.list(&Filter { phases: Vec::new(), ..filter.clone() }).await;
        }
        let mut ids = self.sound.list(filter).await?;
        if self.has(Bug::ListsOldestFirst) {
            ids.reverse();
        }
        Ok(ids)
    }

    async fn header(&self) -> Result<Header, LedgerError> {
        let mut header = self.sound.header().await?;
        match self.bug {
            Bug::ForgetsTheRestore => header.restored = None,
            Bug::KnowsNoNewestRecord => header.newest = None,
            _ => {}
        }
        Ok(header)
    }

    async fn adopt(&self, secret_check: &str) -> Result<String, LedgerError> {
        if self.has(Bug::TakesTheFirstUseForARestore) {
            self.sound.note_restored(Stamp::scripted(1), secret_check).await?;
        }
        self.sound.adopt(secret_check).await
    }

    async fn prune(&self, retention: &Retention) -> Result<Pruned, LedgerError> {
        match self.bug {
            Bug::PrunesNothing => {
                let dry = Retention { dry_run: true, ..retention.clone() };
                self.sound.prune(&dry).await
            }
            Bug::PrunesInADryRun => {
                let wet = Retention { dry_run: false, ..retention.clone() };
                self.sound.prune(&wet).await
            }
            Bug::PrunesByTheLastRule => {
                let rules = retention.rules.iter().rev().cloned().collect();
                self.sound.prune(&Retention { rules, ..retention.clone() }).await
            }
            Bug::PrunesWhatMayStillHappen => {
                // As if every clock had gone on for a day.
                const DAY_MS: u64 = 86_400_000;
                let wall_ms = retention.now.wall_ms.saturating_add_unsigned(DAY_MS);
                let now = Stamp { wall_ms, boot_ms: retention.now.boot_ms.saturating_add(DAY_MS), ..retention.now };
                let mut rules = retention.rules.clone();
                rules.iter_mut().for_each(|rule| rule.for_ms = rule.for_ms.map(|ms| ms.saturating_add(DAY_MS)));
                self.sound.prune(&Retention { now, rules, ..retention.clone() }).await
            }
            _ => self.sound.prune(retention).await,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_planted_bug_is_found_by_the_case_that_is_there_for_it() {
    use Bug::*;
    for (bug, case) in [
        (IgnoresTheRevision, "an_append_counts_only_at_the_revision_it_saw"),
        (IgnoresTheRevision, "one_of_many_writers_at_one_revision_wins"),
        (ChecksTheKeyBeforeItWrites, "one_of_fifty_callers_gets_the_key"),
        (GivesAClaimTwice, "one_of_fifty_operations_gets_the_claim"),
        (WritesWhatItRefused, "an_append_is_all_or_nothing"),
        (LosesTheLastRecord, "every_event_is_read_back_as_it_was_written"),
        (LosesTheLastRecord, "every_verdict_and_finding_is_read_back_as_it_was_written"),
        (ForgetsShortFractions, "unicode_long_texts_and_numbers_survive"),
        (LooksForSimilarOnesBeforeItWrites, "of_two_at_the_same_moment_one_sees_the_other"),
        (WritesSimilarOnes, "refused_as_similar_leaves_no_trace"),
        (ForgetsTheTimeOfSimilarOnes, "only_recent_ones_are_similar"),
        (GivesDueWorkNewestFirst, "due_work_comes_oldest_first"),
        (GivesDueWorkTooEarly, "work_that_is_done_is_not_due"),
        (GivesDueWorkToAnybody, "due_work_is_only_what_is_served"),
        (TakesThePresentForTheNext, "it_is_known_when_the_next_work_is_due"),
        (ListsWithoutTheFilter, "lists_are_newest_first_and_filtered"),
        (ListsOldestFirst, "lists_are_newest_first_and_filtered"),
        (PrunesNothing, "a_pruned_operation_leaves_its_tombstone"),
        (PrunesNothing, "many_are_pruned_in_parts"),
        (PrunesNothing, "nothing_that_somebody_else_said_is_left"),
        (PrunesInADryRun, "each_place_is_kept_as_the_first_rule_says"),
        (PrunesByTheLastRule, "each_place_is_kept_as_the_first_rule_says"),
        (PrunesWhatMayStillHappen, "what_may_still_take_effect_or_is_held_is_not_pruned"),
        (TakesTheFirstUseForARestore, "the_first_use_is_no_restore"),
        (ForgetsTheRestore, "a_restore_is_noted"),
        (KnowsNoNewestRecord, "the_newest_record_is_known"),
    ] {
        let failed = broken(|| Arc::new(Planted { bug, sound: MemoryLedger::new() })).await;
        assert!(failed.iter().any(|one| one.case == case), "{bug:?} was not found by {case}: {failed:?}");
    }
}
