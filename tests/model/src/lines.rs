use std::sync::Arc;

use hapax_core::capability::Absence;
use hapax_core::identity::{OperationKey, fingerprint};
use hapax_core::protocol::{
    Decision, Departed, Event, Found, Heard, Hold, Intent, Looked, OpState, Receipt, Stamp, Verdict,
};
use hapax_core::words::Refusal;
use serde_json::Value;

/// Milliseconds of a tick.
pub(crate) const TICK_MS: u64 = 1000;

/// A moment: ticks of the clock that counts sleep, and how far the wall clock is ahead of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct When {
    /// Ticks since the beginning.
    pub tick: u8,
    /// Ticks by which the wall clock is ahead.
    pub ahead: i8,
    /// On which machine: clocks since boot of two of them can't be compared.
    pub machine: u8,
}

impl When {
    /// The beginning.
    pub(crate) const START: Self = Self::at(0);

    /// That tick, by clocks that agree.
    pub(crate) const fn at(tick: u8) -> Self {
        Self { tick, ahead: 0, machine: 0 }
    }

    /// The moment as a record is stamped with it. While the clocks agree it is a scripted one.
    pub(crate) fn stamp(self) -> Stamp {
        let mut stamp = Stamp::scripted(u64::from(self.tick) * TICK_MS);
        stamp.wall_ms += i64::from(self.ahead) * TICK_MS as i64;
        stamp.boot = u64::from(self.machine);
        stamp
    }
}

/// What a worker heard, in the ledger's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// Nothing came.
    Lost,
    /// Documented as not processed.
    NotDone,
    /// Refused, for this attempt.
    Refused,
    /// Refused and recorded under the key.
    OnRecord,
    /// It happened.
    Happened,
    /// The token is spent.
    Taken,
    /// The provider itself doesn't know.
    Adrift,
    /// A failure is stored under the key.
    Burnt,
}

/// What a look saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    /// The effect of this number.
    Effect(u8),
    /// A record that came to nothing.
    Dead,
    /// Nothing.
    Nothing,
    /// The look failed.
    Failed,
    /// More than one effect.
    Several,
}

/// What a person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The effect of this number is there.
    Happened(u8),
    /// Nothing is there, and nothing shall be.
    DidNotHappen,
    /// Nothing is there; again.
    SendAgain,
}

/// A line of the journal, small enough to be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    /// The caller wants it; in a restored ledger that is noted with it, and held where nothing can
    /// be asked.
    Began { restored: Option<Back>, held: bool, until: u8 },
    /// The operation was in a backup that was put back.
    Restored(Back),
    /// A handle or precondition was captured, or what comes before it.
    Noted { new_epoch: bool, name: &'static str, value: u8 },
    /// An attempt leaves.
    Departed(Leaving),
    /// A worker takes it up to look.
    Leased { owner: u8, ticks: u8 },
    /// An answer of the attempt with this number, which concerns the effect of that number.
    Heard { attempt: u8, answer: Answer, about: u8 },
    /// A planted bug closes the operation.
    ClosedWrongly,
    /// A look ended.
    Looked { began: When, seen: Seen, worth: u8, by_mark: bool, by_content: bool },
    /// Proof from elsewhere.
    Witnessed { about: u8 },
    /// A person is asked.
    Asked,
    /// What was claimed by another operation was answered to this one.
    Contested { attempt: u8 },
    /// Closed because its time is over, or because a person said so.
    Closed { expired: bool },
    /// A person decided.
    Decided { looked: When, choice: Choice },
    /// A person approves what is held.
    Approved,
    /// A person acts by hand.
    TakenOver,
    /// Tried again on purpose; in a restored ledger that is noted with it.
    Superseded { epoch: u8, restored: Option<Back> },
}

/// When a backup was put back, and how many ticks later everything sent before can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Back {
    /// When.
    pub at: When,
    /// Ticks.
    pub span: u8,
}

impl Back {
    fn event(self) -> Event {
        Event::Restored { since: self.at.stamp(), span_ms: u64::from(self.span) * TICK_MS }
    }
}

/// The facts that are journaled with a departure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Leaving {
    /// A new epoch begins with it.
    pub new_epoch: bool,
    /// The burnt key is replaced.
    pub replace_key: bool,
    /// Ticks until its deadline.
    pub within: u8,
    /// Ticks of settle after that.
    pub settle: u8,
    /// Ticks after the deadline until nothing can change.
    pub closing: u8,
    /// Ticks for which a refusal under its key stays recorded; none is without end.
    pub record: Option<u8>,
    /// Who holds a lease meanwhile.
    pub lease: Option<u8>,
}

/// Names of the workers; the last one is nobody's.
pub(crate) const OWNERS: [&str; 3] = ["w0", "w1", "w2"];

/// Under which name a handle or precondition is journaled.
pub(crate) const NOTE: &str = "token";
/// Under which name the step before it is journaled, where there are two.
pub(crate) const DRAFT: &str = "draft";

/// A new epoch, if one begins.
pub(crate) fn epoch(state: &OpState, new: bool) -> Option<Event> {
    new.then(|| Event::Epoch { number: state.epoch + 1, because: String::new() })
}

/// What one line of the model writes, as the executor would.
pub(crate) fn events(state: &OpState, line: Line) -> Vec<Event> {
    match line {
        Line::Began { restored, held, until } => {
            let mut events = vec![Event::Began(intent(until))];
            events.extend(restored.map(Back::event));
            if held {
                events.push(Event::Held(Hold::Restored));
            }
            events
        }
        Line::Restored(back) => vec![back.event()],
        Line::Noted { new_epoch, name, value } => {
            let mut events: Vec<_> = epoch(state, new_epoch).into_iter().collect();
            events.push(Event::Noted { name: name.to_owned(), value: value.to_string() });
            events
        }
        Line::Departed(leaving) => departed(state, leaving),
        Line::Leased { owner, ticks } => {
            vec![Event::Leased { owner: OWNERS[owner as usize].to_owned(), for_ms: u64::from(ticks) * TICK_MS }]
        }
        Line::Heard { attempt, answer, about } => {
            vec![Event::Heard(Heard { attempt: u32::from(attempt), verdict: verdict(answer, about) })]
        }
        Line::ClosedWrongly => vec![Event::Closed { reason: Refusal::new("", "") }],
        Line::Looked { began, seen, worth, by_mark, by_content } => {
            let absence = [Absence::Nothing, Absence::Suggests, Absence::Proves][worth as usize];
            let found = match seen {
                Seen::Effect(about) => Found::Happened { receipt: receipt(about) },
                Seen::Dead => Found::Failed { reason: Refusal::new("", "") },
                Seen::Nothing => Found::Absent,
                Seen::Failed => Found::CannotTell { why: String::new() },
                Seen::Several => Found::Several { ids: vec!["some".to_owned()] },
            };
            vec![Event::Looked(Looked { began: began.stamp(), found, absence, by_mark, by_content })]
        }
        Line::Witnessed { about } => {
            vec![Event::Witnessed { source: String::new(), receipt: receipt(about) }]
        }
        Line::Asked => vec![Event::Asked { why: String::new() }],
        Line::Contested { attempt } => vec![
            Event::Heard(Heard { attempt: u32::from(attempt), verdict: verdict(Answer::Lost, 0) }),
            Event::Alarmed { what: String::new() },
            Event::Asked { why: String::new() },
        ],
        Line::Closed { expired } => {
            vec![Event::Closed { reason: Refusal::new(if expired { "expired" } else { "by-a-person" }, "") }]
        }
        Line::Decided { looked, choice } => {
            let decision = match choice {
                Choice::Happened(about) => Decision::Happened { receipt: receipt(about) },
                Choice::DidNotHappen => Decision::DidNotHappen,
                Choice::SendAgain => Decision::SendAgain,
            };
            vec![Event::Decided { by: String::new(), seen: state.revision, looked: looked.stamp(), decision }]
        }
        Line::Approved => {
            let fingerprint = fingerprint(&Value::Null, &[]);
            vec![Event::Approved { by: String::new(), fingerprint, epoch: state.epoch }]
        }
        Line::TakenOver => vec![Event::TakenOver { by: String::new() }],
        Line::Superseded { epoch, restored } => {
            let intent = state.intent.clone().unwrap_or_else(|| intent(0));
            let mut events = vec![Event::Superseded { by: String::new(), epoch: u32::from(epoch), intent }];
            events.extend(restored.map(Back::event));
            events
        }
    }
}

fn departed(state: &OpState, leaving: Leaving) -> Vec<Event> {
    let mut events = Vec::new();
    if let Some(owner) = leaving.lease {
        // Leases outlive deadlines.
        let for_ms = u64::from(leaving.within + 1) * TICK_MS;
        events.push(Event::Leased { owner: OWNERS[owner as usize].to_owned(), for_ms });
    }
    events.extend(epoch(state, leaving.new_epoch));
    let before = if leaving.new_epoch { 0 } else { state.key_number };
    events.push(Event::Departed(Departed {
        attempt: u32::try_from(state.attempts.len()).unwrap_or(u32::MAX),
        key_number: before + u32::from(leaving.replace_key),
        scope: String::new(),
        within_ms: u64::from(leaving.within) * TICK_MS,
        settle_ms: u64::from(leaving.settle) * TICK_MS,
        closing_ms: u64::from(leaving.closing) * TICK_MS,
        record_ms: leaving.record.map(|ticks| u64::from(ticks) * TICK_MS),
        because: String::new(),
    }));
    events
}

pub(crate) fn verdict(answer: Answer, about: u8) -> Verdict {
    let (why, reason) = (String::new(), Refusal::new("", ""));
    match answer {
        Answer::Lost => Verdict::Unclear { why, server_error: false },
        Answer::NotDone => Verdict::NotDone { why, retry_after_ms: None },
        Answer::Refused => Verdict::Refused { reason },
        Answer::OnRecord => Verdict::RefusedOnRecord { reason },
        Answer::Happened => Verdict::Happened { receipt: receipt(about) },
        Answer::Taken => Verdict::Taken { what: why, named: None },
        Answer::Adrift => Verdict::Adrift { why },
        Answer::Burnt => Verdict::KeyBurnt { why },
    }
}

fn receipt(about: u8) -> Receipt {
    thread_local! { static NULL: Arc<Value> = Arc::new(Value::Null); }
    Receipt { id: about.to_string(), body: NULL.with(Arc::clone) }
}

fn intent(until: u8) -> Intent {
    Intent {
        connection: String::new(),
        account: String::new(),
        cell: String::new(),
        version: 1,
        key: key(),
        args: receipt(0).body,
        fingerprint: fingerprint(&Value::Null, &[]),
        good_until_ms: (until > 0).then(|| i64::from(until) * TICK_MS as i64),
        similar: Vec::new(),
        stand_in: false,
    }
}

fn key() -> OperationKey {
    match OperationKey::new("k") {
        Ok(key) => key,
        Err(_) => unreachable!("a letter is a key"),
    }
}
