//! A worker of a run, started by it.

use std::io::Write;
use std::process::ExitCode;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    match hapax_histories::worker::work().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // The run shows what a worker says when it breaks.
            let _ = writeln!(std::io::stderr().lock(), "the worker ends: {why}");
            ExitCode::FAILURE
        }
    }
}
