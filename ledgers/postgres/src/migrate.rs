//! Forward-only migrations: numbered SQL files, all that are missing in one transaction.

use hapax_core::ledger::LedgerError;
use tokio_postgres::types::Type;

use crate::address::Address;
use crate::error::{Failure, unusable};
use crate::link::Link;
use crate::shared::knows_origin;

const MIGRATIONS: [&str; 1] = [include_str!("../migrations/0001_first.sql")];

/// The newest format that this program knows.
pub const SCHEMA_VERSION: i32 = MIGRATIONS.len() as i32;

/// The oldest server that the SQL is tried with, as `server_version_num`.
pub(crate) const SERVER_MIN: i32 = 150_000;

/// Makes the tables of a new ledger. The schema may be there, for instance because somebody else had to make it; a
/// ledger in it may not.
pub(crate) async fn create(link: &Link, address: &Address) -> Result<(), Failure> {
    link.run(&format!("BEGIN; SET LOCAL lock_timeout = '10s'; CREATE SCHEMA IF NOT EXISTS \"{}\"", address.schema))
        .await?;
    let exists: bool = link
        .one(
            "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = $1)",
            &[(&address.schema, Type::TEXT)],
        )
        .await?
        .try_get(0)?;
    if exists {
        return Err(Failure::Answer(unusable(
            format!("{address} exists already, and a ledger is never overwritten"),
            "use it as it is, or name another schema",
        )));
    }
    forward(link, address, 0).await?;
    settle_down(link).await?;
    link.run("COMMIT").await
}

/// Notes the cluster and the timeline that a ledger is at home on.
pub(crate) async fn settle_down(link: &Link) -> Result<(), Failure> {
    link.run("SAVEPOINT origin").await?;
    if !knows_origin(link).await? {
        // Asking failed, which would end the transaction.
        return link.run("ROLLBACK TO origin").await;
    }
    link.query(
        "UPDATE hapax.header SET system = (SELECT system_identifier FROM pg_control_system()), \
         timeline = ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int8",
        &[],
    )
    .await
    .map(|_| ())
}

/// Refuses, reading only, whatever isn't a ledger that this program can use; says its format.
pub(crate) async fn check(link: &Link, address: &Address) -> Result<i32, Failure> {
    let format: i32 = match link.query("SELECT format FROM hapax.header", &[]).await?.first() {
        Some(row) => row.try_get(0)?,
        None => return Err(Failure::Answer(LedgerError::Missing(address.to_string()))),
    };
    let server: i32 = link.one("SELECT current_setting('server_version_num')::int4", &[]).await?.try_get(0)?;
    if server < SERVER_MIN {
        return Err(Failure::Answer(unusable(
            format!("the server of {address} is older than PostgreSQL 15 ({server})"),
            "use a newer server",
        )));
    }
    if format > SCHEMA_VERSION {
        return Err(Failure::Answer(unusable(
            format!(
                "{address} was written by a newer hapax (format {format}; this program knows up to {SCHEMA_VERSION})"
            ),
            "use that version of hapax or a newer one; a ledger can't be taken back to an older format",
        )));
    }
    Ok(format)
}

/// Brings the tables up to date.
pub(crate) async fn migrate(link: &Link, address: &Address) -> Result<(), Failure> {
    // Others may read and append meanwhile; a second one that migrates waits, and then finds nothing to do.
    link.run("BEGIN; SET LOCAL lock_timeout = '10s'").await?;
    let format = link.one("SELECT format FROM hapax.header FOR NO KEY UPDATE", &[]).await?.try_get(0)?;
    forward(link, address, format).await?;
    link.run("COMMIT").await
}

async fn forward(link: &Link, address: &Address, format: i32) -> Result<(), Failure> {
    link.run(&format!("SET LOCAL search_path TO \"{}\"", address.schema)).await?;
    for sql in MIGRATIONS.iter().skip(usize::try_from(format).unwrap_or(usize::MAX)) {
        link.run(sql).await?;
    }
    link.query("UPDATE hapax.header SET format = $1", &[(&SCHEMA_VERSION, Type::INT4)]).await?;
    Ok(())
}
