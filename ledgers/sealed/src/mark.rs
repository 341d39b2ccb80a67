//! How a ledger says that it is sealed: its check value begins with a word that no secret's has. A program that knows nothing
//! of seals takes it for a ledger of another secret, and refuses it before it could take sealed arguments for arguments.

const SEALED: &str = "sealed ";

/// The check value of a secret as a sealed ledger notes it.
pub fn mark(secret_check: &str) -> String {
    if secret_check.is_empty() { String::new() } else { format!("{SEALED}{secret_check}") }
}

/// The check value that a sealed ledger noted; none: the ledger isn't sealed. One that nobody has used is neither.
pub fn unmark(noted: &str) -> Option<&str> {
    if noted.is_empty() { Some("") } else { noted.strip_prefix(SEALED) }
}
