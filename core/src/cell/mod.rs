//! What an adapter author writes: an [`Integration`] and, per operation, a [`Cell`].

mod arguments;
mod connection;
mod context;
mod erased;
mod integration;
mod shot;
mod wire;

use std::future::{Future, ready};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::capability::{CellSpec, Kind};
use crate::money::Money;
use crate::words::{Answer, Fault, Finding, Refusal};

pub use connection::{Connection, ConnectionError, Credentials};
pub use context::{Context, Page};
pub use erased::{ErasedCell, SharedCell, erase};
pub use integration::{CredentialField, Integration, SharedIntegration};
pub use shot::Shot;
pub use wire::Wire;

/// One (integration × operation) pair on the provider's side.
///
/// Three verbs, each with one job: `prepare` takes harmless steps, `attempt` takes the one shot,
/// `find` only reads. Timing, settle, claims and the comparison of echoes are the core's; an
/// adapter never waits, never sends twice, and never judges what an absence is worth.
pub trait Cell: Send + Sync + 'static {
    /// What the provider promises, with sources.
    const SPEC: &'static CellSpec;
    /// What the caller says.
    type Args: CellArgs;
    /// What a success gives back.
    type Receipt: CellReceipt;

    /// The next harmless step, or [`Step::Ready`]. Called again after each note is journaled. Keys
    /// of these steps come from `cx.names().harmless_token(step)`.
    fn prepare(
        &self,
        cx: &Context,
        args: &Self::Args,
    ) -> impl Future<Output = Result<Step<Self::Receipt>, Fault>> + Send {
        let _ = (cx, args);
        ready(Ok(Step::Ready))
    }

    /// The one request that counts. Sending uses up the shot: a second send does not compile.
    fn attempt(&self, shot: Shot<'_>, args: &Self::Args) -> impl Future<Output = Answer<Self::Receipt>> + Send;

    /// Looks whether it happened. Reads only. An error is [`Finding::CannotTell`]; whether an
    /// absence may be believed is the core's business. A cell that has a handle and a query by mark
    /// also looks by mark, unless the noted handle is spent: a restored ledger may have forgotten
    /// another one.
    fn find(
        &self,
        cx: &Context,
        args: &Self::Args,
    ) -> impl Future<Output = Result<Finding<Self::Receipt>, Fault>> + Send {
        let _ = (cx, args);
        ready(Ok(Finding::CannotTell("nothing can be asked".to_owned())))
    }

    /// Reads one record by the provider's id, to check what a person or a witness says. `None`: the
    /// provider has no such record. Where anybody's doing satisfies, the record is the one that the
    /// arguments' echo names first, and looking is reading.
    ///
    /// A record that does not show a success is an error here, so that nobody closes an operation by it.
    fn fetch(
        &self,
        cx: &Context,
        args: &Self::Args,
        id: &str,
    ) -> impl Future<Output = Result<Option<Self::Receipt>, Fault>> + Send {
        async move {
            if Self::SPEC.kind == Kind::DoOnce {
                return Err(Fault::Unread("records can't be read by id here".to_owned()));
            }
            match args.echo().first() {
                Some((_, named)) if named == id => {}
                Some((name, _)) => return Err(Fault::Echo((*name).to_owned())),
                None => return Err(Fault::Unread("the arguments name no record".to_owned())),
            }
            match self.find(cx, args).await? {
                Finding::Happened(receipt) => Ok(Some(receipt)),
                _ => Err(Fault::Unread(format!("{id} can't be seen to be as it should be"))),
            }
        }
    }

    /// Reads again the record that is on record as the success, for its fate: also where it has come to nothing
    /// since, which [`Cell::fetch`] may call no success.
    fn follow(
        &self,
        cx: &Context,
        args: &Self::Args,
        id: &str,
    ) -> impl Future<Output = Result<Option<Self::Receipt>, Fault>> + Send {
        self.fetch(cx, args, id)
    }
}

/// A step of `prepare`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<R> {
    /// Nothing more to prepare.
    Ready,
    /// A handle or precondition to journal under this name, before anything relies on it.
    Note(&'static str, String),
    /// The provider refuses already here: no effect.
    Refused(Refusal),
    /// It turns out that it has happened.
    Happened(R),
}

/// Pairs by which arguments and receipts are compared: amount, currency, target.
pub type Echo = Vec<(&'static str, String)>;

/// What the caller says, checked before anything is journaled.
pub trait CellArgs: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Fields that may differ between calls of the same intent; the first ones are kept.
    const VOLATILE: &'static [&'static str] = &[];

    /// Checks what the schema can't say.
    ///
    /// # Errors
    /// A sentence that names the field and says what to do.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// What a receipt must repeat.
    fn echo(&self) -> Echo {
        Vec::new()
    }

    /// The money at stake, for policies by amount.
    fn money(&self) -> Option<Money> {
        None
    }
}

/// What a success gives back.
pub trait CellReceipt: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The provider's id, claimed by one operation only. Empty: the provider gives none.
    fn id(&self) -> &str;

    /// What it repeats of the intent. Names that the arguments' echo lacks are not compared.
    fn echo(&self) -> Echo {
        Vec::new()
    }

    /// What has become of it so far, and whether that is a failure.
    fn fate(&self) -> Option<(String, bool)> {
        None
    }
}
