//! `hapax stand-in serve`: a small provider on this machine.

use std::sync::Arc;

use hapax_catalog::{StandInError, start_stand_in};
use hapax_core::clock::{Clock, ScaledClock};
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::suggest::did_you_mean;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Serve one on 127.0.0.1 until stopped; its state is in memory
    Serve {
        /// Which
        #[arg(default_value = "stripe")]
        integration: String,
        /// Port; 0 takes a free one
        #[arg(long, default_value_t = 4242)]
        port: u16,
        /// How much faster time passes: as `scale` under `[clock]` in hapax.toml
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        scale: u32,
    },
}

pub(crate) async fn run(command: &Command, context: &Context) -> Result<Exit, Failure> {
    let Command::Serve { integration, port, scale } = command;
    let clock = ScaledClock::new(*scale);
    let server = start_stand_in(integration, *port, Arc::new(move || clock.now().wall_ms))
        .await
        .map_err(|error| failure(&error))?;
    let output = &context.output;
    output.line(format!("a stand-in for {integration} listens at {}; stop it with Ctrl-C", server.url()));
    output.pair("in toml", format!("base_url = \"{}\"\nstand_in = true", server.url()));
    output.pair("effects", format!("curl {}/_standin/effects", server.url()));
    output.answer(Exit::Succeeded, &json!({ "integration": integration, "url": server.url() }));
    tokio::signal::ctrl_c().await.map_err(|error| Failure::internal(format!("no signals here ({error})")))?;
    Ok(Exit::Succeeded)
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
