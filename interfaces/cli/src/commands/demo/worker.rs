//! Workers: this very program as a child process.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use hapax_core::executor::{OperationView, RunReport};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::stage::Stage;
use crate::exit::Failure;

/// How long any worker may take before the demo gives up, in real time.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs an intent and waits for what it came to.
pub(super) async fn run(stage: &Stage, cell: &str, key: &str, args: &Value) -> Result<RunReport, Failure> {
    answer(stage, &["run", cell, "--key", key, "--args", &args.to_string(), "--wait", "600"]).await
}

/// Shows the operation with this key.
pub(super) async fn show(stage: &Stage, key: &str) -> Result<OperationView, Failure> {
    answer(stage, &["show", "--key", key]).await
}

/// Runs an intent in a worker that is killed when its request has been answered and before it has
/// written anything down about that.
pub(super) async fn run_and_kill(stage: &Stage, cell: &str, key: &str, args: &Value) -> Result<(), Failure> {
    let mut command = command(stage, &["run", cell, "--key", key, "--args", &args.to_string()])?;
    let mut child = command
        .env("HAPAX_TEST_PAUSE_AT", "after-send:1")
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error.to_string()))?;
    let stderr = child.stderr.take().ok_or_else(|| failed("it has no stderr"))?;
    let mut lines = BufReader::new(stderr).lines();
    let paused = async {
        while let Ok(Some(line)) = lines.next_line().await {
            if line.starts_with("paused ") {
                return true;
            }
        }
        false
    };
    let reached = tokio::time::timeout(PATIENCE, paused).await.unwrap_or(false);
    // SIGKILL: nothing of the worker gets a chance to tidy up.
    child.kill().await.map_err(|error| failed(&error.to_string()))?;
    if reached { Ok(()) } else { Err(failed("it never sent its request")) }
}

/// Takes up what the killed worker left, as soon as its lease is over.
pub(super) async fn recover(stage: &Stage, key: &str) -> Result<OperationView, Failure> {
    let recovering = async {
        loop {
            let _: Value = answer(stage, &["recover"]).await?;
            let view = show(stage, key).await?;
            if view.phase.is_final() {
                return Ok(view);
            }
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
    };
    tokio::time::timeout(PATIENCE, recovering).await.map_err(|_| failed("the killed operation was not taken up"))?
}

/// Runs a command and reads its answer.
async fn answer<T: DeserializeOwned>(stage: &Stage, args: &[&str]) -> Result<T, Failure> {
    let ended = tokio::time::timeout(PATIENCE, command(stage, args)?.output())
        .await
        .map_err(|_| failed("it took too long"))?
        .map_err(|error| failed(&error.to_string()))?;
    serde_json::from_slice(&ended.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&ended.stdout).trim().to_owned();
        failed(&format!("`hapax {}` said {said}", args.first().unwrap_or(&"")))
    })
}

/// A worker of this demo: nothing of the user's environment reaches it.
fn command(stage: &Stage, args: &[&str]) -> Result<Command, Failure> {
    let mut command = Command::new(this_program()?);
    for variable in ["HAPAX_CONFIG", "HAPAX_NAMESPACE_SECRET", "HAPAX_TEST_PAUSE_AT", "HAPAX_LOG"] {
        command.env_remove(variable);
    }
    command.current_dir(stage.folder()).arg("--json").arg("--config").arg(stage.config()).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    Ok(command)
}

/// This very program, also if its file was replaced by a newer one meanwhile.
fn this_program() -> Result<PathBuf, Failure> {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() {
        return Ok(running);
    }
    std::env::current_exe().map_err(|error| failed(&error.to_string()))
}

fn failed(why: &str) -> Failure {
    Failure::internal(format!("a worker of the demo failed: {why}; please report this"))
}
