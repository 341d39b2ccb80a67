use std::collections::{BTreeMap, BTreeSet};

use super::{Decision, Elapsed, Hold, Intent, Receipt, Stamp, Verdict};
use crate::words::Refusal;

/// An operation as folded from its events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OpState {
    /// Count of events.
    pub revision: u64,
    /// What the caller wants; none before the first event.
    pub intent: Option<Intent>,
    /// When the operation began.
    pub began: Stamp,
    /// The present epoch, counted from 0.
    pub epoch: u32,
    /// How often a burnt key has been replaced in it.
    pub key_number: u32,
    /// Handles and preconditions of the present epoch.
    pub notes: BTreeMap<String, String>,
    /// Those of the epochs before, the newest of each name.
    pub former_notes: BTreeMap<String, String>,
    /// How often the work was given back since the last note or attempt, and when it last was.
    pub given_back: (u32, Stamp),
    /// All attempts of all epochs.
    pub attempts: Vec<Attempt>,
    /// Looks since the last decision or epoch.
    pub looks: u32,
    /// The newest look.
    pub last_look: Option<LastLook>,
    /// Who works on it.
    pub lease: Option<Lease>,
    /// The first event that made it final decided.
    pub outcome: Option<Final>,
    /// Held until somebody approves.
    pub hold: Option<Hold>,
    /// With a person, and why.
    pub asked: Option<String>,
    /// A person's decision that waits to be carried out.
    pub decision: Option<PendingDecision>,
    /// A person acts by hand.
    pub taken_over: bool,
    /// Who took over last.
    pub hand: Option<String>,
    /// More than one effect was found.
    pub several: Vec<String>,
    /// The ledger was restored while this operation was in it, or before it began.
    pub restored: Option<Restore>,
    /// The epoch for which a person vouched that nothing had happened before it, after a restore.
    pub vouched_epoch: Option<u32>,
    /// The look that rule 8 wants after a second request is done.
    pub looked_back: bool,
    /// From when patience counts.
    pub patience_from: Stamp,
    /// Receipts whose fate failed and that were superseded: on record at the provider, with our mark,
    /// and no evidence of the present epoch.
    pub superseded: BTreeSet<String>,
    /// What contradicts what is on record.
    pub alarms: Vec<Alarm>,
    /// The epoch in which an answer or a look last contradicted the intent: nothing goes out by itself in it any more.
    pub alarmed_epoch: Option<u32>,
    /// What became of it, and whether it failed.
    pub fate: Option<(String, bool)>,
    /// Arguments and receipt are gone by retention.
    pub pruned: bool,
}

/// One request that may cause the effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attempt {
    /// Counted from 0 over all epochs.
    pub number: u32,
    /// In which epoch.
    pub epoch: u32,
    /// With which key of the epoch.
    pub key_number: u32,
    /// Identity of what the provider scopes tokens to.
    pub scope: String,
    /// When it was journaled.
    pub departed: Stamp,
    /// Deadline after that, in milliseconds.
    pub within_ms: u64,
    /// Settle after the deadline: acted on by then, or never.
    pub settle_ms: u64,
    /// Settle after the deadline for closing.
    pub closing_ms: u64,
    /// How long a refusal recorded under its token stays recorded.
    pub record_ms: Option<u64>,
    /// What is known of it.
    pub verdict: Verdict,
    /// When that was written.
    pub heard: Option<Stamp>,
    /// Closed by an absence that proves, or by a person.
    pub closed: bool,
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Final {
    /// It happened.
    Succeeded(Receipt),
    /// It didn't.
    Refused(Refusal),
}

/// The newest look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LastLook {
    /// When it began.
    pub began: Stamp,
    /// When it was written.
    pub ended: Stamp,
    /// It found nothing, and it was whole.
    pub absent: bool,
}

/// Who works on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// Who.
    pub owner: String,
    /// From when.
    pub at: Stamp,
    /// For how long, in milliseconds.
    pub for_ms: u64,
}

/// A decision that waits for settle and one more look.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PendingDecision {
    /// What.
    pub decision: Decision,
    /// Who.
    pub by: String,
    /// When it was written.
    pub at: Stamp,
    /// A look after settle didn't contradict it.
    pub confirmed: bool,
}

/// What is known of a restored ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Restore {
    /// When it was noted.
    pub at: Stamp,
    /// Milliseconds after that until everything that was sent before can be seen.
    pub span_ms: u64,
    /// The operation was in the backup: it goes on only by being found or by a person.
    pub midway: bool,
    /// Rule 7's look found nothing.
    pub looked: bool,
}

/// Evidence against what is on record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Alarm {
    /// In words.
    pub what: String,
}

impl Lease {
    /// Whether the lease may still hold: by at least one clock it isn't over.
    pub fn holds(&self, now: Stamp) -> bool {
        Elapsed::between(self.at, now).at_least_ms <= self.for_ms
    }

    /// Milliseconds until every clock says that it is over.
    pub fn remaining_ms(&self, now: Stamp) -> u64 {
        (self.for_ms + 1).saturating_sub(Elapsed::between(self.at, now).at_least_ms)
    }
}

impl Attempt {
    /// Whether every clock says that the attempt has been acted on, or never will be.
    pub fn settled(&self, now: Stamp) -> bool {
        self.until_settled(now) == 0
    }

    /// Milliseconds until then.
    pub fn until_settled(&self, now: Stamp) -> u64 {
        after(self.departed, now, self.within_ms.saturating_add(self.settle_ms))
    }

    /// Milliseconds until every clock says that nothing about the attempt can change any more.
    pub fn until_closing(&self, now: Stamp) -> u64 {
        after(self.departed, now, self.within_ms.saturating_add(self.closing_ms))
    }

    /// Whether it may have been carried out: anything but documented as not processed.
    pub fn may_have_left(&self) -> bool {
        !matches!(self.verdict, Verdict::NotDone { .. })
    }
}

/// Milliseconds until more than `span` has passed since `from` by every clock.
fn after(from: Stamp, now: Stamp, span: u64) -> u64 {
    span.saturating_add(1).saturating_sub(Elapsed::between(from, now).at_least_ms)
}

impl OpState {
    /// Attempts of the present epoch.
    pub fn present(&self) -> impl DoubleEndedIterator<Item = &Attempt> {
        self.attempts.iter().filter(|attempt| attempt.epoch == self.epoch)
    }

    /// The object that the newest refusal to take the present token again named. One that speaks of an earlier epoch,
    /// or of a key that has been replaced, says nothing of it.
    pub fn named(&self) -> Option<&str> {
        let of_this_key = |attempt: &&Attempt| attempt.key_number == self.key_number;
        self.present().rev().filter(of_this_key).find_map(|attempt| match &attempt.verdict {
            Verdict::Taken { named, .. } => named.as_deref(),
            _ => None,
        })
    }

    /// Attempts of which it isn't known that they had no effect.
    pub fn open(&self) -> impl Iterator<Item = &Attempt> {
        self.attempts.iter().filter(|attempt| self.is_open(attempt))
    }

    /// Whether nothing closes this attempt: no verdict of its own, no absence or person, and no
    /// refusal recorded under the very token that it carried.
    pub fn is_open(&self, attempt: &Attempt) -> bool {
        let undecided = matches!(
            attempt.verdict,
            Verdict::Open
                | Verdict::Unclear { .. }
                | Verdict::Taken { .. }
                | Verdict::Adrift { .. }
                | Verdict::KeyBurnt { .. }
        );
        undecided && !attempt.closed && !self.is_bound(attempt)
    }

    /// Whether a refusal on record speaks for this attempt too: a later attempt with the same
    /// token, inside one life of it (rule 2).
    pub fn is_bound(&self, attempt: &Attempt) -> bool {
        self.attempts.iter().any(|later| {
            matches!(later.verdict, Verdict::RefusedOnRecord { .. })
                && later.number >= attempt.number
                && self.same_token(later, attempt)
                && self.first_with_token(later).is_none_or(|first| inside_life(first, later))
        })
    }

    /// Whether two attempts carried the same key.
    pub fn same_token(&self, one: &Attempt, other: &Attempt) -> bool {
        one.epoch == other.epoch && one.key_number == other.key_number && one.scope == other.scope
    }

    /// The first attempt that carried the token of `attempt` and isn't documented as not done.
    pub fn first_with_token(&self, attempt: &Attempt) -> Option<&Attempt> {
        self.attempts.iter().find(|first| first.may_have_left() && self.same_token(first, attempt))
    }

    /// Milliseconds until all open attempts are acted on, or never will be.
    pub fn until_settled(&self, now: Stamp) -> u64 {
        self.open().map(|attempt| attempt.until_settled(now)).max().unwrap_or(0).max(self.until_restore_settled(now))
    }

    /// Milliseconds until nothing about the open attempts can change any more.
    pub fn until_closing(&self, now: Stamp) -> u64 {
        self.open().map(|attempt| attempt.until_closing(now)).max().unwrap_or(0).max(self.until_restore_settled(now))
    }

    /// The same for all attempts, open or not: what a hand and the look back wait for.
    pub fn until_all_closing(&self, now: Stamp) -> u64 {
        self.attempts
            .iter()
            .filter(|attempt| attempt.may_have_left())
            .map(|attempt| attempt.until_closing(now))
            .max()
            .unwrap_or(0)
            .max(self.until_restore_settled(now))
    }

    /// After a restore, attempts that the ledger forgot may be out.
    fn until_restore_settled(&self, now: Stamp) -> u64 {
        self.restored.map_or(0, |restore| after(restore.at, now, restore.span_ms))
    }

    /// Whether a look that began at `began` could see everything that the open attempts did.
    pub fn closes(&self, began: Stamp) -> bool {
        self.until_closing(began) == 0
    }

    /// Whether the operation ended.
    pub fn is_final(&self) -> bool {
        self.outcome.is_some()
    }

    /// Departures in the present epoch that may have had an effect.
    pub fn counted_attempts(&self) -> u32 {
        u32::try_from(self.present().filter(|attempt| attempt.may_have_left()).count()).unwrap_or(u32::MAX)
    }
}

/// Whether the refusal of `later` was recorded in the same life of the token in which `first` went.
fn inside_life(first: &Attempt, later: &Attempt) -> bool {
    match later.record_ms {
        None => true,
        Some(life) => {
            let apart = Elapsed::between(first.departed, later.departed).at_most_ms;
            apart.saturating_add(later.within_ms).saturating_add(later.settle_ms) <= life
        }
    }
}
