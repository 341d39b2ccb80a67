use crate::clock::Clock;
use crate::lock;
use crate::reply::Reply;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// How far a key reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyScope {
    /// One key, one request in the whole account: another endpoint with the same key is a mismatch.
    Account,
    /// Each endpoint has its own keys.
    Endpoint,
}

/// What a failed first request leaves of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailuresKept {
    /// The failure is stored and replayed.
    Kept,
    /// Nothing is stored for a status of 400 or more: the next request with the key runs.
    Rerun,
}

/// What becomes of two requests with one key at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twins {
    /// The later one is refused while the first is being worked on.
    OneWins,
    /// The key protects only once an answer is stored: both run.
    BothPass,
}

/// A provider's idempotency layer, as its documents describe it.
#[derive(Clone, Debug)]
pub struct KeyRules {
    /// How long an answer is kept, from when the request was taken in; then the same key runs anew.
    pub window_ms: i64,
    /// How far a key reaches.
    pub scope: KeyScope,
    /// What a failed first request leaves of its key.
    pub failures: FailuresKept,
    /// What becomes of two at the same time.
    pub twins: Twins,
    /// The header that marks a replay.
    pub replay_marker: Option<(&'static str, &'static str)>,
}

/// What the layer says of a request; the provider turns it into its own words.
#[derive(Debug)]
pub enum Admission {
    /// The request may run, and its answer is to be given to the permit.
    Run(Permit),
    /// The stored answer, with the marker in it.
    Replay(Reply),
    /// The key was first used with other parameters.
    OtherParameters,
    /// The key was first used at another endpoint, which is named.
    OtherEndpoint(String),
    /// A request with this key is being worked on.
    InUse,
}

/// The keys of one stand-in, all its accounts together. Clones share the store.
#[derive(Clone)]
pub struct KeyStore {
    rules: KeyRules,
    clock: Clock,
    entries: Arc<Mutex<HashMap<Slot, Entry>>>,
}

type Slot = (String, String, String);

#[derive(Debug)]
struct Entry {
    endpoint: String,
    parameters: String,
    since_ms: i64,
    reply: Option<Reply>,
}

impl KeyStore {
    /// An empty store.
    pub fn new(rules: KeyRules, clock: Clock) -> Self {
        Self { rules, clock, entries: Arc::default() }
    }

    /// Asks whether a request may run. `endpoint` is its method and path, `parameters` whatever must be the same.
    pub fn admit(&self, account: &str, key: &str, endpoint: &str, parameters: &str) -> Admission {
        let scope = match self.rules.scope {
            KeyScope::Account => "",
            KeyScope::Endpoint => endpoint,
        };
        let slot = (account.to_owned(), scope.to_owned(), key.to_owned());
        let now = (self.clock)();
        let mut entries = lock(&self.entries);
        entries.retain(|_, entry| entry.reply.is_none() || now - entry.since_ms < self.rules.window_ms);
        match entries.get(&slot) {
            Some(entry) if entry.endpoint != endpoint => return Admission::OtherEndpoint(entry.endpoint.clone()),
            Some(entry) if entry.parameters != parameters => return Admission::OtherParameters,
            Some(Entry { reply: Some(reply), .. }) => return Admission::Replay(self.marked(reply.clone())),
            Some(_) if self.rules.twins == Twins::OneWins => return Admission::InUse,
            _ => {}
        }
        let (endpoint, parameters) = (endpoint.to_owned(), parameters.to_owned());
        entries.insert(slot.clone(), Entry { endpoint, parameters, since_ms: now, reply: None });
        Admission::Run(Permit { store: self.clone(), slot, done: false })
    }

    /// Forgets every key.
    pub fn reset(&self) {
        lock(&self.entries).clear();
    }

    fn marked(&self, reply: Reply) -> Reply {
        match self.rules.replay_marker {
            Some((name, value)) => reply.with_header(name, value),
            None => reply,
        }
    }
}

impl std::fmt::Debug for KeyStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyStore").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// The right to run under a key. Dropped without an answer, it gives the key back as if nothing had been asked.
#[derive(Debug)]
pub struct Permit {
    store: KeyStore,
    slot: Slot,
    done: bool,
}

impl Permit {
    /// Stores the answer, unless the rules say that a failure is not kept.
    pub fn store(mut self, reply: &Reply) {
        if reply.status >= 400 && self.store.rules.failures == FailuresKept::Rerun {
            return;
        }
        self.done = true;
        if let Some(entry) = lock(&self.store.entries).get_mut(&self.slot) {
            entry.reply = Some(reply.clone());
        }
    }

    /// Stores nothing: the request was turned away before it was worked on.
    pub fn forget(self) {}
}

impl Drop for Permit {
    fn drop(&mut self) {
        if !self.done {
            // A twin may have stored its answer meanwhile; that one stays.
            lock(&self.store.entries).retain(|slot, entry| *slot != self.slot || entry.reply.is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Scripted;

    const RULES: KeyRules = KeyRules {
        window_ms: 1000,
        scope: KeyScope::Account,
        failures: FailuresKept::Kept,
        twins: Twins::OneWins,
        replay_marker: Some(("replayed", "true")),
    };

    fn run(store: &KeyStore, endpoint: &str, parameters: &str) -> Permit {
        match store.admit("a", "k", endpoint, parameters) {
            Admission::Run(permit) => permit,
            other => panic!("expected to run, got {other:?}"),
        }
    }

    #[test]
    fn a_stored_answer_is_replayed_until_the_window_is_over() {
        let clock = Scripted::at(0);
        let store = KeyStore::new(RULES, clock.clock());
        run(&store, "POST /x", "p").store(&Reply::empty(402));
        clock.advance(999);
        let Admission::Replay(reply) = store.admit("a", "k", "POST /x", "p") else { panic!("a replay") };
        assert_eq!((reply.status, reply.header("replayed")), (402, Some("true")));
        assert!(matches!(store.admit("other", "k", "POST /x", "p"), Admission::Run(_)));
        clock.advance(1);
        run(&store, "POST /x", "p").forget();
    }

    #[test]
    fn other_parameters_other_endpoint_and_a_twin_are_refused() {
        let store = KeyStore::new(RULES, Scripted::at(0).clock());
        let permit = run(&store, "POST /x", "p");
        assert!(matches!(store.admit("a", "k", "POST /x", "q"), Admission::OtherParameters));
        assert!(matches!(store.admit("a", "k", "POST /y", "p"), Admission::OtherEndpoint(first) if first == "POST /x"));
        assert!(matches!(store.admit("a", "k", "POST /x", "p"), Admission::InUse));
        drop(permit);
        run(&store, "POST /y", "q").forget();
    }

    #[test]
    fn where_both_pass_a_dropped_twin_leaves_the_stored_answer() {
        let rules = KeyRules { twins: Twins::BothPass, failures: FailuresKept::Rerun, ..RULES };
        let store = KeyStore::new(rules, Scripted::at(0).clock());
        let (one, two) = (run(&store, "POST /x", "p"), run(&store, "POST /x", "p"));
        one.store(&Reply::empty(200));
        drop(two);
        assert!(matches!(store.admit("a", "k", "POST /x", "p"), Admission::Replay(_)));
    }

    #[test]
    fn a_failure_that_is_not_kept_runs_again() {
        let store = KeyStore::new(KeyRules { failures: FailuresKept::Rerun, ..RULES }, Scripted::at(0).clock());
        run(&store, "POST /x", "p").store(&Reply::empty(500));
        run(&store, "POST /x", "p").forget();
    }
}
