//! Facts with their sources. What they mean: `FAILURE_MODES.md`.

use std::time::Duration;

use hapax_core::capability::{Failures, Meaning, Native, Need, Query, Repeat, Row, Scope, Source, Window};
use hapax_core::identity::Form;

const READ: &str = "2026-11-28";

const UNIQUE: Source = Source::official("https://www.postgresql.org/docs/current/index-unique-checks.html", READ);
const CONFLICT: Source = Source::official("https://www.postgresql.org/docs/current/sql-insert.html", READ);
const LOCKS: Source =
    Source::official("https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADVISORY-LOCKS", READ);
const CODES: Source = Source::official("https://www.postgresql.org/docs/current/errcodes-appendix.html", READ);
const ATOMIC: Source = Source::official("https://www.postgresql.org/docs/current/tutorial-transactions.html", READ);
const AGAIN: Source =
    Source::official("https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html", READ);
const DEFERRED: Source = Source::official("https://www.postgresql.org/docs/current/sql-set-constraints.html", READ);

/// `statement_timeout` and `idle_in_transaction_session_timeout`: the server ends a transaction whose
/// client is gone.
pub(crate) const TIMEOUTS: Source =
    Source::official("https://www.postgresql.org/docs/current/runtime-config-client.html", READ);

/// An attempt's deadline: ours, and what the server is told.
pub(crate) const ANSWERS_WITHIN: Duration = Duration::from_secs(60);

/// The last statement begins before the deadline and runs for at most its length, and the session is
/// idle for at most twice that.
pub(crate) const SETTLE: Duration = Duration::from_secs(180);

/// How long the table's guard keeps a row.
const KEPT: Window = Window::AtLeast(Duration::from_secs(90 * 24 * 3600));

/// The form of the key: half of a digest and more.
pub(crate) const KEY: Form = Form::Text(32);

/// The table with its guard is there.
pub(crate) const TABLE: Need =
    Need::Setting("the table public.hapax_done with its two triggers, as the README's SQL makes it");

/// Commits are on disk when they are acknowledged.
pub(crate) const DURABLE: Need = Need::Software("fsync is on");

const NEEDS: &[Need] = &[TABLE, DURABLE];

/// The row that is committed together with the statements.
pub(crate) const ROW: Native = Native::client_id("hapax_done.key", KEY)
    .kept(KEPT, "the row may be pruned")
    .one_wins()
    .repeat(Repeat::Replays)
    .failures(Failures::Rerun)
    .scope(&[Scope::Account])
    .needs(NEEDS)
    .from(&[UNIQUE, CONFLICT, ATOMIC]);

/// The row, read on the primary after the lock shows that no transaction with it is open.
pub(crate) const LOOK: Query = Query::by_mark("hapax_done.key", KEY)
    .reads_one()
    .lag(Duration::ZERO)
    .reaches(KEPT)
    .proves()
    .needs(NEEDS)
    .from(&[LOCKS, UNIQUE, ATOMIC]);

/// An error that came before `COMMIT` was sent.
pub(crate) const BEFORE: &str = "before COMMIT";

/// An error that is the answer to `COMMIT`.
pub(crate) const AT: &str = "at COMMIT";

/// SQLSTATEs and classes of them. Before `COMMIT` nothing has happened, whatever the error; the row
/// says whether asking again can change that.
pub(crate) const ANSWERS: &[Row] = &[
    Row::new(0, BEFORE, "0A", Meaning::Refused, CODES),
    Row::new(0, BEFORE, "21", Meaning::Refused, CODES),
    Row::new(0, BEFORE, "22", Meaning::Refused, CODES),
    Row::new(0, BEFORE, "23", Meaning::Refused, CODES),
    Row::new(0, BEFORE, "2D", Meaning::Refused, CODES),
    Row::new(0, BEFORE, "3F", Meaning::Refused, CODES),
    Row::new(0, BEFORE, "42", Meaning::Refused, CODES),
    Row::new(0, BEFORE, "44", Meaning::Refused, CODES),
    Row::new(0, BEFORE, "54", Meaning::Refused, CODES),
    Row::new(0, BEFORE, "P0", Meaning::Refused, CODES),
    Row::new(0, BEFORE, "25006", Meaning::NotDone, CODES),
    Row::new(0, BEFORE, "25P03", Meaning::NotDone, TIMEOUTS),
    Row::new(0, BEFORE, "25P04", Meaning::NotDone, TIMEOUTS),
    Row::new(0, BEFORE, "40001", Meaning::NotDone, AGAIN),
    Row::new(0, BEFORE, "40P01", Meaning::NotDone, AGAIN),
    Row::new(0, BEFORE, "53", Meaning::NotDone, CODES),
    Row::new(0, BEFORE, "55P03", Meaning::NotDone, TIMEOUTS),
    Row::new(0, BEFORE, "57014", Meaning::NotDone, TIMEOUTS),
    Row::new(0, BEFORE, "57P01", Meaning::NotDone, CODES),
    Row::new(0, BEFORE, "57P02", Meaning::NotDone, CODES),
    Row::new(0, BEFORE, "57P03", Meaning::NotDone, CODES),
    Row::new(0, AT, "23", Meaning::Refused, DEFERRED),
    Row::new(0, AT, "40001", Meaning::NotDone, AGAIN),
    Row::new(0, AT, "08007", Meaning::Unclear, CODES),
];
