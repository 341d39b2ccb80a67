//! Between records and rows, as all ledgers do it, and what SQLite adds.

use hapax_core::identity::Fingerprint;
pub(crate) use hapax_core::ledger::rows::{
    FIRST_FINAL, Identity, Line, digest, join, line, lines, misfits, phase_number, phase_of, print_bytes, records,
    signed, unsigned,
};

/// A short hash of a key: enough to find, never enough to decide.
pub(crate) fn key_hash(connection: &str, cell: &str, key: &str) -> i64 {
    first_bytes(&digest(&[connection.as_bytes(), cell.as_bytes(), key.as_bytes()]))
}

/// What an operation's row holds of its key's hash, so that a key that was changed is noticed.
pub(crate) fn key_check(connection: &str, cell: &str, key: &str) -> i64 {
    let [first, second, third, fourth, ..] = key_hash(connection, cell, key).to_le_bytes();
    i32::from_le_bytes([first, second, third, fourth]).into()
}

/// A short hash of a claim. With two words it can't be the hash of a key's three.
pub(crate) fn claim_hash(account: &str, claim: &str) -> i64 {
    first_bytes(&digest(&[account.as_bytes(), claim.as_bytes()]))
}

/// The same of arguments: their fingerprint is a hash already.
pub(crate) fn print_hash(fingerprint: Fingerprint) -> i64 {
    first_bytes(&fingerprint.digest)
}

/// A fingerprint as it is stored: its version, then its digest.
pub(crate) fn fingerprint(stored: [u8; 33]) -> Fingerprint {
    let mut digest = [0; 32];
    digest.copy_from_slice(&stored[1..]);
    Fingerprint { version: stored[0], digest }
}

fn first_bytes(digest: &[u8; 32]) -> i64 {
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_le_bytes(first)
}
