//! `hapax ls`: operations, newest first.

use hapax_core::executor::OperationView;
use hapax_core::ledger::{Filter, Phase};
use hapax_core::words::Outcome;
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::output::Style;
use crate::suggest::did_you_mean;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only what waits for a person: to decide, or to approve
    #[arg(long, conflicts_with = "phase")]
    inbox: bool,
    /// Only in this phase: held, open, person, succeeded, refused
    #[arg(long)]
    phase: Option<String>,
    /// Only of this cell
    #[arg(long)]
    cell: Option<String>,
    /// Only on this connection
    #[arg(long)]
    connection: Option<String>,
    /// At most so many; 0 for all
    #[arg(long, default_value_t = 50)]
    limit: u32,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let filter = Filter {
        phases: args.phases()?,
        cell: args.cell.clone(),
        connection: args.connection.clone(),
        limit: args.limit,
    };
    let opened = context.open().await?;
    let views = opened.executor.list(&filter).await?;
    let output = &context.output;
    for view in &views {
        let style = match view.phase {
            Phase::Succeeded => Style::Good,
            Phase::Refused => Style::Dim,
            Phase::Held | Phase::Open | Phase::Person => Style::Careful,
        };
        let phase = output.style(style, &format!("{:<9}", view.phase.word()));
        output.line(format!("{}  {phase}  {:<16} {}  {}", view.operation, view.cell, view.key, tail(view)));
    }
    if views.is_empty() {
        output.line(if args.inbox { "the inbox is empty" } else { "no operations" });
    }
    output.answer(Exit::Succeeded, &json!({ "operations": views }));
    Ok(Exit::Succeeded)
}

impl Args {
    fn phases(&self) -> Result<Vec<Phase>, Failure> {
        match &self.phase {
            _ if self.inbox => Ok(vec![Phase::Person, Phase::Held]),
            None => Ok(Vec::new()),
            Some(word) => {
                Phase::ALL.into_iter().find(|phase| phase.word() == word).map(|phase| vec![phase]).ok_or_else(|| {
                    let words = Phase::ALL.map(Phase::word);
                    let near = did_you_mean(word, words);
                    let message = format!(
                        "nothing was changed: there is no phase {word:?}; there are: {}{near}",
                        words.join(", ")
                    );
                    Failure::input("unknown-phase", message)
                })
            }
        }
    }
}

/// The provider's id, or why there is none.
fn tail(view: &OperationView) -> String {
    match &view.outcome {
        Outcome::Succeeded { receipt } => receipt["id"].as_str().unwrap_or_default().to_owned(),
        Outcome::Refused { reason } => reason.code.clone(),
        Outcome::Unknown { why, .. } => why.clone(),
    }
}
