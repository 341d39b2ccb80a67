//! Between records and rows, as all ledgers do it, and what SQLite adds.

use hapax_core::identity::OperationKey;
pub(crate) use hapax_core::ledger::rows::{
    FIRST_FINAL, Identity, Line, digest, join, line, lines, misfits, phase_number, phase_of, print_bytes, records,
    signed, unsigned,
};

/// A short hash of what must be found: enough to find, never enough to decide.
pub(crate) fn key_hash(connection: &str, cell: &str, key: &OperationKey) -> i64 {
    let digest = digest(&[connection.as_bytes(), cell.as_bytes(), key.as_str().as_bytes()]);
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_le_bytes(first)
}
