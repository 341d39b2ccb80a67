//! What the provider keeps to, from the cell's facts.

use std::collections::BTreeMap;

use hapax_core::capability::{self, CellSpec, Failures, Native, Query, Repeat, Token, Window};
use hapax_standin::{FailuresKept, KeyRules, KeyScope, KeyStore, Twins, World};
use serde_json::Value;

use crate::select::as_text;

/// The rules of one cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    key: Option<Native>,
    id: Option<Native>,
    state: Option<Native>,
    query: Option<Query>,
    kind: capability::Kind,
}

impl Rules {
    pub(super) fn of(spec: &'static CellSpec) -> Self {
        let find = |is_it: fn(&Token) -> bool| spec.natives().find(|native| is_it(&native.token)).copied();
        Self {
            key: find(|token| matches!(token, Token::Key(_))),
            id: find(|token| matches!(token, Token::ClientId(_))),
            state: find(|token| matches!(token, Token::State(_))),
            query: spec.queries().next().copied(),
            kind: spec.kind,
        }
    }

    /// The store of its keys, if it has a key.
    pub(super) fn keys(&self, world: &World) -> Option<KeyStore> {
        let key = self.key?;
        let window_ms = key.life.floor.floor_ms().map_or(i64::MAX / 2, |ms| i64::try_from(ms).unwrap_or(i64::MAX / 2));
        let rules = KeyRules {
            window_ms,
            scope: KeyScope::Account,
            failures: if key.failures == Failures::Kept { FailuresKept::Kept } else { FailuresKept::Rerun },
            twins: if key.twins == capability::Twins::OneWins { Twins::OneWins } else { Twins::BothPass },
            replay_marker: None,
        };
        Some(KeyStore::new(rules, world.clock.clone()))
    }

    /// The token that a request carries.
    pub(super) fn token(&self, said: &BTreeMap<String, Value>) -> Option<String> {
        let name = if self.key.is_some() { "key" } else { "id" };
        said.get(name).and_then(as_text)
    }

    /// Whether what was made spends what this request carries: its id, or the state of what it names.
    pub(super) fn is_spent_by(&self, made: &BTreeMap<String, Value>, said: &BTreeMap<String, Value>) -> bool {
        let lasts = |native: Option<Native>| native.is_some_and(|native| native.life.floor != Window::Zero);
        let same = |name: &str| made.get(name).is_some() && made.get(name) == said.get(name);
        if lasts(self.id) && same("id") {
            return true;
        }
        // A state is of whatever the request names, with everything that it says of it.
        lasts(self.state) && self.kind == capability::Kind::BeSo && made == said
    }

    /// Whether nobody promises that of two at once one wins, where an id or a state is the guard.
    pub(super) fn both_may_pass(&self) -> bool {
        let guard = self.id.or(self.state);
        guard.is_some_and(|native| native.twins == capability::Twins::BothMayPass)
    }

    /// What a repeat gets.
    pub(super) fn repeat(&self) -> Repeat {
        let native = self.key.or(self.id).or(self.state);
        native.map_or(Repeat::Refuses, |native| native.repeat)
    }

    /// After how many milliseconds a look sees something, and for how long; none is for ever.
    pub(super) fn sees(&self) -> (i64, Option<i64>) {
        let Some(query) = self.query else { return (0, Some(0)) };
        let ms = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        let lag = i64::try_from(query.lag.as_millis()).unwrap_or(i64::MAX);
        (lag, query.horizon.floor_ms().map(ms).filter(|horizon| *horizon > 0))
    }
}
