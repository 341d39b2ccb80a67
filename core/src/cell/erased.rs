use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::arguments;
use super::{Cell, CellArgs, CellReceipt, Context, Echo, Shot, Step};
use crate::capability::CellSpec;
use crate::money::Money;
use crate::protocol::Receipt;
use crate::words::{Answer, Fault, Finding, Refusal};

/// A cell with its types taken off: what the executor, the ledger and the interfaces work on.
/// Implemented for every [`Cell`]; authors write it only for cells whose arguments have no type, because they are
/// declared at run time.
#[async_trait]
pub trait ErasedCell: Send + Sync + 'static {
    /// What the provider promises.
    fn spec(&self) -> &'static CellSpec;

    /// JSON Schema of the arguments.
    fn schema(&self) -> Value;

    /// Arguments in their canonical form, checked.
    ///
    /// # Errors
    /// A sentence that names the field.
    fn check(&self, args: &Value) -> Result<Value, String>;

    /// Fields that may differ between calls of one intent.
    fn volatile(&self) -> &'static [&'static str];

    /// The money at stake.
    fn money(&self, args: &Value) -> Option<Money>;

    /// As [`Cell::prepare`].
    async fn prepare(&self, cx: &Context, args: &Value) -> Result<Step<Receipt>, Fault>;

    /// As [`Cell::attempt`]; a receipt that doesn't echo the intent is [`Fault::Echo`].
    async fn attempt(&self, shot: Shot<'_>, args: &Value) -> Answer<Receipt>;

    /// As [`Cell::find`]; a hit that doesn't echo the intent is [`Fault::Echo`].
    async fn find(&self, cx: &Context, args: &Value) -> Result<Finding<Receipt>, Fault>;

    /// As [`Cell::fetch`]; a record that doesn't echo the intent is [`Fault::Echo`].
    async fn fetch(&self, cx: &Context, args: &Value, id: &str) -> Result<Option<Receipt>, Fault>;

    /// As [`Cell::follow`]; a record that doesn't echo the intent is [`Fault::Echo`].
    async fn follow(&self, cx: &Context, args: &Value, id: &str) -> Result<Option<Receipt>, Fault> {
        self.fetch(cx, args, id).await
    }

    /// What a receipt says of its fate.
    fn fate(&self, receipt: &Receipt) -> Option<(String, bool)>;
}

/// A shared cell.
pub type SharedCell = Arc<dyn ErasedCell>;

/// Takes the types off a cell.
pub fn erase<C: Cell>(cell: C) -> SharedCell {
    Arc::new(cell)
}

fn typed<A: CellArgs>(args: &Value) -> Result<A, Fault> {
    serde_json::from_value(args.clone())
        .map_err(|_| Fault::NotSent("the journaled arguments don't fit this version of the cell".to_owned()))
}

/// Names of the fields in which a receipt contradicts the intent.
fn contradictions(intent: &Echo, receipt: &Echo) -> Vec<&'static str> {
    let differs = |name: &str, value: &str| intent.iter().any(|(known, wanted)| *known == name && wanted != value);
    receipt.iter().filter(|(name, value)| differs(name, value)).map(|(name, _)| *name).collect()
}

fn checked<A: CellArgs, R: CellReceipt>(args: &A, receipt: &R) -> Result<Receipt, Fault> {
    let fields = contradictions(&args.echo(), &receipt.echo());
    if !fields.is_empty() {
        return Err(Fault::Echo(fields.join(", ")));
    }
    let body = serde_json::to_value(receipt).map_err(|_| Fault::Unread("the receipt is no JSON".to_owned()))?;
    Ok(Receipt { id: receipt.id().to_owned(), body: Arc::new(body) })
}

#[async_trait]
impl<C: Cell> ErasedCell for C {
    fn spec(&self) -> &'static CellSpec {
        C::SPEC
    }

    fn schema(&self) -> Value {
        schemars::schema_for!(C::Args).to_value()
    }

    fn check(&self, args: &Value) -> Result<Value, String> {
        let typed: C::Args = arguments::read(args)?;
        typed.check()?;
        serde_json::to_value(&typed).map_err(|error| error.to_string())
    }

    fn volatile(&self) -> &'static [&'static str] {
        C::Args::VOLATILE
    }

    fn money(&self, args: &Value) -> Option<Money> {
        typed::<C::Args>(args).ok().and_then(|args| args.money())
    }

    async fn prepare(&self, cx: &Context, args: &Value) -> Result<Step<Receipt>, Fault> {
        let args = typed::<C::Args>(args)?;
        Ok(match Cell::prepare(self, cx, &args).await? {
            Step::Ready => Step::Ready,
            Step::Note(name, value) => Step::Note(name, value),
            Step::Refused(refusal) => Step::Refused(refusal),
            Step::Happened(receipt) => Step::Happened(checked(&args, &receipt)?),
        })
    }

    async fn attempt(&self, shot: Shot<'_>, args: &Value) -> Answer<Receipt> {
        let args = match typed::<C::Args>(args) {
            Ok(args) => args,
            Err(fault) => return Answer::NotDone(fault.to_string(), None),
        };
        match Cell::attempt(self, shot, &args).await {
            Answer::Happened(receipt) => match checked(&args, &receipt) {
                Ok(receipt) => Answer::Happened(receipt),
                Err(fault) => Answer::Unclear(fault),
            },
            Answer::Refused(refusal, covers) => Answer::Refused(refusal, covers),
            Answer::NotDone(why, after) => Answer::NotDone(why, after),
            Answer::Taken(what, named) => Answer::Taken(what, named),
            Answer::Unclear(fault) => Answer::Unclear(fault),
        }
    }

    async fn find(&self, cx: &Context, args: &Value) -> Result<Finding<Receipt>, Fault> {
        let args = typed::<C::Args>(args)?;
        Ok(match Cell::find(self, cx, &args).await? {
            Finding::Happened(receipt) => Finding::Happened(checked(&args, &receipt)?),
            Finding::Several(receipts) => {
                Finding::Several(receipts.iter().map(|receipt| checked(&args, receipt)).collect::<Result<_, _>>()?)
            }
            Finding::Failed(Refusal { code, message }) => Finding::Failed(Refusal { code, message }),
            Finding::Absent => Finding::Absent,
            Finding::NotYet(why) => Finding::NotYet(why),
            Finding::CannotTell(why) => Finding::CannotTell(why),
        })
    }

    async fn fetch(&self, cx: &Context, args: &Value, id: &str) -> Result<Option<Receipt>, Fault> {
        let args = typed::<C::Args>(args)?;
        Cell::fetch(self, cx, &args, id).await?.map(|receipt| checked(&args, &receipt)).transpose()
    }

    async fn follow(&self, cx: &Context, args: &Value, id: &str) -> Result<Option<Receipt>, Fault> {
        let args = typed::<C::Args>(args)?;
        Cell::follow(self, cx, &args, id).await?.map(|receipt| checked(&args, &receipt)).transpose()
    }

    fn fate(&self, receipt: &Receipt) -> Option<(String, bool)> {
        serde_json::from_value::<C::Receipt>((*receipt.body).clone()).ok().and_then(|receipt| receipt.fate())
    }
}
