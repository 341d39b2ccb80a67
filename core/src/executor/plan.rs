use serde::{Deserialize, Serialize};

use super::begin::{Checked, RunRequest};
use super::{Executor, ExecutorError};
use crate::capability::{Guarantee, guarantee};
use crate::ledger::{By, OperationId, Phase};

/// What running an intent would do. Making it changes nothing and asks the provider nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// `stripe.charge`.
    pub cell: String,
    /// Name of the connection.
    pub connection: String,
    /// Fingerprint of the checked arguments.
    pub fingerprint: String,
    /// The guarantee on this connection, under this policy.
    pub guarantee: Guarantee,
    /// The same as a sentence.
    pub sentence: String,
    /// The operation that the key names already.
    pub existing: Option<OperationId>,
    /// What would happen, in words.
    pub would: String,
}

impl Executor {
    /// Checks an intent and says what running it would do.
    ///
    /// # Errors
    /// [`ExecutorError`], as [`Executor::run`] would give it.
    pub async fn plan(&self, request: &RunRequest) -> Result<Plan, ExecutorError> {
        let checked = self.inner.check(request)?;
        let Checked { served, intent, hold } = &checked;
        let spec = served.cell.spec();
        let promised = guarantee(spec, &|need| served.connection.is_met(need), self.policy().likely_for(spec));
        let by = By::Key { connection: &request.connection, cell: &request.cell, key: &request.key };
        let existing = super::journal::Journal::load(&self.inner, by).await.map_err(ExecutorError::Ledger)?;
        let would = match &existing {
            None if hold.is_some() => "hold it until somebody approves".to_owned(),
            None => format!("send one request to {}", spec.integration()),
            Some(journal) if let Err(error) = checked.is_same(journal) => format!("refuse it: {}", refused(&error)),
            Some(journal) => match super::journal::phase(&journal.state) {
                Phase::Succeeded => "send nothing: return the stored receipt".to_owned(),
                Phase::Refused => "send nothing: it was refused; supersede it to try again".to_owned(),
                Phase::Held => "send nothing: it is held".to_owned(),
                Phase::Person => "send nothing: it is with a person".to_owned(),
                Phase::Open => "go on with what is under way".to_owned(),
            },
        };
        Ok(Plan {
            cell: spec.id.to_owned(),
            connection: request.connection.clone(),
            fingerprint: intent.fingerprint.to_string(),
            sentence: promised.sentence(),
            guarantee: promised,
            existing: existing.map(|journal| journal.operation),
            would,
        })
    }
}

/// Why a known key is refused, without the words that speak of a request that was made.
fn refused(error: &ExecutorError) -> String {
    match error {
        ExecutorError::KeyReused { .. } => "the key belongs to other arguments".to_owned(),
        ExecutorError::OtherStandIn { was: true, .. } => "the key belongs to what was for a stand-in".to_owned(),
        ExecutorError::OtherStandIn { .. } => "the key belongs to what was not for a stand-in".to_owned(),
        other => other.to_string(),
    }
}
