//! What a fault can wait for and do besides breaking things.

use std::time::Duration;

use hapax_core::clock::Clock as _;
use hapax_core::executor::PersonSays;
use hapax_core::ledger::OperationId;
use hapax_core::protocol::{OpState, fold};
use hapax_standin::client::Call;
use hapax_standin::{Kind, When};

use super::check::story;
use super::finish::broken;
use super::process::Process;
use super::run::{Intent, Run, lock, set_up};
use super::violation::{Invariant, Played, Violation, hold};

/// Real time after which something that should have happened counts as never happening.
const PATIENCE: Duration = Duration::from_secs(8);

impl Run {
    /// Waits until the last attempt of an intent is heard of.
    ///
    /// # Errors
    /// That nothing is heard.
    pub async fn wait_until_heard(&self, intent: &Intent) -> Played {
        let heard = |state: &OpState| state.attempts.last().is_some_and(|last| last.heard.is_some());
        self.wait_for(intent, "nothing was heard of the last attempt", heard).await
    }

    /// Waits until every attempt of an intent is heard of.
    ///
    /// # Errors
    /// That one isn't.
    pub async fn wait_until_all_heard(&self, intent: &Intent) -> Played {
        let heard = |state: &OpState| state.attempts.iter().all(|attempt| attempt.heard.is_some());
        self.wait_for(intent, "nothing was heard of an attempt", heard).await
    }

    /// Waits until an intent is final.
    ///
    /// # Errors
    /// That it isn't.
    pub async fn wait_until_final(&self, intent: &Intent) -> Played {
        self.wait_for(intent, "it did not become final", OpState::is_final).await
    }

    async fn wait_for(&self, intent: &Intent, otherwise: &str, so: impl Fn(&OpState) -> bool) -> Played {
        let waiting = async {
            loop {
                match self.state(intent).await {
                    Ok(Some(state)) if so(&state) => return Ok(()),
                    Ok(_) => tokio::time::sleep(Duration::from_millis(5)).await,
                    Err(violation) => return Err(violation),
                }
            }
        };
        match tokio::time::timeout(PATIENCE, waiting).await {
            Ok(ended) => ended,
            Err(_) => {
                let story = story_of(self, intent).await;
                hold(Invariant::WorkEnds, false, format!("{}: {otherwise}; {story}", intent.key))
            }
        }
    }

    /// What the ledger says of an intent.
    ///
    /// # Errors
    /// That it can't be read.
    pub async fn state(&self, intent: &Intent) -> Result<Option<OpState>, Violation> {
        Ok(self.stored(intent).await.map_err(broken)?.map(|stored| fold(&stored.records)))
    }

    /// The operation of an intent and its revision.
    pub async fn where_it_stands(&self, intent: &Intent) -> Option<(OperationId, u64)> {
        let stored = self.stored(intent).await.ok()??;
        Some((stored.operation, stored.records.len() as u64))
    }

    /// Whether anybody would notice what is wrong with an intent.
    pub async fn is_loud(&self, intent: &Intent) -> bool {
        let state = self.state(intent).await.ok().flatten();
        state.is_some_and(|state| !state.alarms.is_empty() || state.with_person().is_some())
    }

    /// Whether the ledger has a failed fate of an intent.
    pub async fn fate_has_failed(&self, intent: &Intent) -> bool {
        let state = self.state(intent).await.ok().flatten();
        state.and_then(|state| state.fate).is_some_and(|(_, failed)| failed)
    }

    /// A person decides, having looked just now.
    pub async fn resolve(&self, process: &Process, intent: &Intent, says: PersonSays) {
        let Some((operation, revision)) = self.where_it_stands(intent).await else { return };
        let (executor, looked) = (process.executor().clone(), self.clock.now());
        let said = process.inside(async move { executor.resolve(operation, revision, "somebody", looked, says).await });
        if let Some(said) = said.await {
            self.note(&intent.key, &said);
        }
    }

    /// The operator says that the ledger was restored.
    ///
    /// # Errors
    /// That it can't be noted.
    pub async fn note_restored(&self, process: &Process) -> Played {
        let executor = process.executor().clone();
        let noted = process.inside(async move { executor.note_restored().await }).await;
        hold(Invariant::Runs, matches!(noted, Some(Ok(_))), format!("a restore could not be noted: {noted:?}"))
    }

    /// Sends a copy of the last request that counts straight to the provider, which does not look at its key.
    ///
    /// # Errors
    /// That there is none, or that it was refused.
    pub async fn copy_the_last_shot(&self) -> Played {
        let (method, path) = self.cell.routes().shot;
        let when = When::on(method, path);
        let seen = self.proxy.seen().into_iter().rev().find(|seen| when.matches(&seen.method, &seen.target));
        let Some(seen) = seen else { return Err(Violation::new(Invariant::Reached, "no request was seen")) };
        self.server.injections().add(when, Kind::KeyIgnored);
        let mut copy =
            Call::new(&seen.method, &format!("{}{}", self.server.url(), seen.target)).body(seen.body.clone());
        for (name, value) in seen.headers.iter().filter(|(name, _)| !OF_THE_WIRE.contains(&name.as_str())) {
            copy = copy.header(name, value);
        }
        let reply = copy.send().await.map_err(|error| set_up(error.to_string()))?;
        let accepted = (200..300).contains(&reply.status);
        hold(Invariant::Runs, accepted, format!("the copy was answered {}", reply.status))
    }

    /// What was said before the ledger forgot counts no more.
    pub fn forget_what_was_said(&self) {
        lock(&self.said).clear();
    }

    /// The ledger is gone for good; what was in it can't be asked for.
    pub fn forget_the_intents(&self) {
        lock(&self.said).clear();
        lock(&self.intents).clear();
    }

    /// The same intent with what it is about now.
    pub fn replace(&self, intent: &Intent) {
        for known in lock(&self.intents).iter_mut().filter(|known| known.key == intent.key) {
            known.sample = intent.sample.clone();
        }
    }
}

/// Headers that a client of the wire sets itself.
const OF_THE_WIRE: [&str; 4] = ["host", "content-length", "connection", "transfer-encoding"];

/// An operation in one line.
pub async fn story_of(run: &Run, intent: &Intent) -> String {
    match run.state(intent).await {
        Ok(Some(state)) => story(&state),
        Ok(None) => "the ledger has nothing of it".to_owned(),
        Err(violation) => violation.to_string(),
    }
}
