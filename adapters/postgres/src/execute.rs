//! `postgres.execute`: runs SQL statements in one transaction, together with a row that says that it
//! was done. The row can be inserted once, so the transaction can be committed once.

mod look;
mod transaction;

use std::time::Duration;

use hapax_core::capability::{CellSpec, Human, Rung};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::identity::fingerprint;
use hapax_core::words::{Answer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::facts::{ANSWERS, ANSWERS_WITHIN, LOOK, ROW, SETTLE, TIMEOUTS};
use crate::statement;

/// What the caller says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Execute {
    /// Statements, run in this order in one transaction: 1 to 100.
    pub statements: Vec<Statement>,
    /// The transaction's isolation level.
    #[serde(default)]
    pub isolation: Isolation,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// SQL with parameters `$1`, `$2`, ...: SELECT, INSERT, UPDATE, DELETE, MERGE, WITH, VALUES, CALL, LOCK or NOTIFY.
    pub sql: String,
    /// Values of the parameters. Each is read as the type that the statement has in its place; write a cast such as
    /// `$1::date` where it has none. A number with more than 15 digits is to be given as text.
    #[serde(default)]
    pub params: Vec<Value>,
    /// How many rows it affects or returns; any other number rolls all back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Rows>,
}

/// A number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rows {
    /// Just so many.
    Exactly(u64),
    /// So many or more.
    AtLeast(u64),
    /// So many or fewer.
    AtMost(u64),
}

/// An isolation level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// `READ COMMITTED`.
    #[default]
    ReadCommitted,
    /// `REPEATABLE READ`.
    RepeatableRead,
    /// `SERIALIZABLE`.
    Serializable,
}

/// What a success gives back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecuteReceipt {
    /// The operation's key in `hapax_done`.
    pub id: String,
    /// Of the arguments that were carried out.
    pub fingerprint: String,
    /// What each statement did, in order.
    pub statements: Vec<StatementResult>,
}

/// What one statement did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatementResult {
    /// Rows that it affected or returned.
    pub affected: u64,
    /// Rows that it returned, by column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Map<String, Value>>,
}

/// The cell `postgres.execute`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExecuteCell;

const SPEC: CellSpec = CellSpec::new(
    "postgres.execute",
    "Runs SQL statements in one transaction",
    &[
        Rung::Native(ROW),
        Rung::Query(LOOK),
        Rung::Human(Human { place: "SELECT * FROM public.hapax_done WHERE key = '{mark}'" }),
    ],
)
.answers(ANSWERS)
.answers_within(ANSWERS_WITHIN)
.settle(SETTLE, TIMEOUTS)
.patience(Duration::from_secs(24 * 3600))
.reversal("by another transaction")
.residual(
    "A restore, or a failover to a standby that did not have the commit, loses the statements' effect together with its \
     row: a success that was reported is gone, and an open operation is carried out again there. What a statement does \
     outside the transaction (sequences, dblink, foreign servers, settings) is neither undone nor guarded.",
);

impl Cell for ExecuteCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = Execute;
    type Receipt = ExecuteReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &Execute) -> Answer<ExecuteReceipt> {
        let key = shot.names().mark();
        let planned = args.planned(&key);
        shot.by_own_means(|connection, gate| transaction::run(connection, gate, args, planned)).await
    }

    async fn find(&self, cx: &Context, _: &Execute) -> Result<Finding<ExecuteReceipt>, Fault> {
        look::find(cx.connection(), &cx.names().mark()).await
    }

    async fn fetch(&self, cx: &Context, _: &Execute, id: &str) -> Result<Option<ExecuteReceipt>, Fault> {
        look::read(cx.connection(), id).await
    }
}

impl Execute {
    const MOST_STATEMENTS: usize = 100;
    const MOST_PARAMS: usize = 1_000;
    const MOST_SQL: usize = 64 * 1024;

    /// These statements at the default isolation level.
    pub fn new(statements: impl IntoIterator<Item = Statement>) -> Self {
        Self { statements: statements.into_iter().collect(), isolation: Isolation::default() }
    }

    /// The receipt as it is before anything was done.
    fn planned(&self, key: &str) -> ExecuteReceipt {
        ExecuteReceipt { id: key.to_owned(), fingerprint: self.fingerprint(), statements: Vec::new() }
    }

    fn fingerprint(&self) -> String {
        // Arguments came from JSON, so they are JSON.
        fingerprint(&serde_json::to_value(self).unwrap_or_default(), Self::VOLATILE).to_string()
    }
}

impl Statement {
    /// A statement with its parameters.
    pub fn new(sql: impl Into<String>, params: impl IntoIterator<Item = Value>) -> Self {
        Self { sql: sql.into(), params: params.into_iter().collect(), rows: None }
    }

    /// That affects so many rows, or all is rolled back.
    pub fn affecting(mut self, rows: Rows) -> Self {
        self.rows = Some(rows);
        self
    }

    fn check(&self) -> Result<(), String> {
        if self.sql.len() > Execute::MOST_SQL {
            return Err(format!("sql: at most {} KiB", Execute::MOST_SQL / 1024));
        }
        statement::check(&self.sql).map_err(|why| format!("sql: {why}"))?;
        if self.params.len() > Execute::MOST_PARAMS {
            return Err(format!("params: at most {}", Execute::MOST_PARAMS));
        }
        match self.params.iter().position(|param| param.as_str().is_some_and(|text| text.contains('\0'))) {
            Some(index) => Err(format!("params[{index}]: PostgreSQL has no zero bytes in text")),
            None => Ok(()),
        }
    }
}

impl Rows {
    /// Whether a number is as said.
    pub(crate) fn holds(self, rows: u64) -> bool {
        match self {
            Self::Exactly(wanted) => rows == wanted,
            Self::AtLeast(least) => rows >= least,
            Self::AtMost(most) => rows <= most,
        }
    }

    /// In words.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Exactly(wanted) => format!("exactly {wanted}"),
            Self::AtLeast(least) => format!("at least {least}"),
            Self::AtMost(most) => format!("at most {most}"),
        }
    }
}

impl Isolation {
    /// In SQL.
    pub(crate) const fn sql(self) -> &'static str {
        match self {
            Self::ReadCommitted => "READ COMMITTED",
            Self::RepeatableRead => "REPEATABLE READ",
            Self::Serializable => "SERIALIZABLE",
        }
    }
}

impl CellArgs for Execute {
    fn check(&self) -> Result<(), String> {
        if self.statements.is_empty() || self.statements.len() > Self::MOST_STATEMENTS {
            return Err(format!("statements: give 1 to {}", Self::MOST_STATEMENTS));
        }
        let mut each = self.statements.iter().enumerate();
        each.try_for_each(|(index, one)| one.check().map_err(|why| format!("statements[{index}].{why}")))
    }

    fn echo(&self) -> Echo {
        vec![("fingerprint", self.fingerprint())]
    }
}

impl CellReceipt for ExecuteReceipt {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("fingerprint", self.fingerprint.clone())]
    }
}

#[cfg(test)]
mod tests;
