//! The contract of a ledger, for every backend the same.
//!
//! A backend's own test calls [`contract`] with a function that makes an empty ledger:
//!
//! ```
//! use std::sync::Arc;
//!
//! use hapax_core::ledger::MemoryLedger;
//!
//! # #[tokio::main]
//! # async fn main() {
//! hapax_conformance::ledger::contract(|| Arc::new(MemoryLedger::new())).await;
//! # }
//! ```
//!
//! What survives the loss of the process or of the disk can't be told from inside one: each backend
//! tests that itself.

pub mod samples;

mod appends;
mod queries;
mod retention;
mod similar;
mod unique;

use std::any::Any;
use std::future::Future;
use std::pin::Pin;

use hapax_core::ledger::SharedLedger;

/// One case: a name, and what it does with an empty ledger. It panics if the contract is broken.
#[derive(Clone, Copy)]
pub struct Case {
    /// What is held, in words.
    pub name: &'static str,
    run: fn(SharedLedger) -> Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// A case that failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// Its name.
    pub case: &'static str,
    /// What went wrong.
    pub why: String,
}

macro_rules! cases {
    ($($module:ident :: $name:ident),* $(,)?) => {
        &[$(Case {
            name: stringify!($name),
            run: |ledger| Box::pin($module::$name(ledger)),
        }),*]
    };
}

/// All cases.
pub const CASES: &[Case] = cases![
    appends::an_append_counts_only_at_the_revision_it_saw,
    appends::an_append_is_all_or_nothing,
    appends::every_event_is_read_back_as_it_was_written,
    appends::every_verdict_and_finding_is_read_back_as_it_was_written,
    appends::unicode_long_texts_and_numbers_survive,
    appends::stamps_survive_to_the_last_bit,
    appends::one_of_many_writers_at_one_revision_wins,
    appends::many_operations_grow_at_once,
    unique::one_of_fifty_callers_gets_the_key,
    unique::a_key_is_taken_per_connection_and_cell,
    unique::one_of_fifty_operations_gets_the_claim,
    unique::a_claim_is_held_per_account_and_let_go_with_the_index,
    similar::of_two_at_the_same_moment_one_sees_the_other,
    similar::only_the_same_account_cell_and_arguments_are_similar,
    similar::only_recent_ones_are_similar,
    similar::refused_as_similar_leaves_no_trace,
    similar::a_later_append_sees_no_similar_ones,
    queries::nothing_is_found_in_an_empty_ledger,
    queries::it_is_found_by_id_key_and_claim,
    queries::due_work_comes_oldest_first,
    queries::due_work_is_only_what_is_served,
    queries::work_that_is_done_is_not_due,
    queries::it_is_known_when_the_next_work_is_due,
    queries::lists_are_newest_first_and_filtered,
    queries::changed_arguments_keep_the_first_intent,
    retention::a_pruned_operation_leaves_its_tombstone,
    retention::what_is_open_due_or_young_is_not_pruned,
    retention::what_may_still_take_effect_or_is_held_is_not_pruned,
    retention::each_place_is_kept_as_the_first_rule_says,
    retention::many_are_pruned_in_parts,
    retention::nothing_that_somebody_else_said_is_left,
    retention::a_pruned_operation_goes_on,
    retention::the_first_use_is_no_restore,
    retention::a_restore_is_noted,
    retention::the_newest_record_is_known,
];

/// Runs every case, each with a ledger of its own, and panics with all that failed.
///
/// # Panics
/// If the contract is broken.
pub async fn contract(make: impl Fn() -> SharedLedger) {
    let failed = broken(make).await;
    let told: Vec<String> = failed.iter().map(|one| format!("{}: {}", one.case, one.why)).collect();
    assert!(failed.is_empty(), "{} of {} cases failed:\n{}", failed.len(), CASES.len(), told.join("\n"));
}

/// Runs every case, each with a ledger of its own, and returns those that failed.
pub async fn broken(make: impl Fn() -> SharedLedger) -> Vec<Failed> {
    let mut failed = Vec::new();
    for case in CASES {
        let done = tokio::spawn((case.run)(make())).await;
        if let Err(error) = done {
            let why = error.try_into_panic().map_or_else(|error| error.to_string(), |panic| message(&*panic));
            failed.push(Failed { case: case.name, why });
        }
    }
    failed
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
