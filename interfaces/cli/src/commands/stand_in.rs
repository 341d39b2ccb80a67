//! `hapax stand-in serve`: a small provider on this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hapax_catalog::{StandInError, start_stand_in};
use hapax_core::clock::{Clock, ScaledClock};
use hapax_standin::{Server, World};
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::known;
use crate::open::Context;
use crate::suggest::did_you_mean;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Serve one on 127.0.0.1 until stopped; its state is in memory
    Serve {
        /// Which
        #[arg(default_value = "stripe")]
        integration: String,
        /// One made from this declaration of cells of your own, instead of the catalog's
        #[arg(long, value_name = "FILE", conflicts_with = "integration")]
        declaration: Option<PathBuf>,
        /// Port; 0 takes a free one
        #[arg(long, default_value_t = 4242)]
        port: u16,
        /// How much faster time passes: as `scale` under `[clock]` in hapax.toml
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        scale: u32,
    },
}

pub(crate) async fn run(command: &Command, context: &Context) -> Result<Exit, Failure> {
    let Command::Serve { integration, declaration, port, scale } = command;
    let clock = ScaledClock::new(*scale);
    let clock: hapax_standin::Clock = Arc::new(move || clock.now().wall_ms);
    let (integration, server) = match declaration {
        Some(file) => declared(file, *port, clock).await?,
        None => {
            let server = start_stand_in(integration, *port, clock).await.map_err(|error| failure(&error))?;
            (integration.clone(), server)
        }
    };
    let output = &context.output;
    output.line(format!("a stand-in for {integration} listens at {}; stop it with Ctrl-C", server.url()));
    output.pair("in toml", format!("base_url = \"{}\"\nstand_in = true", server.url()));
    output.pair("effects", format!("curl {}/_standin/effects", server.url()));
    output.answer(Exit::Succeeded, &json!({ "integration": integration, "url": server.url() }));
    tokio::signal::ctrl_c().await.map_err(|error| Failure::internal(format!("no signals here ({error})")))?;
    Ok(Exit::Succeeded)
}

/// A provider made from a declaration, with its name.
async fn declared(file: &Path, port: u16, clock: hapax_standin::Clock) -> Result<(String, Server), Failure> {
    let declared = known::read(file)?;
    let stand_in = hapax_http::standin::StandIn::new(&declared, World::with_clock(1, clock))
        .map_err(|problem| Failure::input("bad-declaration", problem.to_string()))?;
    let server = stand_in.serve(port).await.map_err(|error| failure(&StandInError::Port(port, error)))?;
    Ok((declared.integration().name().to_owned(), server))
}

fn failure(error: &StandInError) -> Failure {
    match error {
        StandInError::Unknown { integration, known } => {
            let near = did_you_mean(integration, known.iter().copied());
            Failure::input("unknown-stand-in", format!("nothing was started: {error}{near}"))
        }
        StandInError::Port(..) => {
            Failure::input("port-taken", format!("nothing was started: {error}; choose another with --port"))
        }
    }
}
