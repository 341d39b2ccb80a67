//! Digests, and numbers as PostgreSQL has them. What a row says is the same for all ledgers.

use hapax_core::ledger::Index;
pub(crate) use hapax_core::ledger::rows::{
    FIRST_FINAL, Identity, Line, digest, join, line, lines, misfits, phase_number, phase_of, print_bytes, records,
    signed, unsigned,
};
use uuid::Uuid;

use crate::error::{Failure, unusable};

/// 128 bits of a digest. Words that differ have different ones, as far as anybody will ever meet.
fn short(words: &[&[u8]]) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest(words)[..16]);
    Uuid::from_bytes(bytes)
}

/// What a key is unique by.
pub(crate) fn key_hash(connection: &str, cell: &str, key: &str) -> Uuid {
    short(&[connection.as_bytes(), cell.as_bytes(), key.as_bytes()])
}

/// What a claim is unique by.
pub(crate) fn claim_hash(account: &str, claim: &str) -> Uuid {
    short(&[account.as_bytes(), claim.as_bytes()])
}

/// What equal intents share.
pub(crate) fn alike(index: &Index) -> i64 {
    let print = print_bytes(index.fingerprint);
    let digest = digest(&[index.account.as_bytes(), index.cell.as_bytes(), &print]);
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_le_bytes(first)
}

/// A phase as it is stored.
pub(crate) fn stored_phase(index: &Index) -> i16 {
    phase_number(index.phase) as i16
}

/// A count of events as it is stored.
pub(crate) fn stored_revision(revision: u64) -> Result<i32, Failure> {
    i32::try_from(revision).map_err(|_| {
        Failure::Answer(unusable("an operation has more events than a ledger holds", "give it to a person"))
    })
}

/// How many locks there are. They bound what all hosts together take of the server's lock table, which has room for
/// 6,400 by default; two writers wait for each other without need only where they meet in one.
const BUCKETS: u128 = 1024;

/// The lock that stands for something.
pub(crate) fn bucket(of: Uuid) -> i32 {
    (of.as_u128() % BUCKETS) as i32
}

/// The same for a number.
pub(crate) fn bucket_of(number: i64) -> i32 {
    number.rem_euclid(BUCKETS as i64) as i32
}
