use super::event::{Departed, Heard, Looked};
use super::{
    Alarm, Attempt, Decision, Event, Final, Found, LastLook, Lease, OpState, PendingDecision, Receipt, Record, Restore,
    Stamp, Verdict,
};
use crate::capability::Absence;
use crate::words::Refusal;

/// The state of an operation after these records. Pure: the same records give the same state in
/// every version, because each attempt carries the facts that judgements about it rely on.
///
/// The first event that makes the operation final decides; later evidence only adds an alarm.
pub fn fold<'a>(records: impl IntoIterator<Item = &'a Record>) -> OpState {
    let mut state = OpState::default();
    for record in records {
        state.apply(record);
    }
    state
}

impl OpState {
    /// Adds one record.
    pub fn apply(&mut self, record: &Record) {
        let at = record.at;
        self.revision += 1;
        match &record.event {
            Event::Began(intent) => {
                self.intent = Some(intent.clone());
                self.began = at;
                self.patience_from = at;
            }
            Event::Restored { since, span_ms } => self.restored(at, *since, *span_ms),
            Event::Held(hold) => self.hold = Some(hold.clone()),
            Event::Approved { fingerprint, epoch, .. } => {
                self.approved(at, *epoch, self.intent.as_ref().is_some_and(|intent| intent.fingerprint == *fingerprint))
            }
            Event::Leased { owner, for_ms } => self.lease = Some(Lease { owner: owner.clone(), at, for_ms: *for_ms }),
            Event::Yielded { owner } => {
                self.given_back = (self.given_back.0 + 1, at);
                self.release(owner);
            }
            Event::Noted { name, value } => {
                self.given_back.0 = 0;
                self.notes.entry(name.clone()).or_insert_with(|| value.clone());
            }
            Event::Departed(departed) => self.departed(at, departed),
            Event::Heard(heard) => self.heard(at, heard),
            Event::Looked(looked) => self.looked(at, looked),
            Event::Witnessed { source, receipt } => self.witnessed(source, receipt),
            Event::Asked { why } => {
                self.asked = Some(why.clone());
                self.decision = None;
                self.lease = None;
            }
            Event::Decided { by, decision, .. } => self.decided(at, by, decision),
            Event::TakenOver { by } => {
                self.taken_over = true;
                self.hand = Some(by.clone());
                self.decision = None;
                self.looked_back = false;
                self.looks = 0;
            }
            Event::Epoch { number, .. } => self.begin_epoch(at, *number),
            Event::Superseded { epoch, intent, .. } => self.superseded(at, *epoch, intent),
            Event::Closed { reason } => self.close(reason),
            Event::Alarmed { what } => {
                self.alarm(what.clone());
                self.alarmed_epoch = Some(self.epoch);
            }
            Event::Fated { fate, failed } => self.fate = Some((fate.clone(), *failed)),
            Event::Pruned => self.pruned = true,
        }
    }

    fn restored(&mut self, at: Stamp, since: Stamp, span_ms: u64) {
        // An intent or epoch that begins after the restore is written in one append with this, at
        // one moment; everything else was in the backup.
        let midway = self.patience_from != at || self.present().next().is_some();
        self.restored = Some(Restore { at: since, span_ms, midway, looked: false });
        self.vouched_epoch = None;
        self.decision = None;
    }

    fn approved(&mut self, at: Stamp, epoch: u32, same_intent: bool) {
        if epoch == self.epoch && same_intent {
            // Approving what a restored ledger held vouches that nothing had happened before.
            if self.hold == Some(super::Hold::Restored) {
                self.vouched_epoch = Some(epoch);
            }
            self.hold = None;
            self.patience_from = at;
        }
    }

    fn departed(&mut self, at: Stamp, departed: &Departed) {
        self.key_number = departed.key_number;
        self.given_back.0 = 0;
        self.looked_back = false;
        // What was seen before says nothing about this attempt.
        self.last_look = None;
        if let Some(restore) = &mut self.restored {
            restore.looked = false;
        }
        self.attempts.push(Attempt {
            number: departed.attempt,
            epoch: self.epoch,
            key_number: departed.key_number,
            scope: departed.scope.clone(),
            departed: at,
            within_ms: departed.within_ms,
            settle_ms: departed.settle_ms,
            closing_ms: departed.closing_ms,
            record_ms: departed.record_ms,
            verdict: Verdict::Open,
            heard: None,
            closed: false,
        });
    }

    fn heard(&mut self, at: Stamp, heard: &Heard) {
        // A late answer of an earlier attempt doesn't take the work away from whoever has it now.
        if self.attempts.last().is_none_or(|last| last.number == heard.attempt) {
            self.lease = None;
        }
        match self.attempts.iter_mut().find(|attempt| attempt.number == heard.attempt) {
            // The ledger forgot the attempt (it was restored); what it proves still counts.
            None => {}
            Some(attempt) => match (&attempt.verdict, &heard.verdict) {
                (Verdict::Open | Verdict::Unclear { .. }, verdict) => {
                    attempt.verdict = verdict.clone();
                    attempt.heard = Some(at);
                }
                (_, Verdict::Happened { .. }) => attempt.verdict = heard.verdict.clone(),
                _ => {}
            },
        }
        if let Verdict::Happened { receipt } = &heard.verdict {
            self.happened(receipt, "an answer");
        }
        self.conclude();
    }

    fn looked(&mut self, at: Stamp, looked: &Looked) {
        self.lease = None;
        self.looks += 1;
        let absent = looked.found == Found::Absent;
        self.last_look = Some(LastLook { began: looked.began, ended: at, absent });
        if self.is_final() {
            return self.looked_after_end(looked);
        }
        match &looked.found {
            // A record that only looks like ours may be another operation's until our own attempts
            // are settled (M10).
            Found::Happened { .. } if looked.by_content && self.until_settled(looked.began) > 0 => {}
            Found::Happened { receipt } => {
                if self.taken_over {
                    self.alarm("it happened although a person has taken over: a hand may have acted too".to_owned());
                }
                self.happened(receipt, "a look");
            }
            Found::Several { ids } => {
                self.several = ids.clone();
                self.alarm(format!("more than one effect was found: {}", ids.join(", ")));
            }
            Found::Failed { reason } => self.found_dead(looked, reason),
            Found::Absent => self.found_nothing(looked),
            Found::NotYet { .. } | Found::CannotTell { .. } => {}
        }
    }

    /// Rule 8: one more look after a second request. It can't change the outcome, only ring.
    fn looked_after_end(&mut self, looked: &Looked) {
        if self.until_all_closing(looked.began) == 0
            && !matches!(looked.found, Found::NotYet { .. } | Found::CannotTell { .. })
        {
            self.looked_back = true;
        }
        match &looked.found {
            Found::Several { ids } => {
                self.looked_back = true;
                self.alarm(format!("more than one effect was found: {}", ids.join(", ")));
            }
            Found::Happened { receipt } if !looked.by_content => {
                self.looked_back = true;
                self.contradiction(receipt, "a look");
            }
            _ => {}
        }
    }

    fn found_dead(&mut self, looked: &Looked, reason: &Refusal) {
        // What came to nothing doesn't contradict that nothing happened.
        if self.closes(looked.began) {
            self.confirm_decision(looked);
        }
        let adrift = self.open().any(|attempt| matches!(attempt.verdict, Verdict::Adrift { .. }));
        if self.closes(looked.began)
            && !adrift
            // A look that was under way when the epoch began speaks of the one before.
            && self.present().next().is_some()
            && !self.taken_over
            && self.no_longer_restored(looked)
        {
            self.outcome = Some(Final::Refused(reason.clone()));
            self.end();
        }
    }

    fn found_nothing(&mut self, looked: &Looked) {
        if !self.closes(looked.began) {
            return;
        }
        if self.taken_over {
            self.looked_back = true;
            return;
        }
        if let Some(restore) = &mut self.restored
            && looked.by_mark
            && looked.absence == Absence::Proves
        {
            restore.looked = true;
        }
        self.confirm_decision(looked);
        if looked.absence == Absence::Proves && self.no_longer_restored(looked) {
            self.close_open_attempts(false);
            self.conclude();
        }
    }

    /// Rule 13: a look after the decision that doesn't contradict it.
    fn confirm_decision(&mut self, looked: &Looked) {
        if let Some(decision) = &mut self.decision
            && super::Elapsed::between(decision.at, looked.began).at_least_ms > 0
        {
            decision.confirmed = true;
        }
    }

    /// What was in a restored backup is closed by being found or by a person only.
    fn no_longer_restored(&self, looked: &Looked) -> bool {
        self.restored.is_none_or(|restore| !restore.midway && looked.by_mark)
    }

    /// Closes what is open. An attempt adrift is closed by a person only.
    fn close_open_attempts(&mut self, by_a_person: bool) {
        let open: Vec<u32> = self
            .open()
            .filter(|attempt| by_a_person || !matches!(attempt.verdict, Verdict::Adrift { .. }))
            .map(|attempt| attempt.number)
            .collect();
        for attempt in self.attempts.iter_mut().filter(|attempt| open.contains(&attempt.number)) {
            attempt.closed = true;
        }
    }

    fn witnessed(&mut self, source: &str, receipt: &Receipt) {
        if self.taken_over && !self.is_final() {
            self.alarm(format!(
                "{source} proves that it happened although a person has taken over: a hand may have acted too"
            ));
        }
        self.happened(receipt, source);
    }

    /// Proof that it happened, from anywhere.
    fn happened(&mut self, receipt: &Receipt, source: &str) {
        if self.is_final() {
            return self.contradiction(receipt, source);
        }
        self.outcome = Some(Final::Succeeded(receipt.clone()));
        self.end();
    }

    fn contradiction(&mut self, receipt: &Receipt, source: &str) {
        match &self.outcome {
            Some(Final::Succeeded(first)) if first.id == receipt.id => {}
            Some(Final::Succeeded(first)) => self.alarm(format!(
                "{source} names {} where {} is on record: there may be two effects",
                receipt.id, first.id
            )),
            _ => self.alarm(format!("{source} proves that it happened ({}) though it was refused", receipt.id)),
        }
    }

    fn decided(&mut self, at: Stamp, by: &str, decision: &Decision) {
        if let Decision::Happened { receipt } = decision {
            return self.happened(receipt, "a person");
        }
        if self.is_final() {
            return;
        }
        self.asked = None;
        self.several.clear();
        self.looks = 0;
        self.patience_from = at;
        self.taken_over = false;
        self.decision = Some(PendingDecision { decision: decision.clone(), by: by.to_owned(), at, confirmed: false });
    }

    fn begin_epoch(&mut self, at: Stamp, number: u32) {
        self.close_open_attempts(true);
        self.new_epoch(at, number);
        self.vouched_epoch = Some(number);
        // A person's "send again" is carried out by this, once.
        self.decision = None;
    }

    fn superseded(&mut self, at: Stamp, epoch: u32, intent: &super::Intent) {
        let failed = self.fate.as_ref().is_some_and(|(_, failed)| *failed);
        let refused = matches!(self.outcome, Some(Final::Refused(_)));
        if epoch != self.epoch || !(refused || failed) {
            return;
        }
        if let Some(Final::Succeeded(receipt)) = &self.outcome {
            self.superseded.insert(receipt.id.clone());
        }
        self.intent = Some(intent.clone());
        self.outcome = None;
        self.fate = None;
        self.close_open_attempts(true);
        self.new_epoch(at, epoch + 1);
    }

    fn new_epoch(&mut self, at: Stamp, number: u32) {
        self.epoch = number;
        self.key_number = 0;
        self.given_back.0 = 0;
        // An epoch that ended before it had a handle did not retire the one before it either.
        self.former_notes.append(&mut self.notes);
        self.looks = 0;
        self.last_look = None;
        self.asked = None;
        self.looked_back = false;
        self.patience_from = at;
    }

    fn close(&mut self, reason: &Refusal) {
        if !self.is_final() {
            self.outcome = Some(Final::Refused(reason.clone()));
            self.close_open_attempts(true);
            self.end();
        }
    }

    /// The last attempt of the present epoch decides, once none of any epoch is open.
    fn conclude(&mut self) {
        if self.is_final() || self.taken_over || !self.several.is_empty() || self.open().next().is_some() {
            return;
        }
        // A person wants it sent again: what was refused before is not the end of it.
        if self.decision.as_ref().is_some_and(|pending| pending.decision == Decision::SendAgain) {
            return;
        }
        // Attempts that a restored ledger forgot may be open (rule 7).
        if self.restored.is_some_and(|restore| restore.midway) && self.vouched_epoch != Some(self.epoch) {
            return;
        }
        let Some(last) = self.present().next_back().cloned() else { return };
        if last.closed {
            return;
        }
        let reason = match &last.verdict {
            Verdict::Refused { reason } | Verdict::RefusedOnRecord { reason } => Some(reason.clone()),
            _ if self.is_bound(&last) => self.attempts.iter().rev().find_map(|a| {
                if let Verdict::RefusedOnRecord { reason } = &a.verdict { Some(reason.clone()) } else { None }
            }),
            _ => None,
        };
        if let Some(reason) = reason {
            self.outcome = Some(Final::Refused(reason));
            self.end();
        }
    }

    fn end(&mut self) {
        self.decision = None;
        self.asked = None;
        self.hold = None;
        self.lease = None;
        self.taken_over = false;
        // The look back has its own bound: those before the end must not have used it up.
        self.looks = 0;
    }

    fn release(&mut self, owner: &str) {
        if self.lease.as_ref().is_some_and(|lease| lease.owner == owner) {
            self.lease = None;
        }
    }

    fn alarm(&mut self, what: String) {
        let alarm = Alarm { what };
        if !self.alarms.contains(&alarm) {
            self.alarms.push(alarm);
        }
    }
}
