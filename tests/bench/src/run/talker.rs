use std::ffi::OsString;
use std::process::Stdio;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::drive::{self, Fill, Found, Ready};
use crate::load::{Load, Measured};

/// A process that answers in lines. When it is dropped its input ends, and it ends by itself.
pub(crate) struct Talker {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    name: String,
}

impl Talker {
    /// Starts it; what it has to complain about goes to our own standard error.
    pub(crate) fn start(name: &str, mut command: Command) -> Result<Self, String> {
        let broken = |why: String| format!("{name}: {why}");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| broken(error.to_string()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| broken("it has no pipes".to_owned()))?;
        Ok(Self { child, input, output: BufReader::new(output).lines(), name: name.to_owned() })
    }

    /// The next line that is JSON; libraries of peers may print others.
    pub(crate) async fn hear<T: DeserializeOwned>(&mut self) -> Result<T, String> {
        loop {
            let line = self.output.next_line().await.map_err(|error| format!("{}: {error}", self.name))?;
            let line = line.ok_or_else(|| format!("{} ended", self.name))?;
            if line.starts_with('{') {
                return serde_json::from_str(&line).map_err(|error| format!("{}: {line}: {error}", self.name));
            }
        }
    }

    pub(crate) async fn ask<T: DeserializeOwned>(&mut self, command: &impl Serialize) -> Result<T, String> {
        let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", self.name);
        let mut line = serde_json::to_vec(command).map_err(|error| broken(&error))?;
        line.push(b'\n');
        self.input.write_all(&line).await.map_err(|error| broken(&error))?;
        self.input.flush().await.map_err(|error| broken(&error))?;
        self.hear().await
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Lets it end by itself, as it does when its input ends.
    pub(crate) async fn end(self) -> Result<(), String> {
        let Self { mut child, input, name, .. } = self;
        drop(input);
        let ended = child.wait().await.map_err(|error| format!("{name}: {error}"))?;
        if ended.success() { Ok(()) } else { Err(format!("{name} ended with {ended}")) }
    }
}

impl Talker {
    /// Lets one end of which nobody wants to know how.
    pub(crate) async fn stop(self) {
        let Self { mut child, input, .. } = self;
        drop(input);
        let _ = child.wait().await;
    }
}

/// A driver at work.
pub(crate) struct Driver {
    talker: Talker,
    /// How long it took to open what it keeps operations in.
    pub(crate) opened_us: u64,
}

impl Driver {
    pub(crate) async fn start(name: &str, command: Command) -> Result<Self, String> {
        let mut talker = Talker::start(name, command)?;
        let Ready { opened_us, .. } = talker.hear().await?;
        Ok(Self { talker, opened_us })
    }

    pub(crate) fn id(&self) -> u32 {
        self.talker.id()
    }

    pub(crate) async fn load(&mut self, load: Load) -> Result<Measured, String> {
        self.talker.ask(&drive::Command::Load(load)).await
    }

    pub(crate) async fn fill(&mut self, fill: Fill) -> Result<Found, String> {
        self.talker.ask(&drive::Command::Fill(fill)).await
    }

    pub(crate) async fn due(&mut self) -> Result<Found, String> {
        self.talker.ask(&drive::Command::Due).await
    }

    pub(crate) async fn end(self) -> Result<(), String> {
        self.talker.end().await
    }
}

/// This program with other arguments.
pub(crate) fn ourselves(arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Command, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(arguments.into_iter().map(Into::into));
    Ok(command)
}
