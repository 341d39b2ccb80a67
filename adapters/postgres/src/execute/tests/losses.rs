//! What is lost on the way, and who else is there.

use std::time::Duration;

use hapax_core::testing::word;
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::json;

use crate::testing::{WireFault, insert, one, place};
use crate::{ExecuteReceipt, Isolation};

fn receipt(answer: Answer<hapax_core::protocol::Receipt>) -> ExecuteReceipt {
    match answer {
        Answer::Happened(receipt) => serde_json::from_value((*receipt.body).clone()).expect("a receipt"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn execute_runs_the_statements_once_and_tells_what_they_did() {
    let Some(place) = place().await else { return };
    let desk = place.desk();
    let said = receipt(desk.attempt(&insert("a")).await);
    assert_eq!(said.id, desk.mark());
    assert_eq!(said.statements[0].affected, 1);
    assert_eq!(json!(said.statements[0].rows), json!([{ "word": "a", "amount": 7 }]));
    assert_eq!((place.entries().await, place.proxy.commits()), (1, 1));
    place.until("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hapax'", "0").await;
}

#[tokio::test]
async fn execute_again_returns_the_first_receipt() {
    let Some(place) = place().await else { return };
    for isolation in [Isolation::ReadCommitted, Isolation::RepeatableRead, Isolation::Serializable] {
        let mut args = insert(isolation.sql());
        args.isolation = isolation;
        let desk = place.desk().keyed(isolation.sql());
        let first = receipt(desk.attempt(&args).await);
        assert_eq!(receipt(desk.attempt(&args).await), first);
        assert!(matches!(desk.find(&args).await, Ok(Finding::Happened(found)) if found.id == first.id));
    }
    assert_eq!((place.entries().await, place.proxy.commits()), (3, 3));
}

#[tokio::test]
async fn execute_with_other_arguments_is_an_echo_fault() {
    let Some(place) = place().await else { return };
    let desk = place.desk();
    receipt(desk.attempt(&insert("a")).await);
    assert_eq!(word(&desk.attempt(&insert("b")).await), "echo");
    assert_eq!(desk.find(&insert("b")).await, Err(Fault::Echo("fingerprint".to_owned())));
    assert_eq!(place.entries().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn execute_of_two_at_once_has_one_effect() {
    let Some(place) = place().await else { return };
    for isolation in [Isolation::ReadCommitted, Isolation::Serializable] {
        let mut args = insert(isolation.sql());
        args.isolation = isolation;
        let (one, two) = (place.desk().keyed(isolation.sql()), place.desk().keyed(isolation.sql()));
        let held = place.proxy.inject(WireFault::HoldCommit);
        let both = async { tokio::join!(one.attempt(&args), two.attempt(&args)) };
        let letting = async {
            held.reached().await;
            place.until("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted", "1").await;
            held.release();
        };
        let ((first, second), ()) = tokio::join!(both, letting);
        let mut words = [word(&first), word(&second)];
        words.sort_unstable();
        // With a snapshot that is older than the first one's commit, the second is rolled back and goes again.
        let other = if isolation == Isolation::Serializable { "not done" } else { "happened" };
        assert_eq!(words, ["happened", other], "{first:?} {second:?}");
    }
    assert_eq!(place.entries().await, 2);
}

#[tokio::test]
async fn execute_that_waits_too_long_is_not_done() {
    let Some(place) = place().await else { return };
    let clock = std::sync::Arc::new(hapax_core::clock::ScaledClock::new(40));
    let desk = crate::testing::desk_by(clock, &place.proxy.url());
    let held = place.proxy.inject(WireFault::HoldCommit);
    let other = place.desk();
    let args = insert("a");
    let first = other.attempt(&args);
    let second = async {
        held.reached().await;
        let answer = desk.attempt(&args).await;
        held.release();
        answer
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!((word(&first), word(&second)), ("happened", "not done"), "{second:?}");
    assert!(format!("{second:?}").contains("55P03"), "{second:?}");
}

#[tokio::test]
async fn execute_commit_lost_on_the_way_is_unclear() {
    let Some(place) = place().await else { return };
    assert_eq!(word(&place.broken(WireFault::LoseCommit, &insert("a")).await), "unclear");
    gone(&place).await;
    assert_eq!(place.desk().find(&insert("a")).await, Ok(Finding::Absent));
    assert_eq!(place.entries().await, 0);
    receipt(place.desk().attempt(&insert("a")).await);
    assert_eq!(place.entries().await, 1);
}

/// The server has noticed that the session is over.
async fn gone(place: &crate::testing::Place) {
    place.until("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'", "0").await;
}

#[tokio::test]
async fn execute_commit_cut_in_the_middle_is_unclear() {
    let Some(place) = place().await else { return };
    assert_eq!(word(&place.broken(WireFault::CutCommit, &insert("a")).await), "unclear");
    gone(&place).await;
    assert_eq!(place.desk().find(&insert("a")).await, Ok(Finding::Absent));
    assert_eq!(place.entries().await, 0);
}

#[tokio::test]
async fn execute_answer_to_commit_lost_is_unclear_and_found() {
    let Some(place) = place().await else { return };
    assert_eq!(word(&place.broken(WireFault::LoseAnswer, &insert("a")).await), "unclear");
    assert_eq!(place.entries().await, 1);
    assert!(matches!(place.desk().find(&insert("a")).await, Ok(Finding::Happened(_))));
    receipt(place.desk().attempt(&insert("a")).await);
    assert_eq!(place.entries().await, 1);
}

#[tokio::test]
async fn execute_answer_cut_in_the_middle_is_unclear() {
    let Some(place) = place().await else { return };
    for (bytes, key) in [(0, "k0"), (1, "k1"), (5, "k2"), (11, "k3"), (12, "k4")] {
        let name = format!("a{bytes}");
        let desk = place.desk().keyed(key);
        let met = place.proxy.inject(WireFault::CutAnswer(bytes));
        let answer = desk.attempt(&insert(&name)).await;
        assert_eq!((word(&answer), met.times_reached()), ("unclear", 1), "{bytes} bytes: {answer:?}");
        assert!(matches!(desk.find(&insert(&name)).await, Ok(Finding::Happened(_))), "{bytes} bytes");
    }
    assert_eq!(place.entries().await, 5);
}

#[tokio::test]
async fn execute_lost_before_commit_is_not_done() {
    let Some(place) = place().await else { return };
    // Two of the password, BEGIN, settings, lock, row, PREPARE, the statement, the receipt; then COMMIT.
    let mut cut = 0;
    for nth in 1..20 {
        for fault in [WireFault::CutBefore(nth), WireFault::CutAfter(nth)] {
            let commits = place.proxy.commits();
            let met = place.proxy.inject(fault);
            let answer = place.desk().attempt(&insert("a")).await;
            if place.proxy.commits() > commits {
                place.proxy.clear();
                assert!(cut >= 14, "only {cut} places before COMMIT were met");
                return;
            }
            assert_eq!((word(&answer), met.times_reached()), ("not done", 1), "{fault:?}: {answer:?}");
            gone(&place).await;
            assert_eq!(place.entries().await, 0, "{fault:?}");
            cut += 1;
        }
    }
    panic!("COMMIT never came");
}

#[tokio::test]
async fn execute_backend_killed_before_commit_is_not_done() {
    let Some(place) = place().await else { return };
    // The statement itself ends its session.
    let args = one("SELECT pg_sleep(0), pg_terminate_backend(pg_backend_pid()) AS killed", []);
    place.sql("GRANT pg_signal_backend TO app").await;
    let answer = place.desk().attempt(&args).await;
    assert_eq!(word(&answer), "not done", "{answer:?}");
    assert_eq!(place.sql("SELECT count(*) FROM hapax_done").await, "0");
}

#[tokio::test]
async fn execute_backend_killed_at_commit_is_unclear() {
    let Some(place) = place().await else { return };
    let held = place.proxy.inject(WireFault::HoldCommit);
    let (desk, args) = (place.desk(), insert("a"));
    let killing = async {
        held.reached().await;
        place.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hapax'").await;
        held.release();
    };
    let (answer, ()) = tokio::join!(desk.attempt(&args), killing);
    assert_eq!(word(&answer), "unclear", "{answer:?}");
    gone(&place).await;
    assert_eq!(place.desk().find(&args).await, Ok(Finding::Absent));
    assert_eq!(place.entries().await, 0);
}

#[tokio::test]
async fn execute_server_restarted_before_the_answer_is_found() {
    // A cluster of its own: the others' sessions would be ended too.
    if !hapax_standin::third_party::postgres::available() {
        return;
    }
    let cluster = hapax_standin::third_party::postgres::Cluster::start().await.expect("a cluster");
    let role = format!("CREATE ROLE app LOGIN SUPERUSER PASSWORD '{}'", crate::testing::PASSWORD);
    for sql in [role.as_str(), crate::SET_UP, "CREATE TABLE entry (word text, amount int)"] {
        cluster.sql("postgres", sql).await.expect("SQL that works");
    }
    let proxy = crate::testing::Proxy::before(&cluster.url("postgres")).await;
    let connection = crate::testing::connection(&proxy.url(), crate::testing::PASSWORD);
    let script = hapax_core::testing::Script::of([]);
    let desk = hapax_core::testing::Desk::new(connection, "postgres.execute", script);
    let args = insert("a");
    let held = proxy.inject(WireFault::HoldAnswer);
    let crashing = async {
        held.reached().await;
        cluster.crash().await.expect("it comes back");
        // What was held is not delivered: the client's side is cut with the server's.
        held.release();
    };
    let (answer, ()) = tokio::join!(desk.attempt(&args), crashing);
    // The answer had left the server; a client that hears it is right.
    assert!(["happened", "unclear"].contains(&word(&answer)), "{answer:?}");
    assert!(matches!(desk.find(&args).await, Ok(Finding::Happened(_))));
    // Before COMMIT reaches the server, a crash leaves nothing.
    let (other, second) = (desk.keyed("another"), insert("b"));
    let lost = proxy.inject(WireFault::HoldCommit);
    let crashing = async {
        lost.reached().await;
        cluster.crash().await.expect("it comes back");
        lost.release();
    };
    let (answer, ()) = tokio::join!(other.attempt(&second), crashing);
    assert_eq!(word(&answer), "unclear", "{answer:?}");
    assert_eq!(other.find(&second).await, Ok(Finding::Absent));
    assert_eq!(cluster.sql("postgres", "SELECT string_agg(word, ',') FROM entry").await.expect("rows"), "a");
}

#[tokio::test]
async fn execute_open_transaction_is_not_yet() {
    let Some(place) = place().await else { return };
    let held = place.proxy.inject(WireFault::HoldCommit);
    let (desk, other, args) = (place.desk(), place.desk(), insert("a"));
    let looking = async {
        held.reached().await;
        let found = other.find(&args).await;
        held.release();
        found
    };
    let (answer, found) = tokio::join!(desk.attempt(&args), looking);
    assert!(matches!(found, Ok(Finding::NotYet(_))), "{found:?}");
    receipt(answer);
    assert!(matches!(other.find(&args).await, Ok(Finding::Happened(_))));
}

#[tokio::test]
async fn execute_held_commit_is_not_yet_and_then_found() {
    let Some(place) = place().await else { return };
    let held = place.proxy.inject(WireFault::HoldCommit);
    let (desk, args) = (place.desk(), insert("a"));
    // The client is gone while COMMIT is on its way.
    tokio::select! {
        answer = desk.attempt(&args) => panic!("{answer:?}"),
        () = held.reached() => {}
    }
    assert!(matches!(desk.find(&args).await, Ok(Finding::NotYet(_))));
    held.release();
    held.finished().await;
    assert!(matches!(desk.find(&args).await, Ok(Finding::Happened(_))));
    assert_eq!(place.entries().await, 1);
}

#[tokio::test]
async fn execute_absent_when_nobody_holds_it() {
    let Some(place) = place().await else { return };
    assert_eq!(place.desk().find(&insert("a")).await, Ok(Finding::Absent));
    // Somebody else's lock of that number costs a wait and nothing more.
    let lock = super::super::look::lock_of(&place.desk().mark());
    let holder = place.desk_at(&place.cluster.url(&place.database)).keyed("holder");
    let taken = one("SELECT pg_advisory_xact_lock($1)", [json!(lock)]);
    let held = place.proxy.inject(WireFault::HoldCommit);
    drop(holder);
    let (through, looker) = (place.desk().keyed("holder"), place.desk());
    let looking = async {
        held.reached().await;
        let found = looker.find(&insert("a")).await;
        held.release();
        found
    };
    let (_, found) = tokio::join!(through.attempt(&taken), looking);
    assert!(matches!(found, Ok(Finding::NotYet(_))), "{found:?}");
    assert_eq!(looker.find(&insert("a")).await, Ok(Finding::Absent));
}

#[tokio::test]
async fn execute_dead_client_is_forgotten_by_the_server() {
    let Some(place) = place().await else { return };
    let clock = std::sync::Arc::new(hapax_core::clock::ScaledClock::new(40));
    let desk = crate::testing::desk_by(clock, &place.proxy.url());
    // COMMIT never arrives, and the connection to the server stays open: a client without a word.
    let swallowed = place.proxy.inject(WireFault::Swallow);
    let args = insert("a");
    assert_eq!(word(&desk.attempt(&args).await), "unclear");
    assert!(swallowed.times_reached() == 1);
    // The deadline was 2 s of real time; the server waits twice as long.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    gone(&place).await;
    assert_eq!(desk.find(&args).await, Ok(Finding::Absent));
    swallowed.release();
}

#[tokio::test]
async fn execute_after_the_deadline_sends_no_commit() {
    let Some(place) = place().await else { return };
    let clock = std::sync::Arc::new(hapax_core::testing::HandClock::at(1_700_000_000_000));
    let desk = crate::testing::desk_by(clock.clone(), &place.proxy.url());
    // The machine sleeps for an hour after the receipt was stored: a statement takes long enough to see it.
    let (args, held) = (one("SELECT pg_sleep(0.5)", []), place.proxy.commits());
    let sleeping = async {
        place.until("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active' AND application_name = 'hapax'", "1").await;
        clock.forward(3_600_000);
    };
    let (answer, ()) = tokio::join!(desk.attempt(&args), sleeping);
    assert_eq!(word(&answer), "not done", "{answer:?}");
    assert_eq!(place.proxy.commits(), held);
    assert_eq!(place.sql("SELECT count(*) FROM hapax_done").await, "0");
}
