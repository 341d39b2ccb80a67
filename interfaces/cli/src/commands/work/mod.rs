//! `hapax work`: takes up what is due, until it is told to stop. Any number of workers on any host.

mod away;
mod counts;
mod rests;
mod retaining;
mod tally;
mod tell;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use hapax_core::ledger::{Filter, OperationId, Phase};

use super::carry::grace;
use super::stop::Stop;
use crate::exit::{Exit, Failure};
use crate::open::{Context, Opened};
use crate::time;

use tally::Tallies;
use tell::{LeftOut, Teller};
use worker::Worker;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many operations to work on at once, from 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    concurrency: u16,
    /// How long to sleep at most before asking the ledger again: 10ms to 1h, as 500ms, 5s, 1m
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = poll)]
    poll: Duration,
    /// How long what is under way may go on when the worker is told to stop: at most 24h
    #[arg(long, value_name = "TIME", default_value = "25s", value_parser = grace)]
    grace: Duration,
    /// End when nothing is due any more
    #[arg(long)]
    until_idle: bool,
}

pub(crate) async fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let mut stop = Stop::listen()?;
    let tallies = Arc::new(Tallies::default());
    let opened = tokio::select! {
        biased;
        () = stop.told(1) => return Ok(Exit::Succeeded),
        opened = context.open_around(|ledger| tallies.around(ledger)) => opened?,
    };
    // A worker that can serve nothing would look healthy for ever.
    if let (None, Some((_, failure))) = (opened.executor.connections().next(), opened.left_out.first()) {
        return Err(failure.clone());
    }
    let teller = Teller::new(context.output);
    let names = opened.executor.connections().map(|connection| connection.name.clone()).collect();
    teller.started(args, names, &left_out(&opened).await?);
    Worker::new(args, &opened, tallies, teller).run(&mut stop).await
}

/// Connections that can't be used here, with what is under way on them.
async fn left_out(opened: &Opened) -> Result<Vec<LeftOut>, Failure> {
    let mut all = Vec::new();
    for (connection, failure) in &opened.left_out {
        let filter = Filter {
            phases: vec![Phase::Open],
            connection: Some(connection.clone()),
            limit: 1_000,
            ..Filter::default()
        };
        let operations: Vec<OperationId> = opened.executor.ledger().list(&filter).await?;
        all.push(LeftOut { connection: connection.clone(), failure: failure.clone(), operations });
    }
    Ok(all)
}

fn poll(text: &str) -> Result<Duration, String> {
    time::span(text, Duration::from_millis(10), Duration::from_secs(3_600))
}
