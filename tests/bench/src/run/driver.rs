use std::ffi::OsString;
use std::process::Stdio;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::client;
use crate::drive::{self, Ready};
use crate::load::{Load, Measured};
use crate::provider::{COUNTS, Counts, Listening, TAKES};

/// A process that answers in lines. It ends when it is dropped.
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
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
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

    /// Lets it end by itself: its input ends.
    pub(crate) async fn end(self) -> Result<(), String> {
        let Self { mut child, input, name, .. } = self;
        drop(input);
        let ended = child.wait().await.map_err(|error| format!("{name}: {error}"))?;
        if ended.success() { Ok(()) } else { Err(format!("{name} ended with {ended}")) }
    }
}

/// A driver at work.
pub(crate) struct Driver(Talker);

impl Driver {
    pub(crate) async fn start(name: &str, command: Command) -> Result<Self, String> {
        let mut talker = Talker::start(name, command)?;
        talker.hear::<Ready>().await?;
        Ok(Self(talker))
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    pub(crate) async fn load(&mut self, load: Load) -> Result<Measured, String> {
        self.0.ask(&drive::Command::Load(load)).await
    }

    pub(crate) async fn end(self) -> Result<(), String> {
        self.0.end().await
    }
}

/// This program with other arguments.
pub(crate) fn ourselves(arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Command, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(arguments.into_iter().map(Into::into));
    Ok(command)
}

/// The provider at work, in a process of its own.
pub(crate) struct Provider {
    pub(crate) url: String,
    client: reqwest::Client,
    _process: Talker,
}

impl Provider {
    pub(crate) async fn start() -> Result<Self, String> {
        let mut process = Talker::start("provider", ourselves(["provider"])?)?;
        let Listening { url } = process.hear().await?;
        let client = client::plain()?;
        Ok(Self { url, client, _process: process })
    }

    pub(crate) async fn counts(&self) -> Result<Counts, String> {
        self.get(COUNTS).await
    }

    /// How long it takes for an answer from now on.
    pub(crate) async fn takes(&self, ms: u64) -> Result<Counts, String> {
        self.get(&format!("{TAKES}{ms}")).await
    }

    async fn get(&self, path: &str) -> Result<Counts, String> {
        #[allow(clippy::disallowed_methods)] // The bench's own provider is asked what it counted; no effect.
        let answer = self.client.get(format!("{}{path}", self.url)).send().await;
        let broken = |error: reqwest::Error| format!("the provider: {error}");
        let body = answer.map_err(broken)?.bytes().await.map_err(broken)?;
        serde_json::from_slice(&body).map_err(|error| format!("the provider: {error}"))
    }
}
