use crate::lines::{Answer, Seen, When};

/// Requests that a world has room for.
pub(crate) const REQUESTS: usize = 5;

/// The owner of what is abandoned.
pub(crate) const NOBODY: u8 = 3;
/// The number of the effect by hand.
pub(crate) const BY_HAND: u8 = 8;
/// The number of somebody else's effect.
pub(crate) const FOREIGN: u8 = 9;

/// Everything besides the ledger, and the number of the ledger's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct World {
    /// The present moment.
    pub now: When,
    /// The wall clock has stepped.
    pub stepped: bool,
    /// The ledger's state.
    pub ledger: u32,
    /// What became of the backup.
    pub backup: Backup,
    /// Requests that have departed, forgotten ones included.
    pub requests: [Request; REQUESTS],
    /// How many there are.
    pub count: u8,
    /// How many of them had departed when the ledger was restored.
    pub forgotten: u8,
    /// What the provider has under each key.
    pub keys: [Key; 6],
    /// What became of each handle.
    pub handles: [Spent; 3],
    /// How many handles there are.
    pub made: u8,
    /// Looks under way.
    pub looks: [Option<Looking>; 2],
    /// What a person saw, at the present revision.
    pub person: Person,
    /// A hand acted.
    pub hand: bool,
    /// The state is as wanted, by whoever's doing.
    pub is_so: bool,
    /// Somebody else made it so.
    pub foreign: bool,
    /// What callers were told.
    pub told: Told,
    /// The backup was older than the operation: tasks of before have no operation to write to.
    pub orphans: bool,
    /// Appends that count though their writer was told that they may not.
    pub lost: u8,
}

/// What became of the backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backup {
    /// There is none.
    None,
    /// It holds this state of the ledger.
    Holds(u32),
    /// It was put back then.
    PutBack(When),
}

/// One request, and the task that sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// How far it got.
    pub stage: Stage,
    /// The number by which the ledger knows it.
    pub attempt: u8,
    /// When it departed, by the worker's clocks.
    pub departed: When,
    /// In which epoch.
    pub epoch: u8,
    /// Under which key.
    pub key: u8,
    /// With which handle.
    pub handle: u8,
    /// The last tick at which its first byte may leave and its answer be read.
    pub deadline: u8,
    /// Which worker waits for it; [`NOBODY`] if none does any more.
    pub owner: u8,
    /// Which effect its answer speaks of.
    pub about: u8,
    /// It had its effect.
    pub effect: bool,
    /// The provider stored a 500 and may yet carry it out.
    pub rolls: bool,
    /// It left a record that came to nothing.
    pub dead: bool,
    /// Its answer was carried over to a ledger that doesn't know it, and could not be written there.
    pub carried: bool,
}

/// How far a request got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Journaled; its first byte hasn't left.
    Unsent,
    /// Its bytes have left.
    Flying,
    /// The provider works on it.
    Working,
    /// Its answer was read and isn't written yet.
    Held(Answer),
    /// Over, whatever became of it.
    Over,
}

/// What the provider has under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// What.
    pub has: Has,
    /// Whose request, while it works on it; else when it was stored.
    pub of: u8,
}

/// What the provider has under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Has {
    /// Nothing, or nothing any more.
    Nothing,
    /// A request under way.
    Working,
    /// A success.
    Success(u8),
    /// A refusal.
    Refusal,
    /// A failure.
    Failure,
}

/// What became of a handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Spent {
    /// The effect was caused with it.
    pub spent: bool,
    /// Its last use was declined.
    pub declined: bool,
}

/// A look under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Looking {
    /// When it began.
    pub began: When,
    /// With which handle.
    pub handle: u8,
    /// Whose it is.
    pub owner: u8,
    /// What it saw, once that was written and nobody said so.
    pub seen: Option<Seen>,
}

/// What a person saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Person {
    /// They haven't looked since the revision moved.
    Away,
    /// Nothing, at that moment.
    Nothing(When),
    /// The effect of this number.
    Effect(u8),
}

/// What callers were told; durable is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Told {
    /// That it succeeded.
    pub succeeded: bool,
    /// That it was refused, a bit for each epoch.
    pub refused: u8,
    /// The same before the ledger was restored.
    pub refused_before: u8,
}

impl Request {
    /// No request.
    pub const NONE: Self = Self {
        stage: Stage::Over,
        attempt: 0,
        departed: When::START,
        epoch: 0,
        key: 0,
        handle: 0,
        deadline: 0,
        owner: 0,
        about: 0,
        effect: false,
        rolls: false,
        dead: false,
        carried: false,
    };

    /// What is left of a request that is over: whether it had an effect, and what can still come.
    pub fn forget(&mut self) {
        let kept = *self;
        if kept.stage == Stage::Over {
            *self = Self::NONE;
            if kept.effect || kept.rolls || kept.dead {
                let Self { departed, .. } = Self::NONE;
                *self = Self { attempt: 0, departed, key: 0, owner: 0, about: 0, carried: false, ..kept };
            }
        }
    }
}

impl World {
    /// The beginning, with this state of the ledger.
    pub fn new(ledger: u32) -> Self {
        Self {
            now: When::START,
            stepped: false,
            ledger,
            backup: Backup::None,
            requests: [Request::NONE; REQUESTS],
            count: 0,
            forgotten: 0,
            keys: [Key { has: Has::Nothing, of: 0 }; 6],
            handles: [Spent::default(); 3],
            made: 0,
            looks: [None; 2],
            person: Person::Away,
            hand: false,
            is_so: false,
            foreign: false,
            told: Told::default(),
            orphans: false,
            lost: 0,
        }
    }

    /// Effects so far, by requests and by hand.
    pub fn effects(&self) -> usize {
        self.requests.iter().filter(|request| request.effect).count() + usize::from(self.hand)
    }
}
