//! Runs other programs.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::files::Done;

/// Whether tests can be run by cargo-nextest.
pub(crate) fn has_nextest(root: &Path) -> bool {
    Line::new("cargo nextest --version").is_there(root)
}

/// A command line, with what it needs in its environment.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    words: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Line {
    /// A command line, split at spaces.
    pub(crate) fn new(text: &str) -> Self {
        Self { words: text.split_whitespace().map(str::to_owned).collect(), environment: Vec::new() }
    }

    /// With more words, each as it is.
    pub(crate) fn and(mut self, words: &[String]) -> Self {
        self.words.extend_from_slice(words);
        self
    }

    /// With an environment variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// As somebody would type it.
    pub(crate) fn shown(&self) -> String {
        let quoted = |value: &str| if value.contains(' ') { format!("'{value}'") } else { value.to_owned() };
        let environment = self.environment.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        environment.chain(self.words.iter().cloned()).collect::<Vec<_>>().join(" ")
    }

    /// Runs it with our output and without input.
    pub(crate) fn run(&self, root: &Path) -> Done {
        let status = self.command(root).status().map_err(|error| format!("{}: {error}", self.shown()))?;
        if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", self.shown())) }
    }

    /// Runs it and gives what it printed.
    pub(crate) fn output(&self, root: &Path) -> Done<String> {
        let output =
            self.command(root).stdout(Stdio::piped()).output().map_err(|error| format!("{}: {error}", self.shown()))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("`{}` failed ({}): {why}", self.shown(), output.status));
        }
        String::from_utf8(output.stdout).map_err(|error| format!("{}: {error}", self.shown()))
    }

    /// Whether it can be run at all: for tools that may be absent.
    pub(crate) fn is_there(&self, root: &Path) -> bool {
        let mut command = self.command(root);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    fn command(&self, root: &Path) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or("true", String::as_str));
        command.args(words).current_dir(root).stdin(Stdio::null());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}
