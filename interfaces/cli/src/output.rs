//! The one place that writes to the terminal.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use serde::Serialize;
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};

/// Version of the JSON shapes; raised when one of them changes incompatibly.
pub(crate) const FORMAT: u32 = 1;

/// How this command talks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
    command: &'static str,
    color: bool,
    terminal: bool,
}

/// How a piece of text looks on a terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    Bold,
    Dim,
    Good,
    Bad,
    Careful,
}

impl Output {
    pub(crate) fn new(command: &'static str, json: bool) -> Self {
        let terminal = std::io::stdout().is_terminal();
        // https://no-color.org: any value but the empty one.
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { json, command, color: terminal && !refused && !json, terminal: terminal && !json }
    }

    /// Whether a person watches: pauses and progress make sense.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// A line for people.
    pub(crate) fn line(&self, text: impl Display) {
        if !self.json {
            write_line(std::io::stdout().lock(), &text.to_string());
        }
    }

    /// A name and what it is, aligned.
    pub(crate) fn pair(&self, name: &str, text: impl Display) {
        let text = text.to_string();
        for (number, line) in text.lines().enumerate() {
            let name = if number == 0 { name } else { "" };
            self.line(format!("  {}{line}", self.style(Style::Dim, &format!("{name:<14} "))));
        }
    }

    /// A line on stderr, also under `--json`: progress and warnings.
    pub(crate) fn note(&self, text: impl Display) {
        write_line(std::io::stderr().lock(), &text.to_string());
    }

    /// The command's answer for programs: one line.
    pub(crate) fn answer(&self, exit: Exit, value: &impl Serialize) {
        if self.json {
            let value = serde_json::to_value(value).unwrap_or(Value::Null);
            write_line(std::io::stdout().lock(), &self.envelope(exit, value).to_string());
        }
    }

    /// A failure: on stderr for people, on stdout for programs.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            let error = json!({ "error": { "code": failure.code, "message": failure.message } });
            write_line(std::io::stdout().lock(), &self.envelope(failure.exit, error).to_string());
        } else {
            self.note(&failure.message);
        }
    }

    /// The text in a style, if colour is wanted.
    pub(crate) fn style(&self, style: Style, text: &str) -> String {
        if !self.color {
            return text.to_owned();
        }
        let code = match style {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Good => "32",
            Style::Bad => "31",
            Style::Careful => "33",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    fn envelope(&self, exit: Exit, value: Value) -> Value {
        let mut whole = json!({ "format": FORMAT, "command": self.command, "exit": exit as u8 });
        if let (Value::Object(whole), Value::Object(fields)) = (&mut whole, value) {
            whole.extend(fields);
        }
        whole
    }
}

/// Writes one line. A reader who has gone away is no reason to stop: the work is what counts.
fn write_line(mut to: impl Write, text: &str) {
    let _ = writeln!(to, "{text}");
    let _ = to.flush();
}

/// A line on stderr from where no command speaks: the crash suite's probe.
pub(crate) fn stderr_line(text: &str) {
    write_line(std::io::stderr().lock(), text);
}
