//! A process with hapax inside. It is this test program once more, in the part of the histories' worker.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use hapax_histories::worker::{Ask, Setup, Told, Want};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::answers::Answers;

/// How long anything may take here before a test gives up. Nothing is judged by it.
pub(crate) const LONG: Duration = Duration::from_secs(300);

/// Set for the process that serves.
const SERVES: &str = "HAPAX_TEST_SERVES";

/// Not a test by itself: what the process does that the tests start.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serves() {
    if std::env::var_os(SERVES).is_some() {
        hapax_histories::worker::work().await.expect("it begins");
    }
}

/// The process, and the way to ask it.
pub(crate) struct Service {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Service {
    /// Starts it with at most so many open files, if that is said.
    pub(crate) async fn start(setup: &Setup, files: Option<u32>) -> Self {
        Self::begin(setup, files, &[]).await
    }

    /// Starts it with these variables in its environment.
    pub(crate) async fn start_with(setup: &Setup, variables: &[(&str, &Path)]) -> Self {
        Self::begin(setup, None, variables).await
    }

    async fn begin(setup: &Setup, files: Option<u32>, variables: &[(&str, &Path)]) -> Self {
        let limit = files.map_or_else(String::new, |most| format!("ulimit -n {most}; "));
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limit}exec \"$0\" --exact service::serves --nocapture")]);
        command.arg(std::env::current_exe().expect("this test is a program")).env(SERVES, "1");
        command.envs(variables.iter().copied());
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("it can be started");
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut service = Self { child, input, output };
        service.write(serde_json::to_string(setup).expect("it can be written")).await;
        service
    }

    /// Ends it as a lost host would.
    pub(crate) async fn kill(&mut self) {
        self.child.kill().await.expect("it can be killed");
    }

    async fn write(&mut self, mut line: String) {
        line.push('\n');
        self.input.write_all(line.as_bytes()).await.expect("it listens");
    }

    /// Asks, without waiting for the answer.
    pub(crate) async fn ask(&mut self, id: u64, want: Want) {
        self.write(serde_json::to_string(&Ask { id, want }).expect("it can be written")).await;
    }

    /// The next answer.
    pub(crate) async fn told(&mut self) -> Told {
        loop {
            let line = tokio::time::timeout(LONG, self.output.next_line()).await.expect("an answer comes");
            let line = line.expect("it can be read").expect("it goes on");
            // The test harness writes too, on the same line if it likes.
            if let Some(begin) = line.find("{\"id\"") {
                return serde_json::from_str(&line[begin..]).unwrap_or_else(|error| panic!("{error}: {line}"));
            }
        }
    }

    /// The next answer to one of these. What others are told meanwhile is kept.
    pub(crate) async fn told_of(&mut self, numbers: std::ops::Range<u64>, others: &mut Answers) -> Told {
        loop {
            match self.told().await {
                told if numbers.contains(&told.id) => return told,
                told => others.add(told),
            }
        }
    }

    /// Its memory in KiB, shared pages by halves.
    pub(crate) fn memory_kib(&self) -> u64 {
        let file = format!("/proc/{}/smaps_rollup", self.child.id().expect("it lives"));
        let text = std::fs::read_to_string(file).expect("it can be read");
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:")).expect("it says so");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// How many files it has open.
    pub(crate) fn files(&self) -> usize {
        let folder = format!("/proc/{}/fd", self.child.id().expect("it lives"));
        std::fs::read_dir(folder).expect("it can be read").count()
    }
}
