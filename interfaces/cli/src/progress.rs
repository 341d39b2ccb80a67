//! Tells a waiting person that work goes on: a spinner on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::task::JoinHandle;

use crate::output::Output;

/// How often a log gets a line.
const EVERY: Duration = Duration::from_secs(10);

/// Shown until it is dropped.
pub(crate) struct Progress {
    what: Arc<Mutex<String>>,
    bar: Option<ProgressBar>,
    lines: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to show that this is going on.
    pub(crate) fn start(output: &Output, what: &str) -> Self {
        if std::io::stderr().is_terminal() && !output.json {
            let bar = ProgressBar::new_spinner().with_message(what.to_owned());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            return Self { what: Arc::default(), bar: Some(bar), lines: None };
        }
        let (output, what) = (*output, Arc::new(Mutex::new(what.to_owned())));
        let told = what.clone();
        let lines = tokio::spawn(async move {
            let mut seconds = 0;
            loop {
                tokio::time::sleep(EVERY).await;
                seconds += EVERY.as_secs();
                let what = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
                output.note(format!("{what}: still at it after {seconds} s"));
            }
        });
        Self { what, bar: None, lines: Some(lines) }
    }

    /// Something else is going on now.
    pub(crate) fn goes_on(&self, what: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.clone());
        }
        *self.what.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if let Some(lines) = &self.lines {
            lines.abort();
        }
    }
}
