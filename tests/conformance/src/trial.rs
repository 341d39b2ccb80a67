//! One intent at a server that nobody can tell to break: what is broken is the way to it.

use std::sync::Arc;
use std::time::Duration;

use hapax_core::capability::Completion;
use hapax_core::cell::{Connection, Credentials, SharedIntegration};
use hapax_core::executor::{Executor, RunRequest};
use hapax_core::identity::{NamespaceSecret, OperationKey};
use hapax_core::ledger::MemoryLedger;
use hapax_core::transport::HttpTransport;
use hapax_core::words::{Next, Outcome};
use hapax_standin::{Fault, FaultProxy, When};
use serde_json::Value;

use crate::forward::Forward;
use crate::kit::{ACCOUNT, CONNECTION, Invariant, Site, Violation, hold};

/// The secret and the key from which tokens and marks are derived.
pub type Who<'a> = (&'a NamespaceSecret, &'a OperationKey);

/// How the request that counts gets there.
#[derive(Clone, Debug)]
pub struct Way {
    /// Its name.
    pub name: &'static str,
    fault: Option<Fault>,
    /// Whether it arrives.
    pub arrives: bool,
}

/// The ways that are played.
pub fn ways() -> Vec<Way> {
    let way = |name, fault, arrives| Way { name, fault, arrives };
    vec![
        way("clean", None, true),
        way("answer-lost", Some(Fault::CutAfterCommit), true),
        way("request-lost", Some(Fault::LoseRequest), false),
        way("answer-cut-in-the-middle", Some(Fault::TruncateReply { body_bytes: 9 }), true),
        way("request-cut-in-the-middle", Some(Fault::CutMidBody), false),
    ]
}

/// One intent at a server that nobody can tell to break.
#[derive(Clone)]
pub struct Trial {
    /// The cell.
    pub cell: &'static str,
    /// Its integration.
    pub integration: SharedIntegration,
    /// What the server accepts.
    pub credentials: Credentials,
    /// Needs that are met.
    pub met: Vec<String>,
    /// Method and path of the request that counts.
    pub shot: (&'static str, &'static str),
    /// How it ends after an answer is lost.
    pub completion: Completion,
    /// Real time that the server needs until it shows what was done.
    pub lag: Duration,
}

impl Trial {
    /// Plays one intent, and calls it once more. It comes to so many effects.
    ///
    /// # Errors
    /// What did not hold.
    pub async fn play(&self, site: &Site, args: &Value, who: Who<'_>, way: &Way) -> Result<usize, Violation> {
        let (secret, key) = who;
        let server = url::Url::parse(&site.url).map_err(broken)?;
        let below = server.path().trim_end_matches('/').to_owned();
        let proxy = FaultProxy::start(&site.url).await.map_err(broken)?;
        let (method, path) = self.shot;
        let met = way.fault.clone().map(|fault| proxy.inject(When::on(method, &format!("{below}{path}")), fault));
        let connection = Connection::new(CONNECTION, self.integration.clone(), self.credentials.clone());
        let connection = connection.and_then(|known| known.at(&proxy.url())).map_err(broken)?;
        let connection = connection.account(ACCOUNT).stand_in().meets(self.met.clone());
        let clock = Arc::new(Forward::new());
        let executor = Executor::builder(Arc::new(MemoryLedger::new()), Arc::new(HttpTransport::new()), secret.clone())
            .clock(clock.clone())
            .connection(connection)
            .build()
            .await
            .map_err(broken)?;
        let request = RunRequest::new(CONNECTION, self.cell, key.clone(), args.clone()).wait_ms(2_000);
        let first = self.settled(&executor, &clock, &request).await?;
        let reached = met.is_none_or(|met| met.times_reached() > 0);
        hold(Invariant::Reached, reached, "the fault was not met")?;
        let settles = self.settles(way);
        hold(Invariant::ExpectedEnd, first.is_some() == settles, format!("a receipt: {first:?}"))?;
        let again = self.settled(&executor, &clock, &request).await?;
        hold(Invariant::SameReceipt, first == again, format!("{first:?} and then {again:?}"))?;
        Ok(usize::from(way.arrives || settles))
    }

    /// Whether it is settled without a person.
    fn settles(&self, way: &Way) -> bool {
        match self.completion {
            _ if way.fault.is_none() => true,
            Completion::NeedsPerson => false,
            Completion::AutomaticIfFound => way.arrives,
            Completion::Automatic | Completion::AutomaticWithin(_) => true,
        }
    }

    /// Calls until it is final or with a person. Between two calls as much time passes as the first asks for; really
    /// only as much as the server needs.
    async fn settled(
        &self,
        executor: &Executor,
        clock: &Forward,
        request: &RunRequest,
    ) -> Result<Option<Value>, Violation> {
        for _ in 0..100 {
            let report = executor.run(request.clone()).await.map_err(broken)?;
            match report.outcome {
                Outcome::Succeeded { receipt } => return Ok(Some(receipt)),
                Outcome::Unknown { next: Next::Person, .. } => return Ok(None),
                Outcome::Unknown { next: Next::CallAgain { after_ms }, .. } => {
                    tokio::time::sleep(self.lag).await;
                    clock.forward(after_ms);
                }
                other => return Err(Violation::new(Invariant::ExpectedEnd, format!("{other:?}"))),
            }
        }
        Err(Violation::new(Invariant::WorkEnds, "it is never settled"))
    }
}

fn broken(why: impl ToString) -> Violation {
    Violation::new(Invariant::Runs, why.to_string())
}
