//! What was seen of a run from outside: by those who called, at the provider, and by those who broke things.

mod text;

use serde::{Deserialize, Serialize};

pub use text::Unreadable;

/// A run as it was seen from outside, in the order of one clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// What a person should know of it: the seed, the ledger. Nothing is judged by them.
    pub remarks: Vec<String>,
    /// What happened.
    pub entries: Vec<Entry>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Milliseconds of the run's clock since it began. For what is invoked: before it was; for what came back: after.
    pub at_ms: u64,
    /// What it was.
    pub event: Event,
}

/// A call, by a number that is given once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call(pub u32);

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Somebody calls with a key and an intent.
    Invoked {
        /// Its number.
        call: Call,
        /// The key, with its cell.
        key: String,
        /// The intent, by a name: equal names are equal arguments.
        intent: String,
        /// Who calls.
        by: String,
        /// Whom they call.
        at: String,
    },
    /// A person decides. It is a call like any other.
    Decided {
        /// Its number.
        call: Call,
        /// The key, with its cell.
        key: String,
        /// What they say.
        says: Says,
        /// Who.
        by: String,
        /// Whom they tell.
        at: String,
    },
    /// A call came back.
    Returned {
        /// Which.
        call: Call,
        /// With what.
        said: Said,
    },
    /// Something happened at the provider.
    Effect {
        /// Whose it is by its mark; none: nobody's.
        key: Option<String>,
        /// Of which intent it is, where that can be seen.
        intent: Option<String>,
        /// The provider's id of it.
        object: String,
        /// The token that its request carried.
        token: Option<String>,
    },
    /// Something was done to a worker.
    Worker {
        /// Which.
        worker: String,
        /// What.
        turn: Turn,
    },
    /// The network between two was cut, or healed.
    Network {
        /// Between whom.
        between: String,
        /// Whether it is cut now.
        is_cut: bool,
    },
    /// Something is to go wrong at the provider or on the way to it.
    Fault {
        /// Where.
        at: String,
        /// What.
        what: String,
    },
    /// The ledger was put back to what it was.
    Restored {
        /// When it was like this: what was written after that may be forgotten.
        as_of_ms: u64,
    },
    /// From here on nothing goes wrong any more.
    Quiet,
    /// Where the operation of a key lies in the end.
    Rests {
        /// The key, with its cell.
        key: String,
        /// Where.
        rest: Rest,
    },
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// It happened.
    Ok(Receipt),
    /// It didn't, and won't.
    Refused {
        /// Why, as a code.
        code: String,
    },
    /// It isn't known.
    Unknown {
        /// What comes next: `again`, `held` or `person`; or `unwritten`, where the ledger has nothing of it yet.
        next: String,
        /// A receipt that could not be recorded yet.
        receipt: Option<Receipt>,
    },
    /// An error, which says that this call sent nothing.
    NothingSent {
        /// Its code.
        code: String,
    },
    /// Nothing: the worker died. It may have done anything, or nothing.
    Lost,
}

/// A receipt, as far as histories compare it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Receipt {
    /// The provider's id.
    pub id: String,
    /// A digest of all of it.
    pub digest: String,
}

/// What a person says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Says {
    /// It happened: the provider's id of it.
    Happened(String),
    /// It did not happen.
    DidNotHappen,
    /// Send it again.
    SendAgain,
}

/// What was done to a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It was started.
    Started,
    /// It was killed with SIGKILL.
    Killed,
    /// It was stopped with SIGSTOP.
    Paused,
    /// It went on.
    Resumed,
}

/// Where an operation lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// It is final.
    Final,
    /// It is held.
    Held,
    /// It is in the inbox.
    Person,
    /// It is due, now or later.
    Due,
    /// It is open, and never due: nobody will take it up.
    Stuck,
    /// It isn't in the ledger.
    Missing,
}

impl Said {
    /// What comes next where a caller's wait was over before anything was written.
    pub const UNWRITTEN: &str = "unwritten";
}

impl History {
    /// Brings entries into the order of the clock. What has the same moment stays as it was.
    pub fn sort(&mut self) {
        self.entries.sort_by_key(|entry| entry.at_ms);
    }

    /// The keys that it speaks of, each one time, in their order.
    pub fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = self.entries.iter().filter_map(|entry| entry.event.key()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

impl Event {
    /// The key that it is about, if it names one.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Invoked { key, .. } | Self::Decided { key, .. } | Self::Rests { key, .. } => Some(key),
            Self::Effect { key, .. } => key.as_deref(),
            _ => None,
        }
    }

    /// The call that it belongs to, if it is of one.
    pub fn call(&self) -> Option<Call> {
        match self {
            Self::Invoked { call, .. } | Self::Decided { call, .. } | Self::Returned { call, .. } => Some(*call),
            _ => None,
        }
    }
}
