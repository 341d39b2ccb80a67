use hapax_core::protocol::Bounds;

/// Which of the world's freedoms a search has, and what is planted in it.
///
/// Each search has a few of them, because all together are too many states; the deep mode adds
/// them up.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name in the table.
    pub name: &'static str,
    /// Workers do anything that is permitted, not only what `next` says.
    pub permitted: bool,
    /// Work is done under leases by two workers; else anybody does anything at any moment.
    pub leases: bool,
    /// Attempts of an epoch that may have left.
    pub attempts: u32,
    /// Departures of an epoch.
    pub departures: u32,
    /// Looks of an epoch or decision.
    pub looks: u32,
    /// Looks that are under way at once.
    pub looks_at_once: usize,
    /// A look may fail.
    pub failing_looks: bool,
    /// Requests in the world, forgotten ones included.
    pub requests: u8,
    /// A person looks and decides.
    pub person: bool,
    /// A person takes over and acts by hand.
    pub hand: bool,
    /// A refused operation is superseded.
    pub supersede: bool,
    /// Signed proof may come at any moment.
    pub webhook: bool,
    /// A backup is taken at any moment and put back at any later one.
    pub restore: bool,
    /// The tick after which nothing may be sent; 0 is none.
    pub good_until: u8,
    /// Ticks by which the wall clock may step once.
    pub clock_step: i8,
    /// Appends of evidence that may count though their writer is told that they may not.
    pub lost_appends: u8,
    /// An answer that is carried over to a restored ledger may fail to be written there.
    pub failing_appends: bool,
    /// What is over may be pruned at any moment.
    pub prune: bool,
    /// Ticks by which the wall clock of the second worker's machine is ahead; it counts sleep since another boot.
    pub apart: i8,
    /// Ticks that the declared settle and windows allow for clocks that differ.
    pub margin: u8,
    /// The last tick, if it isn't the kind's own.
    pub ticks: Option<u8>,
    /// What is planted.
    pub bug: Option<Bug>,
}

/// A mistake in what is handed to the real functions, or in what is made of what they say. Each
/// must turn a search red.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// A refusal of any attempt closes the operation.
    RefusalCloses,
    /// A lost answer is journaled as a refusal.
    TimeoutIsRefusal,
    /// Bytes leave after the deadline.
    NoDeadlineAtSocket,
    /// The window is held to last deadline and settle longer than it does.
    WindowNotLeftEarly,
    /// One of two twins is held to win.
    TwinsNotAwaited,
    /// Settle is held to be over at once.
    AbsenceBeforeSettle,
    /// Each attempt goes with a key of its own.
    FreshKeyPerAttempt,
    /// A burnt key's replacement is not journaled.
    ReplacementNotJournaled,
    /// A stored failure is journaled as not done.
    StoredFailureIsNotDone,
    /// The settle leaves out the provider's repairs.
    RepairsForgotten,
    /// A person's decision is taken though they looked before settle.
    PersonBeforeSettle,
    /// A hand doesn't wait for what has left.
    HandBeforeSettle,
    /// An answer is written for whatever attempt a restored ledger gave its number to.
    NumbersReused,
    /// A restored ledger is not noted as such.
    RestoreNotNoted,
    /// Approval of what a restored ledger holds is taken though nobody looked after settle.
    ApprovalBeforeSettle,
    /// An attempt's deadline may lie after good-until.
    DeadlineAfterGoodUntil,
    /// Absence that merely suggests is journaled as proof.
    SuggestionIsProof,
    /// Hits that others have claimed count.
    NoClaims,
    /// A hit by content is journaled as one by mark.
    ContentIsMark,
    /// A question to a person is never written.
    NeverAsks,
    /// Only the wall clock is read.
    WallClockOnly,
    /// What a restored ledger doesn't know is carried over as if it would never know another of that number.
    CarriedTwice,
    /// What is pruned loses its answers too.
    PrunedAnswers,
    /// What is pruned is forgotten, its key with it.
    PrunedKey,
    /// Settle and windows leave nothing for clocks that differ.
    NoMargin,
    /// An append that may not count is taken for one that doesn't, and what was decided is done all the same.
    ActsInDoubt,
    /// Leases and revisions are not asked: two workers depart from one state.
    DepartsFromOldState,
    /// A request spends another handle than the one that is journaled.
    HandleNotJournaled,
}

impl Scenario {
    /// Lost, late and turned away requests, three attempts, nobody else.
    pub const BARE: Self = Self {
        name: "bare",
        permitted: false,
        leases: false,
        attempts: 2,
        departures: 3,
        looks: 2,
        looks_at_once: 1,
        failing_looks: false,
        requests: 3,
        person: false,
        hand: false,
        supersede: false,
        webhook: false,
        restore: false,
        good_until: 0,
        clock_step: 0,
        lost_appends: 0,
        failing_appends: false,
        prune: false,
        apart: 0,
        margin: 0,
        ticks: None,
        bug: None,
    };

    /// The bounds that `next` gets. Pauses between tries are zero: any pause is possible anyway.
    pub fn bounds(&self) -> Bounds {
        Bounds { attempts: self.attempts, departures: self.departures, looks: self.looks, backoff_ms: 0 }
    }

    /// The same with a planted bug.
    pub fn with(self, bug: Bug) -> Self {
        Self { bug: Some(bug), ..self }
    }
}
