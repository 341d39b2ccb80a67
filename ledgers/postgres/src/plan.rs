//! What a batch of appends comes to, given what the ledger holds: the same answers as if they had come one after the
//! other. Nothing here waits or talks to a database.

use std::collections::{BTreeMap, HashMap};

use hapax_core::ledger::{Append, Appended, LedgerError, OperationId};
use uuid::Uuid;

use crate::codec::{Identity, alike, bucket, bucket_of, claim_hash, key_hash};
use crate::error::unusable;

/// An append with what it is looked up by.
pub(crate) struct Asked {
    pub(crate) append: Append,
    pub(crate) identity: Identity,
    pub(crate) key: Uuid,
    pub(crate) claim: Option<Uuid>,
    pub(crate) alike: i64,
}

impl Asked {
    pub(crate) fn new(append: Append) -> Self {
        let index = &append.index;
        Self {
            identity: Identity::of(index),
            key: key_hash(&index.connection, &index.cell, index.key.as_str()),
            claim: index.claim.as_ref().map(|claim| claim_hash(&index.account, claim)),
            alike: alike(index),
            append,
        }
    }

    /// The locks that keep other processes away from everything that the answer depends on.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = i32> {
        let key = (self.append.seen == 0).then(|| bucket(self.key));
        let of_operation = [bucket(self.append.operation.0), bucket_of(self.alike)];
        of_operation.into_iter().chain(key).chain(self.claim.map(bucket))
    }
}

/// An operation as it is in the ledger, or would be after the appends before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) identity: Identity,
    /// What its row said at the beginning of the batch, or its first append if the batch makes it.
    pub(crate) began_as: Identity,
    /// As of the beginning of the batch; 0: it is made by it.
    pub(crate) stored: u64,
    pub(crate) revision: u64,
    pub(crate) claim: Option<Uuid>,
}

/// What the ledger holds of all that the batch touches.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) operations: HashMap<OperationId, Held>,
    pub(crate) keys: HashMap<Uuid, OperationId>,
    pub(crate) claims: HashMap<Uuid, OperationId>,
    /// Similar operations by the append's place in the batch, in order of their ids.
    pub(crate) similar: HashMap<usize, Vec<OperationId>>,
}

/// What is to be written, and what is answered once it is.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) answers: Vec<Result<Appended, LedgerError>>,
    /// The last append that counts for each operation, by its place in the batch.
    pub(crate) last: BTreeMap<OperationId, usize>,
    /// Operations as they are afterwards.
    pub(crate) operations: HashMap<OperationId, Held>,
    /// Claims that are let go.
    pub(crate) freed: Vec<Uuid>,
    /// Claims that are taken.
    pub(crate) taken: Vec<(Uuid, OperationId)>,
}

impl Plan {
    /// Whether anything is to be written.
    pub(crate) fn writes(&self) -> bool {
        !self.last.is_empty()
    }

    /// The places of appends that are written.
    pub(crate) fn accepted(&self) -> impl Iterator<Item = usize> {
        self.answers.iter().enumerate().filter(|(_, answer)| answer.is_ok()).map(|(place, _)| place)
    }
}

/// Decides them one after the other.
pub(crate) fn plan(asked: &[Asked], mut known: Known) -> Plan {
    // A claim that is held is known even if nobody in the batch asks for it.
    for (id, held) in &known.operations {
        known.claims.extend(held.claim.map(|claim| (claim, *id)));
    }
    let mut state = State {
        asked,
        claims: known.claims.clone(),
        operations: known.operations.clone(),
        known,
        plan: Plan::default(),
    };
    for place in 0..asked.len() {
        let answer = state.decide(place);
        state.plan.answers.push(answer);
    }
    state.finish()
}

struct State<'a> {
    asked: &'a [Asked],
    known: Known,
    operations: HashMap<OperationId, Held>,
    claims: HashMap<Uuid, OperationId>,
    plan: Plan,
}

impl State<'_> {
    fn decide(&mut self, place: usize) -> Result<Appended, LedgerError> {
        let Asked { append, identity, key, claim, .. } = &self.asked[place];
        let held = self.operations.get(&append.operation);
        if held.map_or(0, |held| held.revision) != append.seen {
            return Err(LedgerError::Moved);
        }
        if append.seen == 0 && (held.is_some() || self.known.keys.contains_key(key)) {
            return Err(LedgerError::Moved);
        }
        if held.is_some_and(|held| is_renamed(&held.identity, identity)) {
            return Err(unusable(
                "an operation can't change its connection, cell or key",
                "this is a mistake in the program; please report it",
            ));
        }
        let holder = claim.as_ref().and_then(|claim| self.claims.get(claim));
        if let Some(other) = holder.filter(|holder| **holder != append.operation) {
            return Err(LedgerError::Claimed(*other));
        }
        let similar = if append.seen == 0 { self.similar(place) } else { Vec::new() };
        if append.refuse_similar && !similar.is_empty() {
            return Err(LedgerError::Similar(similar));
        }
        Ok(Appended { revision: self.accept(place), similar })
    }

    fn accept(&mut self, place: usize) -> u64 {
        let Asked { append, identity, key, claim, .. } = &self.asked[place];
        let revision = append.seen + append.records.len() as u64;
        let before = self.operations.get(&append.operation);
        let stored = before.map_or(0, |held| held.stored);
        let began_as = before.map_or_else(|| identity.clone(), |held| held.began_as.clone());
        if let Some(old) = before.and_then(|held| held.claim).filter(|old| Some(old) != claim.as_ref()) {
            self.claims.remove(&old);
        }
        if let Some(claim) = claim {
            self.claims.insert(*claim, append.operation);
        }
        let held = Held { identity: identity.clone(), began_as, stored, revision, claim: *claim };
        self.operations.insert(append.operation, held);
        self.known.keys.insert(*key, append.operation);
        self.plan.last.insert(append.operation, place);
        revision
    }

    /// Those in the ledger, and those that this batch made before.
    fn similar(&self, place: usize) -> Vec<OperationId> {
        let this = &self.asked[place];
        let began = |append: &Append| append.records.first().map_or(i64::MIN, |first| first.at.wall_ms);
        let alike = |other: &Asked| {
            let (ours, theirs) = (&this.identity, &other.identity);
            ours.account == theirs.account
                && ours.cell == theirs.cell
                && ours.fingerprint == theirs.fingerprint
                && ours.key != theirs.key
                && other.append.seen == 0
                && began(&other.append) >= this.append.similar_since_ms
        };
        let before = self.plan.accepted().filter(|earlier| alike(&self.asked[*earlier]));
        let mut ids: Vec<OperationId> = before.map(|earlier| self.asked[earlier].append.operation).collect();
        ids.extend(self.known.similar.get(&place).into_iter().flatten());
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn finish(mut self) -> Plan {
        self.plan.taken = difference(&self.claims, &self.known.claims);
        self.plan.freed = difference(&self.known.claims, &self.claims).into_iter().map(|(hash, _)| hash).collect();
        self.plan.operations = self.operations;
        self.plan
    }
}

fn is_renamed(held: &Identity, now: &Identity) -> bool {
    held.connection != now.connection || held.cell != now.cell || held.key != now.key
}

/// Claims of the one that the other doesn't have, or has with another operation, in order.
fn difference(one: &HashMap<Uuid, OperationId>, other: &HashMap<Uuid, OperationId>) -> Vec<(Uuid, OperationId)> {
    let differ = one.iter().filter(|(hash, by)| other.get(*hash) != Some(by));
    let mut found: Vec<_> = differ.map(|(hash, by)| (*hash, *by)).collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use hapax_conformance::ledger::samples::{Draft, leased};
    use serde_json::json;

    use super::*;

    fn planned(appends: Vec<Append>, known: Known) -> Plan {
        let asked: Vec<Asked> = appends.into_iter().map(Asked::new).collect();
        plan(&asked, known)
    }

    #[test]
    fn of_two_under_one_key_in_a_batch_the_first_one_counts() {
        let (one, other) = (Draft::new("k"), Draft::new("k"));
        let plan = planned(vec![one.first(), other.first()], Known::default());
        assert!(plan.answers[0].is_ok());
        assert!(matches!(plan.answers[1], Err(LedgerError::Moved)));
        assert_eq!(plan.last.keys().collect::<Vec<_>>(), [&one.id]);
    }

    #[test]
    fn an_operation_may_begin_and_go_on_in_one_batch() {
        let draft = Draft::new("k");
        let stale = draft.append(3, [leased()]);
        let plan = planned(vec![draft.first(), draft.append(3, [leased()]), stale], Known::default());
        assert_eq!(plan.answers[1].as_ref().map(|appended| appended.revision).ok(), Some(4));
        assert!(matches!(plan.answers[2], Err(LedgerError::Moved)));
        let held = &plan.operations[&draft.id];
        assert_eq!((held.stored, held.revision), (0, 4));
    }

    #[test]
    fn a_claim_that_is_let_go_can_be_taken_in_the_same_batch_and_not_before() {
        let holder = Draft::new("holder").claiming("ch");
        let hash = Asked::new(holder.first()).claim.expect("it claims");
        let identity = Identity::of(&holder.index);
        let held = Held { began_as: identity.clone(), identity, stored: 3, revision: 3, claim: Some(hash) };
        let known = || Known { operations: HashMap::from([(holder.id, held.clone())]), ..Known::default() };
        let mut without = holder.clone();
        without.index.claim = None;
        let (early, late) = (Draft::new("early").claiming("ch"), Draft::new("late").claiming("ch"));
        let plan = planned(vec![early.first(), without.append(3, [leased()]), late.first()], known());
        assert!(matches!(plan.answers[0], Err(LedgerError::Claimed(by)) if by == holder.id));
        assert!(plan.answers[1].is_ok() && plan.answers[2].is_ok());
        assert_eq!((plan.freed, plan.taken), (vec![hash], vec![(hash, late.id)]));
        let kept = planned(vec![holder.append(3, [leased()])], known());
        assert_eq!((kept.freed, kept.taken), (vec![], vec![]), "what stays is not written again");
    }

    #[test]
    fn similar_ones_of_the_batch_and_of_the_ledger_are_seen_together() {
        let args = || json!({"charge": 1});
        let (one, other) = (Draft::with("a", args()), Draft::with("b", args()));
        let stored = OperationId::fresh();
        let known = Known { similar: HashMap::from([(1, vec![stored])]), ..Known::default() };
        let plan = planned(vec![one.first(), other.first()], known);
        let mut expected = vec![one.id, stored];
        expected.sort_unstable();
        assert_eq!(plan.answers[1].as_ref().map(|appended| appended.similar.clone()).ok(), Some(expected));
    }

    #[test]
    fn an_operation_keeps_its_key() {
        let draft = Draft::new("k");
        let renamed = Draft { id: draft.id, ..Draft::new("other") };
        let plan = planned(vec![draft.first(), renamed.append(3, [leased()])], Known::default());
        assert!(matches!(plan.answers[1], Err(LedgerError::Unusable { .. })));
    }
}
