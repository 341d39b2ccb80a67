//! Forward-only migrations: numbered SQL files, all that are missing in one transaction.

use std::path::Path;

use hapax_core::ledger::LedgerError;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, TransactionBehavior};

use crate::codec::{claim_hash, fingerprint, key_check, print_hash};
use crate::error::{Failure, explain, unusable};

/// Says that a SQLite file is a hapax ledger: the letters `hapx`.
pub const APPLICATION_ID: i32 = 0x6861_7078;

const MIGRATIONS: [&str; 2] =
    [include_str!("../migrations/0001_first.sql"), include_str!("../migrations/0002_leads.sql")];

/// The newest schema that this program knows.
pub const SCHEMA_VERSION: i32 = MIGRATIONS.len() as i32;

/// Refuses, reading only, whatever isn't a ledger that this program can use.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<i32, LedgerError> {
    let file = path.display();
    let number = |name: &str| {
        connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(|error| explain(path, &error))
    };
    let (application, version) = (number("application_id")?, number("user_version")?);
    let objects: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|error| explain(path, &error))?;
    if application == 0 && objects == 0 {
        return Err(unusable(
            format!("{file} is empty, which a ledger never is"),
            "if `hapax init` was interrupted while making it, delete it and run that again; otherwise restore the \
             ledger from a backup, then run `hapax ledger restored`",
        ));
    }
    if application != APPLICATION_ID {
        return Err(unusable(
            format!("{file} is a SQLite file of another program (application id {application})"),
            "check the path of the ledger; `hapax init` makes a new one at a path where nothing is",
        ));
    }
    if version > SCHEMA_VERSION {
        return Err(unusable(
            format!(
                "{file} was written by a newer hapax (format {version}; this program knows up to {SCHEMA_VERSION})"
            ),
            "use that version of hapax or a newer one; a ledger can't be taken back to an older format",
        ));
    }
    if version < 1 {
        return Err(unusable(format!("{file} has no valid format number ({version})"), "restore it from a backup"));
    }
    Ok(version)
}

/// Brings the schema up to date.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), Failure> {
    functions(connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read inside the transaction: another process may have done it in the meantime.
    let version: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for sql in MIGRATIONS.iter().skip(usize::try_from(version).unwrap_or(usize::MAX)) {
        transaction.execute_batch(sql)?;
    }
    if version < SCHEMA_VERSION {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    Ok(transaction.commit()?)
}

/// What migrations ask for, and SQL can't say.
fn functions(on: &Connection) -> Result<(), Failure> {
    let pure = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    on.create_scalar_function("hash_of_print", 1, pure, |given| Ok(print_hash(fingerprint(given.get(0)?))))?;
    on.create_scalar_function("check_of_key", 3, pure, |given| {
        Ok(key_check(&given.get::<String>(0)?, &given.get::<String>(1)?, &given.get::<String>(2)?))
    })?;
    on.create_scalar_function("hash_of_claim", 2, pure, |given| {
        Ok(claim_hash(&given.get::<String>(0)?, &given.get::<String>(1)?))
    })?;
    Ok(())
}
