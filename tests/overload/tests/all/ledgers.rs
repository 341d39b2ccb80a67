//! Ledgers that can't take what is wanted: locked by another program, or out of connections.

use std::process::Stdio;

use hapax_standin::third_party::postgres::{PASSWORD, USER};
use hapax_standin::{Kind, When};
use tokio::process::{Child, Command};

use crate::crowd::{Answers, Site, Wanted, callers, tell, want};
use crate::service::Service;

/// Another program holds the file while half of the callers come, and the answers of the others.
#[tokio::test(flavor = "multi_thread")]
async fn while_another_program_holds_the_file_nothing_is_sent_and_no_answer_is_lost() {
    let (site, callers) = (Site::file().await, callers());
    let (first, times) = (callers / 2, u32::try_from(callers / 2).expect("a small number"));
    let confirm = When::on("POST", "/v1/payment_intents/*/confirm").times(times);
    let hung = site.provider.injections().add(confirm, Kind::Hang { after_effect: false });
    let mut service = Service::start(&site.setup, None).await;
    for number in 0..first {
        service.ask(number, want(number, 600_000)).await;
    }
    hung.reached_times(times).await;
    let other = rusqlite::Connection::open(site.ledger_file()).expect("the file can be opened");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock can be had");
    let requests = site.requests();
    for number in first..callers {
        service.ask(number, want(number, 3_000)).await;
    }
    hung.release();
    // Longer than it waits for a lock, so that those who came late are told.
    let mut answers = Answers::default();
    for _ in first..callers {
        answers.add(service.told().await);
    }
    let late = answers.hold(&site);
    assert_eq!(site.requests(), requests, "nothing leaves that is not journaled");
    assert_eq!(late.succeeded, 0, "{late:?}");
    other.execute_batch("ROLLBACK").expect("it lets go");
    for _ in 0..first {
        answers.add(service.told().await);
    }
    let counts = answers.hold_for_ever(&site).await;
    tell(&format!(
        "overload: {callers} callers, half of them while the file is locked: {late:?}, in the end {counts:?}"
    ));
    assert_eq!(counts.succeeded as u64, first, "{counts:?} {}", answers.sample());
}

/// Takes connections until none is left.
async fn take_all(site: &Site) -> Vec<Child> {
    let cluster = site.cluster.as_ref().expect("a ledger in PostgreSQL");
    let mut taken = Vec::new();
    for _ in 0..20 {
        let mut command = Command::new("psql");
        command.args(["-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-U", USER, "-d", "postgres", "-p"]);
        command.arg(cluster.port().to_string()).args(["-c", "SELECT 'here'", "-c", "SELECT pg_sleep(600)"]);
        command.env("PGPASSWORD", PASSWORD).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.kill_on_drop(true).spawn().expect("psql can be started");
        let mut said = [0_u8; 4];
        let out = child.stdout.as_mut().expect("it is piped");
        // Whoever is not let in says nothing and ends.
        match tokio::io::AsyncReadExt::read_exact(out, &mut said).await {
            Ok(_) => taken.push(child),
            Err(_) => return taken,
        }
    }
    panic!("there is no end of connections");
}

/// The database has a connection less than a process wants, and later none to spare.
#[tokio::test(flavor = "multi_thread")]
async fn with_the_databases_connections_used_up_each_caller_is_answered() {
    let lines = "max_connections = 6\nsuperuser_reserved_connections = 0\nmax_wal_senders = 0";
    let wanted = Wanted { postgres: Some(lines), ..Wanted::default() };
    let Some(site) = Site::open("a database without connections to spare", wanted).await else { return };
    let callers = callers();
    let mut service = Service::start(&site.setup, None).await;
    // It has what it opened at the start.
    service.ask(callers, want(callers, 600_000)).await;
    let first = Answers::gather(&mut service, 1).await;
    assert_eq!(first.hold(&site).succeeded, 1, "{}", first.sample());
    let taken = take_all(&site).await;
    for number in 0..callers {
        service.ask(number, want(number, 20_000)).await;
    }
    let mut answers = Answers::gather(&mut service, callers).await;
    let at_once = answers.hold(&site);
    let hogs = taken.len();
    for mut child in taken {
        child.kill().await.expect("killed");
    }
    // With room again the same callers get through.
    for number in 0..callers {
        service.ask(callers + 1 + number, want(number, 600_000)).await;
    }
    let again = Answers::gather(&mut service, callers).await;
    assert_eq!(again.succeeded() as u64, callers, "{}", again.sample());
    tell(&format!("overload: {callers} callers, {hogs} of 6 connections taken by others: {at_once:?}"));
    answers.forget_the_unwritten();
    answers.merge(first);
    answers.hold_for_ever(&site).await;
}
