//! Ledgers that can't take what is wanted: locked by another program, or out of connections.

use std::process::Stdio;

use hapax_standin::third_party::postgres::{PASSWORD, USER};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::answers::Answers;
use crate::service::Service;
use crate::site::{Site, Wanted, callers, tell};

/// Another program holds the file while half of the callers come, and the answers of the others.
#[tokio::test(flavor = "multi_thread")]
async fn while_another_program_holds_the_file_nothing_is_sent_and_no_answer_is_lost() {
    let (site, callers) = (Site::file().await, callers());
    let (first, times) = (callers / 2, u32::try_from(callers / 2).expect("a small number"));
    let hung = site.hang(first, false);
    let mut service = Service::start(&site.setup, None).await;
    for number in 0..first {
        service.ask(number, site.want(number, 600_000)).await;
    }
    hung.reached_times(times).await;
    let other = rusqlite::Connection::open(site.ledger_file()).expect("the file can be opened");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock can be had");
    let sent = site.sent();
    for number in first..callers {
        service.ask(number, site.want(number, 1_000)).await;
    }
    hung.release();
    // It holds it until all who came late were told.
    let mut answers = Answers::default();
    for _ in first..callers {
        answers.add(service.told().await);
    }
    let late = answers.hold(&site);
    assert_eq!(site.sent(), sent, "nothing leaves that is not journaled");
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

/// A connection of another program.
struct Other {
    child: Child,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Other {
    /// `None`: the database has none left.
    async fn connect(site: &Site) -> Option<Self> {
        let port = site.cluster.as_ref().expect("a ledger in PostgreSQL").port().to_string();
        let mut command = Command::new("psql");
        command.args(["-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-U", USER, "-d", "postgres", "-f", "-", "-p", &port]);
        command.env("PGPASSWORD", PASSWORD).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.kill_on_drop(true).spawn().expect("psql can be started");
        let answers = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut other = Self { child, answers };
        // Whoever is not let in says nothing and ends.
        other.ask("SELECT 'here'").await.map(|_| other)
    }

    async fn ask(&mut self, sql: &str) -> Option<String> {
        let asked = self.child.stdin.as_mut().expect("it is piped").write_all(format!("{sql};\n").as_bytes()).await;
        asked.ok()?;
        self.answers.next_line().await.ok()?
    }

    /// Waits until so many are connected: the server lets go of one a moment after its client.
    async fn waits_for(&mut self, is_so: impl Fn(usize) -> bool) {
        let count = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'";
        while !is_so(self.ask(count).await.and_then(|text| text.parse().ok()).expect("a number")) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }
}

/// Takes connections until none is left.
async fn take_all(site: &Site, others: &mut Vec<Other>) {
    while let Some(other) = Other::connect(site).await {
        others.push(other);
    }
}

const CONNECTIONS: usize = 6;

/// The database has two connections for a process that wants three, then none, and then enough again.
#[tokio::test(flavor = "multi_thread")]
async fn with_the_databases_connections_used_up_each_caller_is_answered() {
    let lines = "max_connections = 6\nsuperuser_reserved_connections = 0\nmax_wal_senders = 0";
    let wanted = Wanted { postgres: Some(lines), ..Wanted::default() };
    let Some(site) = Site::open("a database without connections to spare", wanted).await else { return };
    let callers = callers();
    let mut others = vec![Other::connect(&site).await.expect("there are six")];
    others[0].waits_for(|connected| connected == 1).await;
    take_all(&site, &mut others).await;
    assert_eq!(others.len(), CONNECTIONS);
    others.truncate(CONNECTIONS - 2);
    others[0].waits_for(|connected| connected == CONNECTIONS - 2).await;
    let mut service = Service::start(&site.setup, None).await;
    for number in 0..callers {
        service.ask(number, site.want(number, 600_000)).await;
    }
    let mut answers = Answers::gather(&mut service, callers).await;
    let with_two = answers.hold(&site);
    assert_eq!(with_two.succeeded as u64, callers, "{with_two:?} {}", answers.sample());
    // It loses those two, and others have them.
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'hapax'";
    others[0].ask(end).await.expect("they can be ended");
    take_all(&site, &mut others).await;
    for number in callers..2 * callers {
        service.ask(number, site.want(number, 5_000)).await;
    }
    let mut late = Answers::gather(&mut service, callers).await;
    let without = late.hold(&site);
    others.truncate(1);
    others[0].waits_for(|connected| connected < CONNECTIONS).await;
    drop(others);
    // With room again the same callers get through.
    for number in callers..2 * callers {
        service.ask(number, site.want(number, 600_000)).await;
    }
    let again = Answers::gather(&mut service, callers).await;
    assert_eq!(again.succeeded() as u64, callers, "{}", again.sample());
    tell(&format!("overload: {callers} callers over two connections: {with_two:?}, over none: {without:?}"));
    late.forget_the_unwritten();
    assert!(again.are_of_the_operations_of(&late), "a key is one operation");
    answers.merge(again);
    answers.hold_for_ever(&site).await;
    assert_eq!(site.sent(), 2 * callers, "each was sent once");
}
