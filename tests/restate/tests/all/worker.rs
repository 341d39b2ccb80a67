//! Worker processes: each on the same address, so that Restate finds the next one where the last one was.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::net::TcpSocket;
use tokio::process::{Child, ChildStdout, Command};

use super::within_a_minute;

/// An address of 127.0.0.1 that stays ours between two workers: a socket is bound to it and never listens.
pub(crate) struct Address {
    at: SocketAddr,
    _keeper: TcpSocket,
}

impl Address {
    pub(crate) fn free() -> Self {
        let keeper = TcpSocket::new_v4().expect("a socket");
        keeper.set_reuseaddr(true).expect("an option");
        keeper.bind(([127, 0, 0, 1], 0).into()).expect("a port");
        Self { at: keeper.local_addr().expect("an address"), _keeper: keeper }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.at)
    }
}

/// What all workers of one test are started with.
pub(crate) struct Setting<'a> {
    pub(crate) address: &'a Address,
    pub(crate) folder: &'a Path,
    pub(crate) integration: &'a str,
    pub(crate) provider: &'a str,
    pub(crate) scale: u32,
}

/// A worker at work. It is killed when it is dropped, and ends by itself when this process does.
pub(crate) struct Worker {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Worker {
    /// Starts one that stops for good at a point, or at none.
    pub(crate) async fn start(setting: &Setting<'_>, pause: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hapax-restate"));
        command
            .env("HAPAX_TEST_INTEGRATION", setting.integration)
            .env("HAPAX_TEST_LEDGER", setting.folder.join("ledger"))
            .env("HAPAX_TEST_LISTEN", setting.address.at.to_string())
            .env("HAPAX_TEST_PAUSE_AT", pause.unwrap_or_default())
            .env("HAPAX_TEST_PROVIDER", setting.provider)
            .env("HAPAX_TEST_SCALE", setting.scale.to_string())
            .env("HAPAX_TEST_SECRET", setting.folder.join("secret"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut worker = Self { child, lines };
        worker.says("listening").await;
        worker
    }

    /// Waits until it says something that has this member.
    pub(crate) async fn says(&mut self, member: &str) -> Value {
        let saying = async {
            loop {
                let line = self.lines.next_line().await.expect("a pipe").expect("the worker ended");
                let said: Value = serde_json::from_str(&line).unwrap_or_default();
                if !said[member].is_null() {
                    return said;
                }
            }
        };
        within_a_minute(member, saying).await
    }

    /// SIGKILL, to this process alone.
    pub(crate) async fn kill(mut self) {
        self.child.start_kill().expect("SIGKILL");
        self.child.wait().await.expect("reaped");
    }
}
