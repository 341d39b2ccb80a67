//! Address, credentials, and what a connection is asked before it is used.

use async_trait::async_trait;
use hapax_core::capability::{Code, Need};
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use tokio_postgres::Row;

use crate::facts::{DURABLE, TABLE};
use crate::{ExecuteCell, session, sqlstate};

/// PostgreSQL, 13 or newer, over its own protocol.
#[derive(Clone, Copy, Debug, Default)]
pub struct Postgres;

pub(crate) const USER: CredentialField =
    CredentialField { name: "user", variable: "PGUSER", optional: false, what: "the role to connect as" };

pub(crate) const PASSWORD: CredentialField =
    CredentialField { name: "password", variable: "PGPASSWORD", optional: true, what: "its password" };

pub(crate) const CA: CredentialField = CredentialField {
    name: "ca",
    variable: "HAPAX_POSTGRES_CA",
    optional: true,
    what: "certificates to believe instead of the platform's, PEM",
};

#[async_trait]
impl Integration for Postgres {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn base_url(&self) -> &'static str {
        "postgres://localhost:5432/postgres"
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["postgres", "postgresql"]
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[USER, PASSWORD, CA]
    }

    fn authorize(&self, _: &Connection, _: &mut Request) -> Result<(), Fault> {
        Err(Fault::NotSent("PostgreSQL is not asked over HTTP".to_owned()))
    }

    fn code(&self, _: &Response) -> Option<Code> {
        None
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        const ASK: &str = "SELECT current_user::text, current_database()::text, \
             current_setting('server_version'), pg_is_in_recovery()";
        let row = one(wire.connection(), ASK).await?;
        let text = |column: usize| row.try_get::<_, String>(column).unwrap_or_default();
        let standby = if row.try_get(3).unwrap_or(false) { ", a standby: nothing can be done here" } else { "" };
        Ok(format!("role {} in database {}, PostgreSQL {}{standby}", text(0), text(1), text(2)))
    }

    async fn probe(&self, wire: &Wire, need: Need) -> Result<Option<bool>, Fault> {
        // Both triggers, not switched off; and no row hidden from anybody.
        const GUARDED: &str = "SELECT EXISTS (SELECT FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid \
             AND i.indisprimary AND i.indisvalid AND i.indnkeyatts = 1 \
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] AND a.attname = 'key' \
             WHERE c.oid = to_regclass('public.hapax_done') AND c.relkind = 'r' AND NOT c.relrowsecurity \
             AND c.relpersistence = 'p' AND 2 = (SELECT count(*) FROM pg_trigger t WHERE t.tgrelid = c.oid \
             AND t.tgenabled IN ('O', 'A') AND t.tgname IN ('hapax_done_keep', 'hapax_done_keep_all')))";
        const SYNCED: &str = "SELECT current_setting('fsync') = 'on'";
        let ask = match need {
            _ if need == TABLE => GUARDED,
            _ if need == DURABLE => SYNCED,
            _ => return Ok(None),
        };
        Ok(one(wire.connection(), ask).await?.try_get(0).ok())
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(ExecuteCell)]
    }
}

/// Asks for one row, harmlessly.
async fn one(connection: &Connection, ask: &str) -> Result<Row, Fault> {
    let asking = async {
        let (client, mut running) = session::harmless(connection).await?;
        let row = running.until(client.query_typed_one(ask, &[])).await;
        drop(client);
        running.end().await;
        row.map_err(|error| sqlstate::fault("asking", &error))
    };
    match tokio::time::timeout(session::PATIENCE, asking).await {
        Ok(asked) => asked,
        Err(_) => Err(Fault::Lost("no answer in time".to_owned())),
    }
}

#[cfg(test)]
mod tests;
