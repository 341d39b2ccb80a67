use std::collections::BTreeMap;

use super::{Form, NamespaceSecret, OperationKey};
use crate::protocol::Stamp;

/// From what the tokens and marks of an operation are derived: never from the ledger's own ids, so
/// that a lost or second ledger meets the same key at the provider.
#[derive(Clone)]
pub struct Seed {
    secret: NamespaceSecret,
    account: String,
    cell: String,
    key: OperationKey,
}

impl Seed {
    /// The seed of one operation.
    pub fn new(secret: NamespaceSecret, account: &str, cell: &str, key: OperationKey) -> Self {
        Self { secret, account: account.to_owned(), cell: cell.to_owned(), key }
    }

    /// The token of this epoch and step; `number` counts replacements of a burnt key.
    pub fn token(&self, epoch: u32, step: &str, number: u32, form: Form) -> String {
        form.write(&self.secret.digest(&[
            "token",
            &self.account,
            &self.cell,
            self.key.as_str(),
            &epoch.to_string(),
            step,
            &number.to_string(),
        ]))
    }

    /// The mark, the same in every epoch.
    pub fn mark(&self, form: Form) -> String {
        form.write(&self.secret.digest(&["mark", &self.account, &self.cell, self.key.as_str()]))
    }
}

/// What an adapter may know of an operation without a network: its tokens, mark and notes.
#[derive(Clone)]
pub struct Names {
    seed: Seed,
    form: Form,
    mark_form: Form,
    epoch: u32,
    number: u32,
    notes: BTreeMap<String, String>,
    former: BTreeMap<String, String>,
    named: Option<String>,
    since: Option<Stamp>,
}

impl Names {
    /// Names for one epoch of an operation.
    pub fn new(seed: Seed, form: Form, mark_form: Form, epoch: u32, number: u32) -> Self {
        let (notes, former) = (BTreeMap::new(), BTreeMap::new());
        Self { seed, form, mark_form, epoch, number, notes, former, named: None, since: None }
    }

    /// With the notes journaled in this epoch, and those of the one before.
    pub fn with_notes(mut self, notes: BTreeMap<String, String>, former: BTreeMap<String, String>) -> Self {
        self.notes = notes;
        self.former = former;
        self
    }

    /// With the object that the provider named, in this epoch, as the one on which the token was spent.
    pub fn with_named(mut self, named: Option<String>) -> Self {
        self.named = named;
        self
    }

    /// With the first departure of the operation.
    pub fn with_since(mut self, since: Option<Stamp>) -> Self {
        self.since = since;
        self
    }

    /// Token of this epoch for the step that counts (`confirm`, `send`) or a harmless one before it
    /// (`create`): account-wide keys must differ by step. A burnt key of the step that counts has
    /// been replaced; keys of harmless steps are not numbered.
    pub fn token(&self, step: &str) -> String {
        self.seed.token(self.epoch, step, self.number, self.form)
    }

    /// Token of a harmless step: the same for the whole epoch, whatever became of the key of the
    /// step that counts.
    pub fn harmless_token(&self, step: &str) -> String {
        self.seed.token(self.epoch, step, 0, self.form)
    }

    /// The mark of the operation, the same in every epoch.
    pub fn mark(&self) -> String {
        self.seed.mark(self.mark_form)
    }

    /// What was journaled under this name in this epoch.
    pub fn note(&self, name: &str) -> Option<&str> {
        self.notes.get(name).map(String::as_str)
    }

    /// What was journaled under this name in the epoch before.
    pub fn former_note(&self, name: &str) -> Option<&str> {
        self.former.get(name).map(String::as_str)
    }

    /// The provider's id of the object on which the token of this epoch was spent, if a refusal to
    /// take it again named one. Whether it is ours is still to be read.
    pub fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    /// The present epoch, counted from 0.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Seconds since 1970 from which a look must reach back: the first departure (or the beginning
    /// of the operation), moved back for clock skew.
    pub fn since_unix(&self) -> i64 {
        self.since.map_or(0, |stamp| stamp.wall_ms / 1000 - Self::SKEW_SECONDS)
    }

    /// How far time filters reach back for clocks that differ.
    pub const SKEW_SECONDS: i64 = 600;
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").field("epoch", &self.epoch).field("number", &self.number).finish_non_exhaustive()
    }
}
