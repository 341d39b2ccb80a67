use std::fmt;

/// What must hold after every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Invariant {
    /// No intent has more than one effect.
    OneEffect,
    /// What is reported as succeeded has happened.
    NoFalseSuccess,
    /// What is reported as refused has not.
    NoFalseRefusal,
    /// What was final stays final.
    FinalStaysFinal,
    /// Every replay returns the first receipt.
    SameReceipt,
    /// Every operation is final, due, held or in the inbox.
    NothingForgotten,
    /// The work on an operation ends.
    WorkEnds,
    /// Nothing takes effect before an attempt has departed or after its deadline.
    DeadlineKept,
    /// One departure, at most one request.
    OneRequest,
    /// The attempts of an epoch carry one token.
    OneToken,
    /// The receipt speaks of the effect that there is.
    TrueReceipt,
    /// A record of the provider's belongs to one operation.
    OneClaim,
    /// No text holds a secret.
    NoSecret,
    /// Something contradictory rings an alarm or is put before a person.
    Loud,
    /// The run ends as the cell says.
    ExpectedEnd,
    /// What else the fault itself says must hold: what a caller is told in it, and how many requests it takes.
    AsTheFaultSays,
    /// The fault was really met.
    Reached,
    /// Nothing is sent where nothing may be.
    NothingUnbidden,
    /// Nothing panics.
    NoPanic,
    /// A run can be set up, and does not hang.
    Runs,
}

impl Invariant {
    /// Whether a machine that stands still can break it although nothing is wrong: ends and deadlines, which are reached
    /// in time or not. What counts effects and receipts holds on any machine, and that one departure makes one request.
    ///
    /// What a fault says of its own run is of the first kind. A request that misses its deadline because the machine stood
    /// still is followed by a second one, rightly, and its effect is missing where the fault makes one; whether that second
    /// one may be sent, and what it does, is checked by the invariants that hold on any machine. An effect after its
    /// deadline is of the first kind too, because the provider of a run stands still with the rest and notes what came in
    /// time too late; that no byte leaves after the deadline has tests of its own, at the gate.
    pub const fn hangs_on_the_machine(self) -> bool {
        matches!(
            self,
            Self::ExpectedEnd | Self::AsTheFaultSays | Self::Reached | Self::WorkEnds | Self::DeadlineKept | Self::Runs
        )
    }
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// One invariant that did not hold, and how that showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub invariant: Invariant,
    /// How it showed.
    pub what: String,
}

impl Violation {
    /// A violation.
    pub fn new(invariant: Invariant, what: impl Into<String>) -> Self {
        Self { invariant, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.what)
    }
}

/// What a fault's play comes to: nothing, or a violation that it saw itself.
pub type Played = Result<(), Violation>;

/// Says what must be so, as a violation if it isn't.
///
/// # Errors
/// The violation.
pub fn hold(invariant: Invariant, so: bool, what: impl Into<String>) -> Played {
    if so { Ok(()) } else { Err(Violation::new(invariant, what)) }
}
