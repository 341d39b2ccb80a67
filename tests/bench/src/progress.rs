//! How far the run is: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::say;

/// Tells whoever watches.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Of so many steps.
    pub(crate) fn of(steps: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {elapsed_precise} {wide_msg}");
            let bar = ProgressBar::new(steps as u64);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self { bar }
    }

    /// What is done now.
    pub(crate) fn now(&self, what: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(what.to_owned()),
            None => say::note(what),
        }
    }

    /// A step came to this.
    pub(crate) fn done(&self, what: &str) {
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                bar.suspend(|| say::note(what));
            }
            None => say::note(what),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
