//! SQLite ledger.
