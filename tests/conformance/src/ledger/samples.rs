//! Operations and events to fill a ledger with.

use std::sync::Arc;

use hapax_core::capability::Absence;
use hapax_core::identity::{OperationKey, fingerprint};
use hapax_core::ledger::{Append, Appended, Index, LedgerError, OperationId, Phase, SharedLedger};
use hapax_core::protocol::{
    Decision, Departed, Event, Found, Heard, Hold, Intent, Looked, Receipt, Record, Stamp, Verdict,
};
use hapax_core::words::Refusal;
use serde_json::{Value, json};

/// An operation that tests write piece by piece.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Its id.
    pub id: OperationId,
    /// What it is found by.
    pub index: Index,
    /// What it wants.
    pub intent: Intent,
    /// When the next record is written.
    pub at: Stamp,
}

impl Draft {
    /// A charge under this key, with arguments of its own.
    pub fn new(key: &str) -> Self {
        Self::with(key, json!({"amount": 4200, "currency": "EUR", "reference": key}))
    }

    /// A charge under this key with these arguments.
    pub fn with(key: &str, args: Value) -> Self {
        let key = OperationKey::new(key).expect("a test's key is a key");
        let print = fingerprint(&args, &[]);
        let intent = Intent {
            connection: "stripe-live".to_owned(),
            account: "acct_1".to_owned(),
            cell: "stripe.charge".to_owned(),
            version: 1,
            key: key.clone(),
            args: Arc::new(args),
            fingerprint: print,
            good_until_ms: None,
            similar: Vec::new(),
            stand_in: false,
        };
        let index = Index {
            connection: intent.connection.clone(),
            account: intent.account.clone(),
            cell: intent.cell.clone(),
            key,
            fingerprint: print,
            phase: Phase::Open,
            due_ms: None,
            claim: None,
        };
        Self { id: OperationId::fresh(), index, intent, at: Stamp::scripted(1_000_000) }
    }

    /// The same on another connection, account and cell.
    pub fn at_place(mut self, connection: &str, account: &str, cell: &str) -> Self {
        for (field, value) in [
            (&mut self.index.connection, connection),
            (&mut self.intent.connection, connection),
            (&mut self.index.account, account),
            (&mut self.intent.account, account),
            (&mut self.index.cell, cell),
            (&mut self.intent.cell, cell),
        ] {
            value.clone_into(field);
        }
        self
    }

    /// The same at another time.
    pub fn at_ms(mut self, ms: u64) -> Self {
        self.at = Stamp::scripted(ms);
        self
    }

    /// The same in another phase.
    pub fn in_phase(mut self, phase: Phase) -> Self {
        self.index.phase = phase;
        self
    }

    /// The same with work due.
    pub fn due_at(mut self, ms: i64) -> Self {
        self.index.due_ms = Some(ms);
        self
    }

    /// The same with a claim.
    pub fn claiming(mut self, claim: &str) -> Self {
        self.index.claim = Some(claim.to_owned());
        self
    }

    /// A record of now.
    pub fn record(&self, event: Event) -> Record {
        Record { at: self.at, event }
    }

    /// The first append: it began, was taken up, and an attempt leaves.
    pub fn first(&self) -> Append {
        // Whoever takes up an operation is another one each time.
        let owner = format!("{:016x}", self.id.0.as_u64_pair().1);
        let leased = Event::Leased { owner, for_ms: 90_000 };
        self.append(0, [Event::Began(self.intent.clone()), leased, departed()])
    }

    /// An append of these events at this revision.
    pub fn append(&self, seen: u64, events: impl IntoIterator<Item = Event>) -> Append {
        Append {
            operation: self.id,
            seen,
            records: events.into_iter().map(|event| self.record(event)).collect(),
            index: self.index.clone(),
            refuse_similar: false,
            similar_since_ms: 0,
        }
    }

    /// Writes the first append.
    ///
    /// # Errors
    /// The ledger's.
    pub async fn begin(&self, ledger: &SharedLedger) -> Result<Appended, LedgerError> {
        ledger.append(self.first()).await
    }
}

/// Somebody took up the work.
pub fn leased() -> Event {
    Event::Leased { owner: "host-7/4711".to_owned(), for_ms: 90_000 }
}

/// The first attempt leaves.
pub fn departed() -> Event {
    Event::Departed(Departed {
        attempt: 0,
        key_number: 0,
        scope: "acct_1".to_owned(),
        within_ms: 30_000,
        settle_ms: 60_000,
        closing_ms: 90_000,
        record_ms: Some(86_400_000),
        because: "nothing was sent before".to_owned(),
    })
}

/// The first attempt happened.
pub fn happened(id: &str) -> Event {
    Event::Heard(Heard { attempt: 0, verdict: Verdict::Happened { receipt: receipt(id) } })
}

/// A receipt.
pub fn receipt(id: &str) -> Receipt {
    Receipt { id: id.to_owned(), body: Arc::new(json!({"id": id, "amount": 4200, "currency": "EUR"})) }
}

/// One sample of every event, beginning with `began`.
pub fn every_event(intent: &Intent) -> Vec<Event> {
    let mut events = vec![Event::Began(intent.clone())];
    while let Some(next) = events.last().and_then(|last| after(last, intent)) {
        events.push(next);
    }
    events
}

/// The sample that follows this one. Without a wildcard, so that a new event doesn't compile until it
/// has its place here.
fn after(event: &Event, intent: &Intent) -> Option<Event> {
    let at = Stamp { wall_ms: 1_790_000_000_123, boot_ms: 77, boot: u64::MAX };
    let by = || "ada@example.org".to_owned();
    let next = match event {
        Event::Began(_) => Event::Restored { since: at, span_ms: 120_000 },
        Event::Restored { .. } => Event::Held(Hold::Approval { rule: "over 100 EUR".to_owned() }),
        Event::Held(_) => Event::Approved { by: by(), fingerprint: intent.fingerprint, epoch: 0 },
        Event::Approved { .. } => leased(),
        Event::Leased { .. } => Event::Yielded { owner: "host-7/4711".to_owned() },
        Event::Yielded { .. } => Event::Noted { name: "intent".to_owned(), value: "pi_1".to_owned() },
        Event::Noted { .. } => departed(),
        Event::Departed(_) => happened("ch_1"),
        Event::Heard(_) => Event::Looked(looked(Found::Absent)),
        Event::Looked(_) => Event::Witnessed { source: "webhook".to_owned(), receipt: receipt("ch_1") },
        Event::Witnessed { .. } => Event::Asked { why: "two were found".to_owned() },
        Event::Asked { .. } => Event::Decided { by: by(), seen: 3, looked: at, decision: Decision::SendAgain },
        Event::Decided { .. } => Event::TakenOver { by: by() },
        Event::TakenOver { .. } => Event::Epoch { number: 1, because: "a person said so".to_owned() },
        Event::Epoch { .. } => Event::Superseded { by: by(), epoch: 1, intent: intent.clone() },
        Event::Superseded { .. } => Event::Closed { reason: Refusal::new("expired", "too late") },
        Event::Closed { .. } => Event::Alarmed { what: "it is there after all".to_owned() },
        Event::Alarmed { .. } => Event::Fated { fate: "settled".to_owned(), failed: false },
        Event::Fated { .. } => Event::Pruned,
        Event::Pruned => return None,
    };
    Some(next)
}

/// One sample of every verdict.
pub fn every_verdict() -> Vec<Verdict> {
    let mut all = vec![Verdict::Open];
    while let Some(next) = all.last().and_then(after_verdict) {
        all.push(next);
    }
    all
}

fn after_verdict(verdict: &Verdict) -> Option<Verdict> {
    let why = || "status 500".to_owned();
    let reason = || Refusal::new("card_declined", "the card was declined");
    Some(match verdict {
        Verdict::Open => Verdict::Unclear { why: why(), server_error: true },
        Verdict::Unclear { .. } => Verdict::NotDone { why: why(), retry_after_ms: Some(1500) },
        Verdict::NotDone { .. } => Verdict::Refused { reason: reason() },
        Verdict::Refused { .. } => Verdict::RefusedOnRecord { reason: reason() },
        Verdict::RefusedOnRecord { .. } => Verdict::Happened { receipt: receipt("ch_2") },
        Verdict::Happened { .. } => {
            Verdict::Taken { what: "the offer is sold".to_owned(), named: Some("off_1".to_owned()) }
        }
        Verdict::Taken { .. } => Verdict::Adrift { why: why() },
        Verdict::Adrift { .. } => Verdict::KeyBurnt { why: why() },
        Verdict::KeyBurnt { .. } => return None,
    })
}

/// One sample of everything that a look can find.
pub fn every_finding() -> Vec<Found> {
    let mut all = vec![Found::Absent];
    while let Some(next) = all.last().and_then(after_finding) {
        all.push(next);
    }
    all
}

fn after_finding(found: &Found) -> Option<Found> {
    Some(match found {
        Found::Absent => Found::NotYet { why: "processing".to_owned() },
        Found::NotYet { .. } => Found::CannotTell { why: "page 3 failed".to_owned() },
        Found::CannotTell { .. } => Found::Failed { reason: Refusal::new("void", "it was voided") },
        Found::Failed { .. } => Found::Happened { receipt: receipt("ch_3") },
        Found::Happened { .. } => Found::Several { ids: vec!["ch_3".to_owned(), "ch_4".to_owned()] },
        Found::Several { .. } => return None,
    })
}

/// A look that began a little earlier.
pub fn looked(found: Found) -> Looked {
    let began = Stamp { wall_ms: 1_789_999_999_000, boot_ms: 60, boot: 3 };
    Looked { began, found, absence: Absence::Proves, by_mark: true, by_content: false }
}
