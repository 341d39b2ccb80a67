use hapax_core::capability::{Absence, Failures, Guard, GuardKind, Kind as Nature, Look, Stakes, Standing};

use crate::lines::{Answer, DRAFT, NOTE, TICK_MS};

/// Ticks until an attempt's deadline.
pub(crate) const DEADLINE: u8 = 2;
/// Ticks from the deadline until a request is acted on, or never.
pub(crate) const SETTLE: u8 = 1;

/// A cell of one kind: what the workers are told, and what the provider really does.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Its letter and its name.
    pub name: &'static str,
    /// What [`hapax_core::protocol::next`] acts on.
    pub standing: Standing,
    /// What the provider really does.
    pub provider: Provider,
    /// Whether a look would see what a lost handle did.
    pub by_mark: bool,
    /// The last tick of a run.
    pub ticks: u8,
}

/// What the provider really does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Provider {
    /// It remembers keys for at least so many ticks after it stored the answer.
    pub key: Option<u8>,
    /// Of two requests with one key at once, one wins.
    pub one_wins: bool,
    /// It may store a 500 under the key, with or without an effect, then or later; what that is called.
    pub stored_500: Option<Answer>,
    /// Requests spend a handle.
    pub handle: Handle,
    /// Requests are conditional on a state that others can change too.
    pub state: bool,
    /// A request may leave a record that came to nothing.
    pub dies: bool,
    /// A look may find nothing though something is there.
    pub lies: bool,
}

/// How a handle comes about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Handle {
    /// There are none.
    #[default]
    None,
    /// `prepare` is keyed: asked again, it gives the same handle.
    Keyed,
    /// `prepare` makes another one each time.
    Fresh,
}

fn standing(patience: u8) -> Standing {
    Standing {
        kind: Nature::DoOnce,
        stakes: Stakes::High,
        guards: Vec::new(),
        look: None,
        notes: Vec::new(),
        within_ms: u64::from(DEADLINE) * TICK_MS,
        settle_ms: u64::from(SETTLE) * TICK_MS,
        closing_ms: u64::from(SETTLE) * TICK_MS,
        record_ms: Some(0),
        patience_ms: u64::from(patience) * TICK_MS,
        likely: false,
    }
}

fn guard(kind: GuardKind, floor: Option<u8>) -> Guard {
    Guard {
        kind,
        floor_ms: floor.map(|ticks| u64::from(ticks) * TICK_MS),
        then_refuses: false,
        one_wins: true,
        failures: Failures::Kept,
    }
}

fn look(absence: Absence) -> Option<Look> {
    Some(Look { absence, by_content: false, horizon_ms: None })
}

fn keyed(mut standing: Standing, window: u8, one_wins: bool) -> Standing {
    standing.guards.push(Guard { one_wins, ..guard(GuardKind::Key, Some(window)) });
    standing.record_ms = Some(u64::from(window) * TICK_MS);
    standing
}

impl Kind {
    /// A key; of two requests with it, one wins.
    pub fn a() -> Self {
        let provider = Provider { key: Some(6), one_wins: true, ..Provider::default() };
        Self { name: "a key, one wins", standing: keyed(standing(7), 6, true), provider, by_mark: true, ticks: 9 }
    }

    /// A key; two requests with it at once may both pass.
    pub fn b() -> Self {
        let provider = Provider { key: Some(9), ..Provider::default() };
        let standing = keyed(standing(8), 9, false);
        Self { name: "b key, both may pass", standing, provider, by_mark: true, ticks: 10 }
    }

    /// A key under which failures are stored, without a question: a stored 500 is adrift, and
    /// nothing is closed before patience is over.
    pub fn c() -> Self {
        let provider =
            Provider { key: Some(6), one_wins: true, stored_500: Some(Answer::Adrift), ..Provider::default() };
        let mut standing = keyed(standing(4), 6, true);
        standing.closing_ms = standing.patience_ms;
        Self { name: "c key, failures stored", standing, provider, by_mark: true, ticks: 9 }
    }

    /// A handle and a key, under which failures are stored; repairs are over within two ticks.
    pub fn d() -> Self {
        let provider = Provider {
            key: Some(4),
            one_wins: true,
            stored_500: Some(Answer::Burnt),
            handle: Handle::Keyed,
            ..Provider::default()
        };
        let mut standing = standing(6);
        standing.guards.push(guard(GuardKind::Handle, None));
        standing = keyed(standing, 4, true);
        standing.look = look(Absence::Proves);
        standing.notes = vec![NOTE];
        standing.closing_ms = 2 * TICK_MS;
        Self { name: "d handle + key", standing, provider, by_mark: true, ticks: 7 }
    }

    /// A handle alone, and `prepare` makes another one each time. The question is asked by mark, or
    /// only about the handle that is journaled.
    pub fn d_fresh(by_mark: bool) -> Self {
        let provider = Provider { handle: Handle::Fresh, ..Provider::default() };
        let mut standing = Standing { look: look(Absence::Proves), notes: vec![NOTE], ..standing(6) };
        standing.guards.push(guard(GuardKind::Handle, None));
        let name = if by_mark { "d2 fresh handles, mark" } else { "d3 fresh handles, no mark" };
        Self { name, standing, provider, by_mark, ticks: 7 }
    }

    /// The same, where the handle is made for a draft that an earlier step makes.
    pub fn d_drafted() -> Self {
        let mut kind = Self::d_fresh(false);
        kind.standing.notes.insert(0, DRAFT);
        Self { name: "d4 two steps, no mark", ..kind }
    }

    /// A question whose absence proves.
    pub fn e() -> Self {
        let provider = Provider { dies: true, ..Provider::default() };
        let standing = Standing { look: look(Absence::Proves), ..standing(7) };
        Self { name: "e query proves", standing, provider, by_mark: true, ticks: 8 }
    }

    /// A question whose absence suggests; with `likely`, policy allows one more request, and the
    /// absence may lie.
    pub fn f(likely: bool) -> Self {
        let provider = Provider { lies: likely, ..Provider::default() };
        let standing = Standing { look: look(Absence::Suggests), likely, ..standing(7) };
        let name = if likely { "f2 suggests, likely on" } else { "f1 suggests, likely off" };
        Self { name, standing, provider, by_mark: true, ticks: 8 }
    }

    /// Be so: the request is conditional, and somebody else may make it so.
    pub fn g() -> Self {
        let provider = Provider { state: true, ..Provider::default() };
        let mut standing = Standing { look: look(Absence::Proves), kind: Nature::BeSo, ..standing(6) };
        standing.guards.push(guard(GuardKind::State, None));
        standing.notes = vec![NOTE];
        Self { name: "g be so, conditional", standing, provider, by_mark: true, ticks: 7 }
    }

    /// Nothing but a person.
    pub fn h() -> Self {
        let provider = Provider::default();
        Self { name: "h human only", standing: standing(7), provider, by_mark: true, ticks: 9 }
    }

    /// Ticks from the deadline until nothing can change.
    pub fn closing(&self) -> u8 {
        u8::try_from(self.standing.closing_ms / TICK_MS).unwrap_or(u8::MAX)
    }

    /// Ticks for which a refusal under the key stays recorded.
    pub fn record(&self) -> Option<u8> {
        self.standing.record_ms.map(|ms| u8::try_from(ms / TICK_MS).unwrap_or(u8::MAX))
    }
}
