//! The bench's own processes, spoken to as the bench does.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A process that answers in lines. It ends when its input does.
pub(crate) struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Talk {
    pub(crate) fn start(arguments: &[&str], environment: &[(&str, String)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hapax-bench"));
        command.args(arguments).envs(environment.iter().map(|(name, value)| (name, value)));
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("the program is built");
        let output = BufReader::new(child.stdout.take().expect("it has an output"));
        Self { input: child.stdin.take(), output, child }
    }

    pub(crate) fn hear<T: DeserializeOwned>(&mut self) -> T {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it speaks");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    pub(crate) fn ask<T: DeserializeOwned>(&mut self, command: &impl Serialize) -> T {
        let input = self.input.as_mut().expect("it listens");
        let line = serde_json::to_string(command).expect("it is JSON");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("it listens");
        self.hear()
    }

    /// Ends its input, and waits for it to end.
    pub(crate) fn end(mut self) {
        self.input = None;
        let ended = self.child.wait().expect("it ends");
        assert!(ended.success(), "{ended}");
    }
}
