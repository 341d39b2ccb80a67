use std::collections::BTreeMap;
use std::sync::Arc;

use hapax_core::ledger::{LedgerError, OperationId};
use hapax_core::protocol::{Event, Private, REMOVED, Record};
use serde_json::Value;

use crate::keys::{KeyId, Keys};
use crate::seal::{Place, Sealer, Shut};

/// With which keys the values of an operation were sealed, and how many with each.
pub type Seals = BTreeMap<KeyId, u64>;

/// Why what an operation holds can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A key is missing.
    #[error("operation {0} was sealed with the key {1}, which isn't among those given")]
    Key(OperationId, KeyId),
    /// It isn't what was sealed there.
    #[error("what operation {0} holds at revision {1} isn't what was sealed there")]
    Changed(OperationId, u64),
    /// It stands there unsealed.
    #[error("operation {0} holds something at revision {1} that isn't sealed")]
    Plain(OperationId, u64),
    /// The system gives no random bytes.
    #[error("operation {0} can't be sealed: the operating system gives no random bytes")]
    NoRandomness(OperationId),
}

impl Broken {
    fn hint(self) -> &'static str {
        match self {
            Self::Key(..) => "give that key too, behind the newest one",
            Self::Changed(..) | Self::Plain(..) => {
                "restore the ledger from a backup, then run `hapax ledger restored`; somebody may have changed it"
            }
            Self::NoRandomness(_) => "try again when it does",
        }
    }
}

impl From<Broken> for LedgerError {
    fn from(broken: Broken) -> Self {
        Self::Unusable { what: broken.to_string(), hint: broken.hint().to_owned() }
    }
}

impl Keys {
    /// Seals everything private in records that follow revision `seen`.
    ///
    /// # Errors
    /// [`Broken::NoRandomness`].
    pub fn seal(&self, operation: OperationId, seen: u64, records: &mut [Record]) -> Result<(), Broken> {
        let mut sealer = Sealer::new(self, operation);
        for (revision, record) in (seen + 1..).zip(records) {
            record.event.private(|name, private| {
                let mut seal = |is_value, plain: &[u8]| {
                    let place = Place { revision, name, is_value };
                    sealer.seal(&place, plain).ok_or(Broken::NoRandomness(operation))
                };
                match private {
                    Private::Value(value) => {
                        *value = Arc::new(Value::String(seal(true, value.to_string().as_bytes())?))
                    }
                    Private::Text(text) | Private::Words(text) => *text = seal(false, text.as_bytes())?,
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Opens everything that is sealed in the records of an operation, from its first one.
    ///
    /// # Errors
    /// [`Broken`]: nothing of them is to be believed then.
    pub fn open(&self, operation: OperationId, records: &mut [Record]) -> Result<Seals, Broken> {
        let is_pruned = records.iter().any(|record| record.event == Event::Pruned);
        let mut sealer = Sealer::new(self, operation);
        let mut seals = Seals::new();
        for (revision, record) in (1..).zip(records) {
            record.event.private(|name, private| {
                if is_pruned && is_removed(&private) {
                    return Ok(());
                }
                let mut open = |is_value, text: &str| {
                    let place = Place { revision, name, is_value };
                    let opened = sealer.open(&place, text);
                    let (key, plain) = opened.map_err(|shut| broken(shut, operation, revision))?;
                    *seals.entry(key).or_default() += 1;
                    Ok(plain)
                };
                let changed = Broken::Changed(operation, revision);
                match private {
                    Private::Value(value) => {
                        let text = value.as_str().ok_or(Broken::Plain(operation, revision))?;
                        let plain = open(true, text)?;
                        *value = Arc::new(serde_json::from_slice(&plain).map_err(|_| changed)?);
                    }
                    Private::Text(text) | Private::Words(text) => {
                        *text = String::from_utf8(open(false, text)?).map_err(|_| changed)?;
                    }
                }
                Ok(())
            })?;
        }
        Ok(seals)
    }
}

/// Whether retention has been there: it removes without a key.
fn is_removed(private: &Private<'_>) -> bool {
    match private {
        Private::Value(value) => value.is_null(),
        Private::Text(text) => text.is_empty(),
        Private::Words(words) => *words == REMOVED,
    }
}

fn broken(shut: Shut, operation: OperationId, revision: u64) -> Broken {
    match shut {
        Shut::Plain => Broken::Plain(operation, revision),
        Shut::Key(key) => Broken::Key(operation, key),
        Shut::Changed => Broken::Changed(operation, revision),
    }
}
