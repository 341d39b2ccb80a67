//! `hapax recover`: takes up what is due.

use std::time::Duration;

use hapax_core::executor::RecoverReport;
use hapax_core::ledger::{Filter, Phase};

use super::wait_ms;
use crate::exit::{Exit, Failure};
use crate::open::{Context, Opened};
use crate::output::Output;
use crate::progress::Progress;
use crate::report;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Go on until stopped, taking up what becomes due
    #[arg(long)]
    watch: bool,
    /// How long to work on each operation
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    wait: u64,
    /// How many operations to take up at most
    #[arg(long, default_value_t = 1000)]
    limit: u32,
}

/// How often `--watch` looks for work that has become due.
const PAUSE: Duration = Duration::from_millis(500);

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let opened = context.open().await?;
    opened.warn(&context.output);
    if args.watch {
        return watch(args, context, &opened).await;
    }
    let progress = Progress::start(&context.output, "taking up what is due");
    let report = opened.executor.recover(args.limit, wait_ms(args.wait)).await?;
    drop(progress);
    print(&context.output, &report);
    if report.operations.is_empty() && report.unserved.is_empty() {
        context.output.line(not_due(&opened).await?);
    }
    context.output.answer(Exit::Succeeded, &report);
    Ok(Exit::Succeeded)
}

/// Why there was nothing to do.
async fn not_due(opened: &Opened) -> Result<String, Failure> {
    let open = Filter { phases: vec![Phase::Open], ..Filter::default() };
    Ok(match opened.executor.ledger().list(&open).await?.len() {
        0 => "nothing is due, and nothing is under way".to_owned(),
        some => format!("nothing is due yet; {some} under way, held by a worker or waiting (`hapax ls --phase open`)"),
    })
}

/// Works until the process is told to stop. Each round that did something is a line.
async fn watch(args: &Args, context: &Context, opened: &Opened) -> Result<Exit, Failure> {
    context.output.line("watching for work that is due; stop with Ctrl-C");
    loop {
        tokio::select! {
            stopped = tokio::signal::ctrl_c() => {
                stopped.map_err(|error| Failure::internal(format!("nothing was sent: no signals here ({error})")))?;
                return Ok(Exit::Succeeded);
            }
            report = opened.executor.recover(args.limit, wait_ms(args.wait)) => {
                let report = report?;
                if !report.operations.is_empty() || !report.unserved.is_empty() {
                    print(&context.output, &report);
                    context.output.answer(Exit::Succeeded, &report);
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn print(output: &Output, report: &RecoverReport) {
    for one in &report.operations {
        output.line(report::brief(one));
    }
    for one in &report.unserved {
        output.line(format!("{one}  given to a person: no connection here serves it"));
    }
}
