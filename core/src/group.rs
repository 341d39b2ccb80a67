//! Many targets: a group of plain operations, one for each.
//!
//! A group is no operation. It has no outcome, only counts; each target has its own key, its own
//! record and its own outcome. Three rules make it safe to run again after a crash: the list is
//! frozen before anything is sent, keys come from the identity of a target and never from its
//! position, and a second run meets the operations of the first.
//!
//! ```
//! use hapax_core::group::{Group, Target};
//! use serde_json::json;
//!
//! let targets = vec![Target::new("customer-17", json!({ "text": "Hello" }))];
//! let group = Group::new("newsletter-2026-11", targets)?;
//! assert_eq!(group.keys().next().map(|key| key.as_str().to_owned()), Some("newsletter-2026-11:customer-17".to_owned()));
//! # Ok::<(), hapax_core::group::GroupError>(())
//! ```

mod frozen;
mod run;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::identity::{KeyError, OperationKey};

pub use run::{Counts, Course, Progress};

/// One target of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// What the target is called, for good: a customer's number, never its place in the list.
    pub id: String,
    /// Arguments for the cell.
    pub args: Value,
}

impl Target {
    /// A target.
    pub fn new(id: impl Into<String>, args: Value) -> Self {
        Self { id: id.into(), args }
    }
}

/// A list of targets that can't change any more.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    name: String,
    members: Vec<(OperationKey, Target)>,
}

/// Why there is no group. In each case nothing was sent.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    /// A name or an id makes no key.
    #[error("nothing was sent: target {position} makes no operation key: {why}")]
    Key {
        /// Which target, counted from 1.
        position: usize,
        /// What is wrong.
        why: KeyError,
    },
    /// Two targets have the same id.
    #[error("nothing was sent: targets {first} and {second} have the same id; one of them would be lost")]
    SameTarget {
        /// The first, counted from 1.
        first: usize,
        /// The second.
        second: usize,
    },
    /// The list differs from the one that was frozen.
    #[error(
        "nothing was sent: the list differs from the frozen one ({added} added, {missing} missing, {changed} changed); go on with the frozen list, or give a new group a new name"
    )]
    Changed {
        /// Targets that the frozen list lacks.
        added: usize,
        /// Targets of the frozen list that are gone.
        missing: usize,
        /// Targets with other arguments.
        changed: usize,
    },
    /// The frozen list can't be used.
    #[error("nothing was sent: the list in {file} {why}")]
    File {
        /// Which file.
        file: String,
        /// What is wrong.
        why: String,
    },
}

impl Group {
    /// A group with this name, which begins every target's key.
    ///
    /// # Errors
    /// [`GroupError`] if two targets have the same id, or one makes no key.
    pub fn new(name: impl Into<String>, targets: Vec<Target>) -> Result<Self, GroupError> {
        let name = name.into();
        let mut seen: HashMap<String, usize> = HashMap::with_capacity(targets.len());
        let mut members = Vec::with_capacity(targets.len());
        for (place, target) in targets.into_iter().enumerate() {
            let position = place + 1;
            if let Some(first) = seen.insert(target.id.clone(), position) {
                return Err(GroupError::SameTarget { first, second: position });
            }
            let key = OperationKey::from_parts([name.as_str(), target.id.as_str()])
                .map_err(|why| GroupError::Key { position, why })?;
            members.push((key, target));
        }
        Ok(Self { name, members })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The operation keys of its targets, in the order of the list.
    pub fn keys(&self) -> impl Iterator<Item = &OperationKey> {
        self.members.iter().map(|(key, _)| key)
    }

    /// How many targets it has.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn target(id: &str) -> Target {
        Target::new(id, json!({}))
    }

    #[test]
    fn keys_come_from_the_target_and_not_from_its_place() {
        let keys = |ids: &[&str]| {
            let group = Group::new("g", ids.iter().map(|id| target(id)).collect()).expect("a group");
            group.keys().map(|key| key.as_str().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(keys(&["a", "b"]), ["g:a", "g:b"]);
        assert_eq!(keys(&["b", "c"]), ["g:b", "g:c"]);
    }

    #[test]
    fn a_target_that_stands_twice_or_makes_no_key_is_named_by_its_place() {
        let same = Group::new("g", vec![target("a"), target("b"), target("a")]);
        assert!(matches!(same, Err(GroupError::SameTarget { first: 1, second: 3 })));
        let unfit = Group::new("g", vec![target("a"), target("")]);
        assert!(matches!(unfit, Err(GroupError::Key { position: 2, .. })));
    }
}
