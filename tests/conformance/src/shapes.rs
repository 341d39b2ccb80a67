//! Checks of shapes at Prism, which answers from a vendor's own API description, where both are there.
//!
//! They show that what a cell sends is valid by the description, and that the vendor's own examples of answers can be
//! read. Prism keeps no state and answers the same to everybody, so nothing here is proof of an effect, and none of it is
//! recorded as a result: what is counted are requests, at the fault proxy.

use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials, SharedIntegration};
use hapax_core::clock::Clock;
use hapax_core::executor::{Executor, ExecutorError, PersonSays, RunReport, RunRequest};
use hapax_core::identity::{NamespaceSecret, OperationKey};
use hapax_core::ledger::MemoryLedger;
use hapax_core::protocol::IN_PROGRESS;
use hapax_core::transport::HttpTransport;
use hapax_core::words::{Next, Outcome};
use hapax_standin::third_party::Running;
use hapax_standin::third_party::prism::{self, Edit};
use hapax_standin::{Fault, FaultProxy, Rewrite, Seen};
use serde_json::Value;

use crate::forward::Forward;
use crate::kit::{ACCOUNT, CONNECTION, say};

/// How long one call waits: not as long as any of the executor's pauses or several of them (half a second, one, two), so
/// that no call ends at the moment at which a look begins, and no clock is put forward under one.
const WAIT_MS: u64 = 1_200;

/// Prism with one description.
#[derive(Debug)]
pub struct Mock {
    server: Running,
    description: Value,
}

impl Mock {
    /// Starts it with an edited copy of a description. Without Prism or the description there is none, and what is left
    /// out is said.
    ///
    /// # Errors
    /// If both are there and it doesn't start, or an edit finds nothing to change.
    pub async fn of(file: &str, edits: &[Edit]) -> Result<Option<Self>, String> {
        let description = match prism::description(file) {
            Ok(description) if prism::available() => description,
            Ok(_) => return Ok(skipped(file, "Prism is not installed")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(skipped(file, &error.to_string())),
            Err(error) => return Err(format!("{file}: {error}")),
        };
        let server = prism::start(description.clone(), edits).await.map_err(|error| format!("{file}: {error}"))?;
        Ok(Some(Self { server, description }))
    }

    /// What the vendor wrote, without the edits.
    pub fn description(&self) -> &Value {
        &self.description
    }

    /// A fresh proxy in front of it, with a fresh ledger and executor that reach it through the proxy.
    ///
    /// # Errors
    /// If there is no free port, or the integration doesn't take these credentials.
    pub async fn bench(&self, integration: SharedIntegration, credentials: Credentials) -> Result<Bench, String> {
        self.bench_meeting(integration, credentials, &[]).await
    }

    /// The same on a connection that meets these needs.
    ///
    /// # Errors
    /// As [`Mock::bench`].
    pub async fn bench_meeting(
        &self,
        integration: SharedIntegration,
        credentials: Credentials,
        needs: &[&str],
    ) -> Result<Bench, String> {
        let proxy = FaultProxy::start(self.server.url()).await.map_err(|error| error.to_string())?;
        let connection = Connection::new(CONNECTION, integration, credentials).map_err(|error| error.to_string())?;
        let connection = connection.at(&proxy.url()).map_err(|error| error.to_string())?;
        let clock = Arc::new(Forward::new());
        let (ledger, transport) = (Arc::new(MemoryLedger::new()), Arc::new(HttpTransport::new()));
        let executor = Executor::builder(ledger, transport, NamespaceSecret::generate())
            .clock(clock.clone())
            .connection(connection.account(ACCOUNT).meets(needs.iter().map(|need| (*need).to_owned())).stand_in())
            .build()
            .await
            .map_err(|error| error.to_string())?;
        Ok(Bench { proxy, executor, clock })
    }
}

/// Asks Prism for one of the answers that the description has: `code=404`, or `example=NAME`.
pub fn preferring(answer: &str) -> Fault {
    Fault::Rewrite(Rewrite { without_prefix: None, headers: vec![("prefer".to_owned(), answer.to_owned())] })
}

fn skipped(file: &str, why: &str) -> Option<Mock> {
    say(format!("skipped: no request was compared with {file} ({why})\n").as_bytes());
    None
}

/// One cell's way to a mock.
pub struct Bench {
    proxy: FaultProxy,
    executor: Executor,
    clock: Arc<Forward>,
}

impl Bench {
    /// The proxy, to break or rewrite what passes.
    pub fn proxy(&self) -> &FaultProxy {
        &self.proxy
    }

    /// Runs an intent until it is final or with a person. Between two calls as much time passes as the first asks for.
    ///
    /// # Errors
    /// If the executor refuses it, or it is never settled.
    pub async fn run(&self, cell: &str, args: &Value) -> Result<RunReport, String> {
        let key = OperationKey::new("shape").map_err(|error| error.to_string())?;
        let request = RunRequest::new(CONNECTION, cell, key, args.clone()).wait_ms(WAIT_MS);
        for _ in 0..100 {
            let report = self.executor.run(request.clone()).await.map_err(|error| error.to_string())?;
            match report.outcome {
                // On a busy machine a request may still be under way: then no time is to pass at once.
                Outcome::Unknown { why, next: Next::CallAgain { .. }, .. } if why == IN_PROGRESS => {}
                Outcome::Unknown { next: Next::CallAgain { after_ms }, .. } => self.clock.forward(after_ms),
                _ => return Ok(report),
            }
        }
        Err("it is never settled".to_owned())
    }

    /// A person says that it was the record with this id, which is read there.
    ///
    /// # Errors
    /// If it can't be read, or is another one.
    pub async fn named(&self, report: &RunReport, id: &str) -> Result<RunReport, ExecutorError> {
        let says = PersonSays::Happened { id: id.to_owned() };
        self.executor.resolve(report.operation, report.revision, "person", self.clock.now(), says).await
    }

    /// Requests that reached Prism, as method and path; those that the proxy answered or lost are left out.
    pub fn arrived(&self) -> Vec<String> {
        let seen = self.proxy.seen();
        let path = |seen: &Seen| seen.target.split('?').next().unwrap_or_default().to_owned();
        seen.iter().filter(|seen| seen.forwarded).map(|seen| format!("{} {}", seen.method, path(seen))).collect()
    }

    /// What is wrong with these requests by the description, or that it doesn't know them.
    pub fn faults(&self) -> Vec<String> {
        self.proxy.seen().iter().filter(|seen| seen.forwarded).flat_map(faults_of).collect()
    }
}

fn faults_of(seen: &Seen) -> Vec<String> {
    let of = |words: &str| format!("{} {}: {words}", seen.method, seen.target);
    // A long list is cut off in the middle, so it is read as a text and not as JSON.
    let listed = seen.reply_header("sl-violations").unwrap_or_default();
    let in_request = listed.split("{\"location\":").filter(|entry| entry.starts_with("[\"request\""));
    let mut faults: Vec<String> = in_request.map(of).collect();
    if seen.reply_header("content-type").is_some_and(|kind| kind.starts_with("application/problem+json")) {
        faults.push(of(&format!("Prism itself answers {}", seen.status.unwrap_or_default())));
    }
    if seen.status.is_none() {
        faults.push(of("no whole answer"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_those_of_requests_and_of_what_prism_does_not_know() {
        let seen = |name: &str, value: &str| Seen {
            status: Some(404),
            reply_headers: vec![(name.to_owned(), value.to_owned())],
            ..Seen::default()
        };
        let entry = |of: &str| format!(r#"{{"location":["{of}","body","a"],"message":"m"}}"#);
        let count = |seen: &Seen| faults_of(seen).len();
        assert_eq!(count(&seen("sl-violations", &format!("[{},{}]", entry("response"), entry("request")))), 1);
        assert_eq!(count(&seen("sl-violations", &format!("Too many violations! [{},{{\"loc", entry("request")))), 1);
        assert_eq!(count(&seen("sl-violations", &format!("[{}]", entry("response")))), 0);
        assert_eq!(count(&seen("content-type", "application/problem+json")), 1);
        assert_eq!(count(&seen("content-type", "application/json")), 0);
        assert_eq!(count(&Seen::default()), 1);
    }
}
