//! `hapax show`: one operation, its story, and what a person needs to decide.

use hapax_core::identity::OperationKey;
use hapax_core::ledger::OperationId;

use super::operation;
use crate::exit::{Exit, Failure};
use crate::open::{Context, Opened};
use crate::report;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its id
    #[arg(value_name = "OP", required_unless_present = "key")]
    operation: Option<String>,
    /// Your key instead of the id
    #[arg(long, conflicts_with = "operation")]
    key: Option<String>,
    /// Only on this connection
    #[arg(long, requires = "key")]
    connection: Option<String>,
    /// Only of this cell
    #[arg(long, requires = "key")]
    cell: Option<String>,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let opened = context.open().await?;
    let id = match (&args.operation, &args.key) {
        (Some(text), _) => operation(text)?,
        (None, key) => by_key(args, key.as_deref().unwrap_or_default(), &opened).await?,
    };
    let view = opened.executor.show(id).await?;
    report::view(&context.output, &view, opened.config.scale);
    context.output.answer(Exit::Succeeded, &view);
    Ok(Exit::Succeeded)
}

/// Keys are unique per connection and cell, so all that are configured are asked.
async fn by_key(args: &Args, key: &str, opened: &Opened) -> Result<OperationId, Failure> {
    let key = OperationKey::new(key)?;
    let mut found = Vec::new();
    for connection in &opened.config.connections {
        let cells = opened.config.known.integration(&connection.integration).map(|one| one.cells()).unwrap_or_default();
        for cell in cells.iter().map(|cell| cell.spec().id) {
            let wanted = args.connection.as_ref().is_none_or(|name| *name == connection.name)
                && args.cell.as_ref().is_none_or(|id| id == cell);
            if wanted && let Some(id) = opened.executor.operation_of(&connection.name, cell, &key).await? {
                found.push((id, format!("{id} ({cell} on {})", connection.name)));
            }
        }
    }
    match found.as_slice() {
        [(id, _)] => Ok(*id),
        [] => Err(Failure::input(
            "unknown-operation",
            format!("nothing was changed: the ledger has no operation with the key {key}"),
        )),
        many => {
            let ids: Vec<&str> = many.iter().map(|(_, words)| words.as_str()).collect();
            Err(Failure::input(
                "which-operation",
                format!("nothing was changed: several operations have this key: {}", ids.join(", ")),
            ))
        }
    }
}
