//! How the demo talks: short lines, and on a terminal time to read them.

use std::fmt::Display;
use std::time::Duration;

use crate::output::{Output, Style};

/// How long a reader gets for a paragraph. A demo with all of these stays under half a minute.
const PAUSE: Duration = Duration::from_secs(4);

/// Tells the story.
pub(super) struct Teller {
    output: Output,
}

impl Teller {
    pub(super) fn new(output: &Output) -> Self {
        Self { output: *output }
    }

    pub(super) fn opening(&self) {
        self.say("hapax in a minute: an agent arranges a trip. Everything runs on this machine: small copies of");
        self.say("Stripe, Gmail and Amadeus that count what really happens, and in front of them lines that can");
        self.say("break at the worst moment.");
    }

    /// Begins a scene, after a pause.
    pub(super) async fn scene(&self, number: u32, title: &str) {
        self.pause().await;
        self.say("");
        self.say(self.output.style(Style::Bold, &format!("{number}. {title}")));
    }

    /// A line of the story.
    pub(super) fn say(&self, text: impl Display) {
        self.output.line(text);
    }

    /// A name and what it is, in lines that a terminal needn't break.
    pub(super) fn pair(&self, name: &str, text: &str) {
        const WIDTH: usize = 86;
        let mut name = name;
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() && line.len() + word.len() >= WIDTH {
                self.say(format!("     {name:<8} {line}"));
                (name, line) = ("", String::new());
            }
            let space = if line.is_empty() { "" } else { " " };
            line = format!("{line}{space}{word}");
        }
        self.say(format!("     {name:<8} {line}"));
    }

    /// A command as it would be typed.
    pub(super) fn command(&self, text: &str) {
        self.say(format!("   {}", self.output.style(Style::Dim, &format!("$ {text}"))));
    }

    /// Something that went well.
    pub(super) fn good(&self, text: &str) {
        self.say(format!("   {}", self.output.style(Style::Good, text)));
    }

    /// Something that went wrong.
    pub(super) fn bad(&self, text: &str) {
        self.say(format!("   {}", self.output.style(Style::Bad, text)));
    }

    /// Something that isn't known.
    pub(super) fn careful(&self, text: &str) {
        self.say(format!("   {}", self.output.style(Style::Careful, text)));
    }

    /// How often the provider counted it.
    pub(super) fn counted(&self, what: &str, times: usize) {
        let times = match times {
            1 => "once".to_owned(),
            2 => "TWICE".to_owned(),
            n => format!("{n} times"),
        };
        let text = format!("The provider counted: {what} {times}.");
        if times == "once" { self.good(&text) } else { self.bad(&text) }
    }

    pub(super) async fn pause(&self) {
        if self.output.is_terminal() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}
