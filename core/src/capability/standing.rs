use std::time::Duration;

use super::{Absence, CellSpec, Failures, Kind, Mark, Need, SecondEffect, Stakes, Then, Token, Twins, Window};

/// A cell's ladder as it stands on one connection, under one policy: what `next` acts on.
///
/// Rungs whose needs are unmet, whose sources are too weak or whose life is too short have been
/// left out; a requirement of the caller has cut it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Do once, or be so.
    pub kind: Kind,
    /// What a duplicate would cost.
    pub stakes: Stakes,
    /// Guards relied on, strongest first.
    pub guards: Vec<Guard>,
    /// The question that can be asked, if any.
    pub look: Option<Look>,
    /// Names that `prepare` journals.
    pub notes: Vec<&'static str>,
    /// An attempt's deadline, in milliseconds after its departure.
    pub within_ms: u64,
    /// From the deadline until a request is acted on or never: what resends wait for.
    pub settle_ms: u64,
    /// From the deadline until nothing can change any more: what closing waits for. It covers the
    /// provider's repairs, and the lag of the question.
    pub closing_ms: u64,
    /// How long a refusal recorded under our token stays recorded; `None` is without end.
    pub record_ms: Option<u64>,
    /// Bound on automatic work.
    pub patience_ms: u64,
    /// Whether policy lets an absence that only suggests buy one more request.
    pub likely: bool,
}

/// A native rung that is relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Whose token it is.
    pub kind: GuardKind,
    /// For how long, in milliseconds from the first departure with it; `None` is without end.
    pub floor_ms: Option<u64>,
    /// After that a repeat is refused, which is harmless.
    pub then_refuses: bool,
    /// Of two at once, one wins.
    pub one_wins: bool,
    /// What a failed first request leaves.
    pub failures: Failures,
}

/// Whose token a guard is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuardKind {
    /// A key of ours: a stored failure burns it.
    Key,
    /// A client id of ours.
    ClientId,
    /// A handle of the provider's.
    Handle,
    /// A precondition.
    State,
}

/// The question that can be asked on this connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// What finding nothing is worth.
    pub absence: Absence,
    /// Hits only look like ours.
    pub by_content: bool,
    /// How far back it sees, in milliseconds; `None` is without end.
    pub horizon_ms: Option<u64>,
}

impl CellSpec {
    /// The ladder as it stands where `met` says which needs hold.
    ///
    /// `floor` is the least that the caller requires of the first half of the guarantee; `likely`
    /// says whether policy accepts absence that only suggests.
    pub fn standing(&self, met: &dyn Fn(&Need) -> bool, floor: SecondEffect, likely: bool) -> Standing {
        let guards = self.natives().filter(|native| self.relies_on(native, met)).map(Guard::of).collect();
        let asked: Vec<_> = self.queries().filter(|query| !query.told && query.needs.iter().all(met)).collect();
        let look = asked.iter().map(|query| query.absence).max().map(|absence| Look {
            absence: if floor == SecondEffect::Enforced { absence.min(Absence::Suggests) } else { absence },
            by_content: asked.iter().all(|query| matches!(query.mark, Mark::Content(_))),
            horizon_ms: asked
                .iter()
                .map(|query| query.horizon.floor_ms())
                .max_by_key(|floor| floor.unwrap_or(u64::MAX))
                .unwrap_or(Some(0)),
        });
        let lag = asked.iter().map(|query| query.lag).max().unwrap_or_default();
        let recorded = self
            .natives()
            .filter(|native| native.is_ours())
            .map(|native| native.life.floor)
            .next()
            .unwrap_or(Window::Zero);
        Standing {
            kind: self.kind,
            stakes: self.stakes,
            guards,
            look,
            notes: self.notes.to_vec(),
            within_ms: millis(self.answers_within),
            settle_ms: millis(self.resend_settle()),
            closing_ms: millis(self.closing_settle() + lag),
            record_ms: recorded.floor_ms(),
            patience_ms: millis(self.patience),
            likely: likely && floor <= SecondEffect::Likely,
        }
    }
}

impl Guard {
    fn of(native: &super::Native) -> Self {
        Self {
            kind: match native.token {
                Token::Key(_) => GuardKind::Key,
                Token::ClientId(_) => GuardKind::ClientId,
                Token::Handle(_) => GuardKind::Handle,
                Token::State(_) => GuardKind::State,
            },
            floor_ms: native.life.floor.floor_ms(),
            then_refuses: native.life.then == Then::Refuses,
            one_wins: native.twins == Twins::OneWins,
            failures: native.failures,
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
