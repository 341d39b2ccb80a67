//! The file that `hapax ledger export` writes and `hapax ledger import` reads: JSON, one object a line, each with one
//! member that says what the line is. `docs/reference/ledger-export.md` documents it.

#[cfg(test)]
mod fuzzed;
mod read;
mod write;

use hapax_core::ledger::{Header, Index, OperationId, Stored};
use hapax_core::protocol::{Record, Stamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub(crate) use read::{Whole, read};
pub(crate) use write::Writer;

/// Version of the format; raised when a program of before could misread it.
pub(crate) const VERSION: u32 = 1;

/// What the check value of a secret begins with in a ledger that took in an export and hasn't noted everywhere that it
/// counts as restored. No secret has such a value (those are hexadecimal), so no executor opens the ledger before.
const NOT_YET_NOTED: &str = "imported ";

/// The check value of the secret that an export was made with, empty if nobody had used its ledger; none unless this is
/// the check value of a ledger that took an export in, and the import was not finished.
pub(crate) fn taken_in_with(secret_check: &str) -> Option<&str> {
    let digest_and_check = secret_check.strip_prefix(NOT_YET_NOTED)?;
    Some(digest_and_check.split_once(' ').map_or("", |(_, check)| check))
}

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Ledger(Head),
    Operation(Box<Operation>),
    End(End),
}

/// The first line: what is known of the ledger as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    version: u32,
    /// A value by which the secret is recognised; it is not the secret.
    pub(crate) secret_check: String,
    pub(crate) restored: Option<Stamp>,
    pub(crate) newest: Option<Stamp>,
}

impl Head {
    fn of(header: Header) -> Self {
        let Header { secret_check, restored, newest } = header;
        Self { version: VERSION, secret_check, restored, newest }
    }
}

/// One operation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Operation {
    pub(crate) id: OperationId,
    pub(crate) index: Index,
    pub(crate) records: Vec<Record>,
}

impl Operation {
    fn of(stored: Stored, index: Index) -> Self {
        Self { id: stored.operation, index, records: stored.records }
    }

    /// As a ledger takes it.
    pub(crate) fn parts(self) -> (Stored, Index) {
        (Stored { operation: self.id, records: self.records }, self.index)
    }
}

/// The last line. A file without it was cut off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct End {
    pub(crate) operations: u64,
    pub(crate) events: u64,
    /// SHA-256 of all bytes before this line.
    sha256: String,
}

/// What has been written or read up to now.
#[derive(Default)]
struct Tally {
    operations: u64,
    events: u64,
    bytes: Sha256,
}

impl Tally {
    fn line(&mut self, line: &[u8]) {
        self.bytes.update(line);
    }

    fn operation(&mut self, records: usize) {
        self.operations += 1;
        self.events += records as u64;
    }

    fn end(self) -> End {
        let digest = self.bytes.finalize();
        let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        End { operations: self.operations, events: self.events, sha256 }
    }
}
