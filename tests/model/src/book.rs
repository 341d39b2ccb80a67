use std::collections::HashMap;
use std::sync::Arc;

use hapax_core::capability::{Absence, Standing};
use hapax_core::protocol::{
    Alarm, Bounds, Do, Event, Found, Heard, Looked, OpState, Permit, Record, Verdict, View, fold, may_decide, may_send,
    next, redact,
};

use crate::lines::{Leaving, Line, NOTE, OWNERS, When, epoch, events};
use crate::scenario::Bug;

/// What [`next`] says, without the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// Nothing.
    Nothing,
    /// Nothing for so many milliseconds.
    Wait(u64),
    /// Take the harmless steps.
    Prepare { new_epoch: bool },
    /// Send.
    Send { new_epoch: bool, replace_key: bool },
    /// Look.
    Look,
    /// Ask a person.
    Ask,
    /// Close it.
    Close { expired: bool },
}

/// All ledger states that were met, each once, and what the real functions say of them.
///
/// The states are the core's own [`OpState`], moved on by its own `apply`. Two ledgers are the same
/// here if they differ in nothing that the protocol can still act on.
pub struct Book {
    standing: Standing,
    bounds: Bounds,
    states: Vec<Arc<OpState>>,
    numbers: HashMap<Arc<OpState>, u32>,
    /// How each state was first reached: from which one, when, by which line.
    from: Vec<(u32, When, Line)>,
    applied: HashMap<(u32, When, Line), u32>,
    said: HashMap<(u32, When, u8), Says>,
    permitted: HashMap<(u32, When), Permit>,
    ends: HashMap<(u32, When), bool>,
}

/// The number of the ledger that doesn't know the operation.
pub(crate) const UNBORN: u32 = 0;

impl Book {
    /// A book for one cell as it stands.
    pub fn new(standing: Standing, bounds: Bounds) -> Self {
        let unborn = Arc::new(OpState::default());
        Self {
            standing,
            bounds,
            states: vec![unborn.clone()],
            from: vec![(UNBORN, When::START, Line::Asked)],
            numbers: HashMap::from([(unborn, UNBORN)]),
            applied: HashMap::new(),
            said: HashMap::new(),
            permitted: HashMap::new(),
            ends: HashMap::new(),
        }
    }

    /// The state of a ledger.
    pub fn state(&self, ledger: u32) -> &OpState {
        &self.states[ledger as usize]
    }

    /// How many different ledgers were met.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether only the empty ledger was met.
    pub fn is_empty(&self) -> bool {
        self.states.len() == 1
    }

    /// The ledger after one more line.
    pub fn append(&mut self, ledger: u32, when: When, line: Line) -> u32 {
        if let Some(after) = self.applied.get(&(ledger, when, line)) {
            return *after;
        }
        let mut state = OpState::clone(self.state(ledger));
        for record in records(&state, when, line) {
            state.apply(&record);
        }
        let after = self.number(state, (ledger, when, line));
        self.applied.insert((ledger, when, line), after);
        after
    }

    fn number(&mut self, mut state: OpState, from: (u32, When, Line)) -> u32 {
        forget_history(&mut state);
        if let Some(number) = self.numbers.get(&state) {
            return *number;
        }
        let number = u32::try_from(self.states.len()).unwrap_or(u32::MAX);
        let state = Arc::new(state);
        self.states.push(state.clone());
        self.from.push(from);
        self.numbers.insert(state, number);
        number
    }

    /// The ledger after [`redact`] took out of its records what retention takes out, read anew from what is left.
    pub fn prune(&mut self, ledger: u32, bug: Option<Bug>) -> u32 {
        let mut records = self.records_of(ledger);
        let from = self.from[ledger as usize];
        redact(&mut records);
        if bug == Some(Bug::PrunedAnswers) {
            records.retain(|record| !matches!(record.event, Event::Heard(_)));
        }
        self.number(fold(&records), from)
    }

    /// Records that lead to this state.
    fn records_of(&self, ledger: u32) -> Vec<Record> {
        let mut lines = Vec::new();
        let mut at = ledger;
        while at != UNBORN {
            let (before, when, line) = self.from[at as usize];
            lines.push((when, line));
            at = before;
        }
        let (mut state, mut all) = (OpState::default(), Vec::new());
        for (when, line) in lines.into_iter().rev() {
            let records = records(&state, when, line);
            records.iter().for_each(|record| state.apply(record));
            all.extend(records);
        }
        all
    }

    /// What [`next`] says to a worker.
    pub fn next(&mut self, ledger: u32, when: When, owner: u8) -> Says {
        if let Some(says) = self.said.get(&(ledger, when, owner)) {
            return *says;
        }
        let view = self.view(when, owner);
        let says = match next(self.state(ledger), &self.standing, &view) {
            Do::Nothing => Says::Nothing,
            Do::Wait { ms, .. } => Says::Wait(ms),
            Do::Prepare { new_epoch } => Says::Prepare { new_epoch },
            Do::Send { new_epoch, replace_key, .. } => Says::Send { new_epoch, replace_key },
            Do::Look { .. } => Says::Look,
            Do::Ask { .. } => Says::Ask,
            Do::Close { reason } => Says::Close { expired: reason.code == "expired" },
        };
        self.said.insert((ledger, when, owner), says);
        says
    }

    /// What [`may_send`] says.
    pub fn permit(&mut self, ledger: u32, when: When) -> Permit {
        if let Some(permit) = self.permitted.get(&(ledger, when)) {
            return permit.clone();
        }
        let permit = may_send(self.state(ledger), &self.standing, &self.view(when, 0));
        self.permitted.insert((ledger, when), permit.clone());
        permit
    }

    /// Whether a person who looked then may decide now.
    pub fn decidable(&self, ledger: u32, looked: When, now: When) -> bool {
        may_decide(self.state(ledger), &self.standing, looked.stamp(), now.stamp()).is_ok()
    }

    fn view(&self, when: When, owner: u8) -> View<'static> {
        View { now: when.stamp(), owner: OWNERS[owner as usize], scope: "", bounds: self.bounds }
    }

    /// Whether an operation that is left alone with a silent provider comes to an end or before a
    /// person in a bounded number of steps, whether its looks fail or find nothing.
    pub fn ends_alone(&mut self, ledger: u32, from: When) -> bool {
        if let Some(ends) = self.ends.get(&(ledger, from)) {
            return *ends;
        }
        let found = [Found::CannotTell { why: String::new() }, Found::Absent];
        let ends = found.iter().all(|found| self.ends_with(ledger, from, found));
        self.ends.insert((ledger, from), ends);
        ends
    }

    fn ends_with(&self, ledger: u32, from: When, found: &Found) -> bool {
        let mut state = OpState::clone(self.state(ledger));
        let mut now = from.stamp();
        for _ in 0..200 {
            let view = View { now, owner: OWNERS[2], scope: "", bounds: self.bounds };
            let event = match next(&state, &self.standing, &view) {
                Do::Nothing => return state.is_final() || state.with_person().is_some(),
                Do::Ask { .. } | Do::Close { .. } => return true,
                Do::Wait { ms, .. } => {
                    now.wall_ms += ms as i64;
                    now.boot_ms += ms;
                    continue;
                }
                Do::Prepare { new_epoch } => {
                    let missing = |name: &&&str| new_epoch || !state.notes.contains_key(**name);
                    let name = self.standing.notes.iter().find(missing).copied().unwrap_or(NOTE);
                    let noted = Event::Noted { name: name.to_owned(), value: "9".to_owned() };
                    vec![epoch(&state, new_epoch), Some(noted)]
                }
                Do::Send { new_epoch, replace_key, .. } => {
                    let leaving =
                        Leaving { new_epoch, replace_key, within: 2, settle: 1, closing: 1, ..Leaving::default() };
                    let mut written: Vec<_> = events(&state, Line::Departed(leaving)).into_iter().map(Some).collect();
                    let lost = Verdict::Unclear { why: String::new(), server_error: false };
                    let attempt = u32::try_from(state.attempts.len()).unwrap_or(u32::MAX);
                    written.push(Some(Event::Heard(Heard { attempt, verdict: lost })));
                    written
                }
                Do::Look { .. } => {
                    let absence = self.standing.look.map_or(Absence::Nothing, |look| look.absence);
                    let found = found.clone();
                    vec![Some(Event::Looked(Looked { began: now, found, absence, by_mark: true, by_content: false }))]
                }
            };
            for event in event.into_iter().flatten() {
                state.apply(&Record { at: now, event });
            }
            // A decision is confirmed by a look that began after it, so time must pass.
            now.wall_ms += 1;
            now.boot_ms += 1;
        }
        false
    }
}

/// What one line writes.
fn records(state: &OpState, when: When, line: Line) -> Vec<Record> {
    let mut at = when.stamp();
    if let Line::Restored(_) = line {
        // A tick is long: what is noted for what was in the backup comes after it, not with it.
        at.wall_ms += 1;
        at.boot_ms += 1;
    }
    events(state, line).into_iter().map(|event| Record { at, event }).collect()
}

/// Takes out what the protocol can't act on any more, so that two ledgers with one future are one.
fn forget_history(state: &mut OpState) {
    // What a person saw is taken back by the model whenever a line is added.
    state.revision = 0;
    for attempt in &mut state.attempts {
        // Pauses between tries are zero in the model.
        attempt.heard = None;
    }
    if let Some(look) = &mut state.last_look {
        look.ended = look.began;
    }
    if !state.alarms.is_empty() {
        state.alarms = vec![Alarm { what: String::new() }];
    }
    state.former_notes.clear();
}
