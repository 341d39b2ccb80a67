//! Between records and rows, as all ledgers do it, and what SQLite adds.

use hapax_core::identity::OperationKey;
pub(crate) use hapax_core::ledger::rows::{
    Damaged, FIRST_FINAL, Identity, Line, digest, join, line, lines, misfits, phase_number, phase_of, print_bytes,
    records, signed, unsigned,
};

/// A short hash of what must be found: enough to find, never enough to decide.
pub(crate) fn key_hash(connection: &str, cell: &str, key: &OperationKey) -> i64 {
    let digest = digest(&[connection.as_bytes(), cell.as_bytes(), key.as_str().as_bytes()]);
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_le_bytes(first)
}

/// Puts together what a row and its text hold, if they are arrays at all: a file or a table may be damaged.
pub(crate) fn joined(said: &str, common: Option<&str>) -> Result<String, Damaged> {
    let is_array = |text: &str| text.len() >= 2 && text.starts_with('[') && text.ends_with(']');
    if is_array(said) && common.is_none_or(is_array) {
        return Ok(join(said, common));
    }
    Err(Damaged("a row of events holds no list of events".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_list_is_damage_and_no_panic() {
        for (said, common) in [("", Some("[1]")), ("[1]", Some("")), ("[", Some("[1]")), ("[1]", Some("ä")), ("", None)]
        {
            assert!(joined(said, common).is_err(), "{said:?} and {common:?}");
        }
        assert_eq!(joined("[1]", Some("[2]")).as_deref(), Ok("[1,2]"));
        assert_eq!(joined("[]", Some("[2]")).as_deref(), Ok("[2]"));
        assert_eq!(joined("[1]", None).as_deref(), Ok("[1]"));
    }
}
