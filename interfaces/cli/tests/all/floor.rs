//! Where workers work: a stand-in, and a ledger in a file or in PostgreSQL; and the workers, as a host starts them.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Ended, StandIn, charge};

/// How long anything may take here before a test gives up. Nothing is judged by it.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A ledger with a configuration and a stand-in.
pub(crate) trait Floor: Sync {
    /// The program in its folder, ready to be run.
    fn command(&self, args: &[&str]) -> Command;

    /// Its Stripe.
    fn stripe(&self) -> &StandIn;

    /// The answer of a command under `--json`.
    fn ask(&self, args: &[&str]) -> Value {
        Ended::of(self.command(&["--json"]).args(args)).json()
    }

    /// Operations in this phase.
    fn phase(&self, phase: &str) -> Vec<Value> {
        self.ask(&["ls", "--limit", "0", "--phase", phase])["operations"].as_array().expect("a list").clone()
    }

    /// Has charges made whose answers nobody hears: each caller is killed when its answer is there.
    fn lose_answers(&self, keys: std::ops::Range<usize>) {
        let one = |number: usize| {
            let (key, args) = (format!("lost:{number}"), charge(100 + number as i64).to_string());
            let mut run =
                self.command(&["run", "stripe.charge", "--key", &key, "--args", &args, "--connection", "shop"]);
            let run = run.env("HAPAX_TEST_PAUSE_AT", "after-send:1").stdout(Stdio::null()).stderr(Stdio::piped());
            let mut child = run.spawn().expect("a caller");
            let mut line = String::new();
            BufReader::new(child.stderr.take().expect("stderr")).read_line(&mut line).expect("a line");
            assert_eq!(line, "paused after-send\n");
            child.kill().expect("killed");
            child.wait().expect("gone");
        };
        let before = self.stripe().count("charge");
        std::thread::scope(|scope| {
            for part in 0..4 {
                let keys = keys.clone();
                scope.spawn(move || keys.skip(part).step_by(4).for_each(one));
            }
        });
        assert_eq!(self.stripe().count("charge") - before, keys.len() as u64, "each has its effect");
    }

    /// Waits until nothing is open.
    fn wait_until_all_is_done(&self) {
        wait_until("nothing is open", || self.phase("open").is_empty());
    }
}

/// Waits for something that must come.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let pause = Duration::from_millis(50);
    for _ in 0..LONG.as_millis() / pause.as_millis() {
        if is_so() {
            return;
        }
        std::thread::sleep(pause);
    }
    panic!("it never came to this: {what}");
}

/// A worker at work, and what it says.
pub(crate) struct Worker {
    child: Child,
    events: Receiver<Value>,
    /// What was read already.
    seen: Vec<Value>,
    errors: Option<JoinHandle<String>>,
}

impl Worker {
    /// Starts `hapax --json work` with these arguments, and waits until it works.
    pub(crate) fn start(floor: &impl Floor, args: &[&str]) -> Self {
        let mut worker = Self::begin(floor.command(&["--json", "work", "--poll", "200ms"]).args(args));
        worker.wait_for("started");
        worker
    }

    pub(crate) fn begin(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a worker");
        let (out, mut err) = (child.stdout.take().expect("stdout"), child.stderr.take().expect("stderr"));
        let (tell, events) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let event = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if tell.send(event).is_err() {
                    return;
                }
            }
        });
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            err.read_to_string(&mut text).expect("UTF-8");
            text
        });
        Self { child, events, seen: Vec::new(), errors: Some(errors) }
    }

    /// Waits for the next event of this name.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, event: &str) -> Value {
        loop {
            let Ok(next) = self.events.recv_timeout(LONG) else { panic!("no {event}, only {:?}", self.seen) };
            self.seen.push(next.clone());
            if next["event"] == event {
                return next;
            }
        }
    }

    /// Sends a signal, by its name.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status();
        assert!(sent.expect("kill is there").success(), "{name}");
    }

    /// Ends it as a lost host would.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
    }

    /// Waits for its end.
    pub(crate) fn ended(mut self) -> Spoken {
        let exit = self.child.wait().expect("it ends").code();
        let events = std::mem::take(&mut self.seen).into_iter().chain(self.events.iter()).collect();
        let errors = self.errors.take().expect("once").join().expect("read");
        Spoken { exit: exit.unwrap_or(-1), events, errors }
    }

    /// Tells it to stop, and waits.
    pub(crate) fn stopped(self) -> Spoken {
        self.signal("TERM");
        let spoken = self.ended();
        assert_eq!(spoken.exit, 0, "{spoken:?}");
        spoken
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// All that a worker has said.
#[derive(Debug)]
pub(crate) struct Spoken {
    pub(crate) exit: i32,
    pub(crate) events: Vec<Value>,
    pub(crate) errors: String,
}

impl Spoken {
    /// Events of this name.
    pub(crate) fn all(&self, event: &str) -> Vec<&Value> {
        self.events.iter().filter(|one| one["event"] == event).collect()
    }

    /// The one event of this name.
    #[track_caller]
    pub(crate) fn only(&self, event: &str) -> &Value {
        let all = self.all(event);
        assert_eq!(all.len(), 1, "{event}: {self:?}");
        all[0]
    }

    /// A number of the summary.
    #[track_caller]
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.only("summary")[name].as_u64().unwrap_or_else(|| panic!("no {name}: {self:?}"))
    }

    /// Whether each time that something was taken up is accounted for once.
    #[track_caller]
    pub(crate) fn adds_up(&self) {
        let ends = ["succeeded", "refused", "inbox", "waiting", "lost_races", "failed", "left"];
        let sum: u64 = ends.iter().map(|name| self.count(name)).sum();
        assert_eq!(self.count("taken_up"), sum, "{self:?}");
    }

    /// The operations that this worker brought to success.
    pub(crate) fn succeeded(&self) -> Vec<String> {
        let done = self.all("operation").into_iter().filter(|one| one["outcome"] == "succeeded");
        done.map(|one| one["operation"].as_str().expect("an id").to_owned()).collect()
    }
}
