use std::sync::Arc;

use hapax_core::capability::{Absence, Standing};
use hapax_core::identity::{OperationKey, fingerprint};
use hapax_core::protocol::{
    Bounds, Decision, Departed, Do, Event, Final, Found, Heard, Intent, Looked, OpState, Permit, Receipt, Record,
    Stamp, Verdict, View, fold, may_decide, may_send, next,
};
use hapax_core::words::Refusal;
use serde_json::json;

/// A run of one operation, told step by step. Times are seconds since it began.
pub(crate) struct Run {
    standing: Standing,
    records: Vec<Record>,
    now: Stamp,
    scope: String,
    until: Option<u64>,
}

/// A moment, in seconds since the beginning, by clocks that agree.
pub(crate) fn moment(seconds: u64) -> Stamp {
    Stamp::scripted(seconds * 1000)
}

/// A receipt with this id.
pub(crate) fn receipt(id: &str) -> Receipt {
    Receipt { id: id.to_owned(), body: Arc::new(json!({ "id": id })) }
}

pub(crate) fn happened(id: &str) -> Verdict {
    Verdict::Happened { receipt: receipt(id) }
}

pub(crate) fn refused() -> Verdict {
    Verdict::Refused { reason: Refusal::new("no", "no") }
}

pub(crate) fn refused_on_record() -> Verdict {
    Verdict::RefusedOnRecord { reason: Refusal::new("declined", "declined") }
}

pub(crate) fn not_done(after_seconds: Option<u64>) -> Verdict {
    Verdict::NotDone { why: "429".to_owned(), retry_after_ms: after_seconds.map(|seconds| seconds * 1000) }
}

pub(crate) fn unclear() -> Verdict {
    Verdict::Unclear { why: "the answer was lost".to_owned(), server_error: false }
}

pub(crate) fn found(id: &str) -> Found {
    Found::Happened { receipt: receipt(id) }
}

pub(crate) fn found_dead() -> Found {
    Found::Failed { reason: Refusal::new("rejected", "rejected by the exchange") }
}

impl Run {
    /// An operation that just began.
    pub(crate) fn new(standing: Standing) -> Self {
        let mut run = Self { standing, records: Vec::new(), now: moment(0), scope: "account".to_owned(), until: None };
        run.begins();
        run
    }

    /// The same, good until so many seconds after it began.
    pub(crate) fn good_until(standing: Standing, seconds: u64) -> Self {
        let mut run = Self::new(standing);
        run.until = Some(seconds);
        run.records.clear();
        run.begins();
        run
    }

    fn intent(&self) -> Intent {
        let args = json!({ "amount": 100 });
        Intent {
            connection: "toy-live".to_owned(),
            account: "acct".to_owned(),
            cell: "toy.do".to_owned(),
            version: 1,
            key: OperationKey::new("order:1").expect("a key"),
            fingerprint: fingerprint(&args, &[]),
            args: Arc::new(args),
            good_until_ms: self.until.map(|seconds| moment(seconds).wall_ms),
            similar: Vec::new(),
            stand_in: false,
        }
    }

    pub(crate) fn begins(&mut self) -> &mut Self {
        let intent = self.intent();
        self.writes(Event::Began(intent))
    }

    /// Time goes on to this second.
    pub(crate) fn at(&mut self, seconds: u64) -> &mut Self {
        self.now = moment(seconds);
        self
    }

    /// Time goes on to this moment, by clocks that differ.
    pub(crate) fn at_stamp(&mut self, now: Stamp) -> &mut Self {
        self.now = now;
        self
    }

    /// The connection is another one now.
    pub(crate) fn moves_to(&mut self, scope: &str) -> &mut Self {
        scope.clone_into(&mut self.scope);
        self
    }

    pub(crate) fn writes(&mut self, event: Event) -> &mut Self {
        self.records.push(Record { at: self.now, event });
        self
    }

    /// An attempt departs, as the standing says.
    pub(crate) fn departs(&mut self) -> &mut Self {
        let number = self.state().key_number;
        self.departs_with_key(number)
    }

    pub(crate) fn departs_with_key(&mut self, key_number: u32) -> &mut Self {
        let standing = &self.standing;
        let departed = Departed {
            attempt: u32::try_from(self.state().attempts.len()).expect("few"),
            key_number,
            scope: self.scope.clone(),
            within_ms: standing.within_ms,
            settle_ms: standing.settle_ms,
            closing_ms: standing.closing_ms,
            record_ms: standing.record_ms,
            because: String::new(),
        };
        self.writes(Event::Departed(departed))
    }

    pub(crate) fn hears(&mut self, attempt: u32, verdict: Verdict) -> &mut Self {
        self.writes(Event::Heard(Heard { attempt, verdict }))
    }

    pub(crate) fn can_be_asked(&self) -> bool {
        self.standing.look.is_some()
    }

    /// A look that began then ends now.
    pub(crate) fn looks(&mut self, began: u64, found: Found) -> &mut Self {
        let look = self.standing.look.expect("a cell that can be asked");
        let looked = Looked {
            began: moment(began),
            found,
            absence: look.absence,
            by_mark: !look.by_content,
            by_content: look.by_content,
        };
        self.writes(Event::Looked(looked))
    }

    /// A look by a handle that may be lost.
    pub(crate) fn looks_by_handle(&mut self, began: u64, found: Found) -> &mut Self {
        let (by_mark, by_content) = (false, false);
        self.writes(Event::Looked(Looked {
            began: moment(began),
            found,
            absence: Absence::Proves,
            by_mark,
            by_content,
        }))
    }

    pub(crate) fn witnessed(&mut self, id: &str) -> &mut Self {
        self.writes(Event::Witnessed { source: "webhook".to_owned(), receipt: receipt(id) })
    }

    /// A person looked then and decides now.
    pub(crate) fn decides(&mut self, looked: u64, decision: Decision) -> &mut Self {
        let seen = self.state().revision;
        self.writes(Event::Decided { by: "ada".to_owned(), seen, looked: moment(looked), decision })
    }

    pub(crate) fn is_taken_over(&mut self) -> &mut Self {
        self.writes(Event::TakenOver { by: "ada".to_owned() })
    }

    pub(crate) fn notes(&mut self, name: &str, value: &str) -> &mut Self {
        self.writes(Event::Noted { name: name.to_owned(), value: value.to_owned() })
    }

    pub(crate) fn superseded(&mut self, epoch: u32) -> &mut Self {
        let intent = self.intent();
        self.writes(Event::Superseded { by: "ada".to_owned(), epoch, intent })
    }

    /// The ledger is put back to its first so many records, and noted as restored.
    pub(crate) fn restored_to(&mut self, records: usize) -> &mut Self {
        self.records.truncate(records);
        let span_ms = self.standing.within_ms + self.standing.closing_ms;
        let since = self.now;
        self.writes(Event::Restored { since, span_ms })
    }

    /// The ledger was put back to before the operation, which begins again.
    pub(crate) fn begins_after_a_restore(&mut self) -> &mut Self {
        self.records.clear();
        self.begins();
        let span_ms = self.standing.within_ms + self.standing.closing_ms;
        let since = self.now;
        self.writes(Event::Restored { since, span_ms })
    }

    pub(crate) fn state(&self) -> OpState {
        fold(&self.records)
    }

    pub(crate) fn records(&self) -> &[Record] {
        &self.records
    }

    fn view(&self) -> View<'_> {
        View { now: self.now, owner: "me", scope: &self.scope, bounds: Bounds { backoff_ms: 0, ..Bounds::default() } }
    }

    pub(crate) fn next(&self) -> Do {
        next(&self.state(), &self.standing, &self.view())
    }

    pub(crate) fn may_send(&self) -> Permit {
        may_send(&self.state(), &self.standing, &self.view())
    }

    pub(crate) fn sends(&self) -> bool {
        matches!(self.may_send(), Permit::Yes { .. })
    }

    pub(crate) fn asks(&self) -> bool {
        matches!(self.next(), Do::Ask { .. })
    }

    /// Whether a person who looked then may decide now.
    pub(crate) fn may_decide(&self, looked: u64) -> Result<(), u64> {
        may_decide(&self.state(), &self.standing, moment(looked), self.now)
    }

    /// The id of the receipt, if it succeeded.
    pub(crate) fn succeeded(&self) -> Option<String> {
        match self.state().outcome {
            Some(Final::Succeeded(receipt)) => Some(receipt.id),
            _ => None,
        }
    }

    /// The code of the refusal, if it was refused.
    pub(crate) fn refused(&self) -> Option<String> {
        match self.state().outcome {
            Some(Final::Refused(reason)) => Some(reason.code),
            _ => None,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.state().outcome.is_none()
    }
}
