use crate::lock;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Something that happened in the world and that nobody can take back by forgetting it: money taken, mail sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// What kind of effect: `charge`, `refund`, `mail`.
    pub kind: String,
    /// The provider's id of the object that it happened to or made.
    pub object: String,
    /// The account in which it happened.
    pub account: String,
    /// The key or client id that the request carried.
    #[serde(default)]
    pub token: Option<String>,
    /// What the caller planted on the object; a mark is among the values.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// Money in minor units, or a count; zero where neither makes sense.
    #[serde(default)]
    pub amount: i64,
    /// The currency of the amount, or empty.
    #[serde(default)]
    pub currency: String,
    /// When it happened, by the provider's clock.
    pub at_ms: i64,
}

impl Effect {
    /// Whether the object carries this mark, in whatever field the adapter planted it.
    pub fn carries(&self, mark: &str) -> bool {
        self.metadata.values().any(|value| value == mark)
    }
}

/// Every effect of a stand-in, in the order in which they happened. Clones share the list.
#[derive(Clone, Debug, Default)]
pub struct Effects(Arc<Mutex<Vec<Effect>>>);

impl Effects {
    /// Notes an effect. The provider calls this in the same step in which it changes its state.
    pub fn add(&self, effect: Effect) {
        lock(&self.0).push(effect);
    }

    /// All effects.
    pub fn all(&self) -> Vec<Effect> {
        lock(&self.0).clone()
    }

    /// The effects of one kind.
    pub fn of(&self, kind: &str) -> Vec<Effect> {
        self.matching(|effect| effect.kind == kind)
    }

    /// How many effects of one kind there are.
    pub fn count(&self, kind: &str) -> usize {
        lock(&self.0).iter().filter(|effect| effect.kind == kind).count()
    }

    /// The effects on objects that carry this mark.
    pub fn marked(&self, mark: &str) -> Vec<Effect> {
        self.matching(|effect| effect.carries(mark))
    }

    /// The effects for which `keep` says yes.
    pub fn matching(&self, keep: impl Fn(&Effect) -> bool) -> Vec<Effect> {
        lock(&self.0).iter().filter(|effect| keep(effect)).cloned().collect()
    }

    pub(crate) fn reset(&self) {
        lock(&self.0).clear();
    }
}
