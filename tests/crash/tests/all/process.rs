//! Processes that run, are killed, and answer.

use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It reached the point and was killed there.
    Killed,
    /// It ended by itself before.
    ByItself,
}

/// Runs until the n-th reach of the point, then kills.
pub(crate) async fn kill_at(mut command: Command, point: &str, nth: u32) -> Ended {
    let mut child = command.env("HAPAX_TEST_PAUSE_AT", format!("{point}:{nth}")).spawn().expect("spawned");
    let stderr = child.stderr.take().expect("stderr");
    let mut lines = BufReader::new(stderr).lines();
    let paused = async {
        while let Ok(Some(line)) = lines.next_line().await {
            if line.starts_with("paused ") {
                return;
            }
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = paused => {
            kill(&mut child).await;
            Ended::Killed
        }
        status = child.wait() => {
            status.expect("waited");
            Ended::ByItself
        },
    }
}

/// Runs for so long, then kills, if it is still running.
pub(crate) async fn kill_after(mut command: Command, pause: Duration) -> Ended {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("spawned");
    tokio::select! {
        _ = child.wait() => Ended::ByItself,
        () = tokio::time::sleep(pause) => {
            kill(&mut child).await;
            Ended::Killed
        }
    }
}

async fn kill(child: &mut Child) {
    child.start_kill().expect("SIGKILL");
    child.wait().await.expect("reaped");
}

/// Runs to its end.
pub(crate) async fn finish(mut command: Command) -> Output {
    let output = command.output();
    tokio::time::timeout(Duration::from_secs(60), output).await.expect("no process hangs").expect("ran")
}

pub(crate) fn answer(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("no JSON ({error}): {text}"))
}
