//! One provider, one proxy, one ledger, one configuration: what a trial lies on.

use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hapax_core::clock::{Clock, ScaledClock};
use hapax_core::identity::NamespaceSecret;
use hapax_ledger_sqlite::SqliteLedger;
use hapax_standin::{FaultProxy, Server, World};
use hapax_stripe::standin::StandIn;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::binary::hapax;
use super::jobs::{Job, job};

/// How much faster than real time everything runs: a deadline of 80 s is 160 ms.
const SCALE: u32 = 500;

pub(crate) struct Bed {
    folder: TempDir,
    pub(crate) world: World,
    pub(crate) proxy: FaultProxy,
    pub(crate) job: Job,
    _server: Server,
}

/// How a process ended.
pub(crate) enum Ended {
    /// It reached the point and was killed there.
    Killed,
    /// It ended by itself before.
    ByItself,
}

impl Bed {
    pub(crate) async fn new(cell: &'static str, seed: u64) -> Self {
        let clock = ScaledClock::new(SCALE);
        let world = World::with_clock(seed, Arc::new(move || clock.now().wall_ms));
        let server = StandIn::new(world.clone()).serve(0).await.expect("a stand-in");
        let proxy = FaultProxy::start(&server.url()).await.expect("a proxy");
        let job = job(cell, &server.url()).await;
        let folder = tempfile::tempdir().expect("a folder");
        let bed = Self { folder, world, proxy, job, _server: server };
        bed.configure();
        bed
    }

    fn configure(&self) {
        let secret = self.path("secret");
        std::fs::write(&secret, NamespaceSecret::generate().expose()).expect("a secret");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).expect("a mode");
        }
        drop(SqliteLedger::create(self.path("ledger")).expect("a ledger"));
        let config = format!(
            "[ledger]\npath = \"ledger\"\n[namespace]\nsecret_file = \"secret\"\n[clock]\nscale = {SCALE}\n\
             [connections.shop]\nintegration = \"stripe\"\naccount = \"crash\"\nbase_url = \"{}\"\nstand_in = true\n",
            self.proxy.url()
        );
        std::fs::write(self.path("hapax.toml"), config).expect("a configuration");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(hapax());
        command.args(args).current_dir(self.folder.path()).env("STRIPE_API_KEY", "sk_test_crash");
        command.env("HAPAX_CONFIG", self.path("hapax.toml")).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    /// The caller's call, the same every time.
    fn run_args(&self) -> Vec<String> {
        let args = self.job.args.to_string();
        // A long wait: of a clock that runs fast.
        let parts = ["run", self.job.cell, "--key", "order:1042", "--args", &args, "--wait", "7200", "--json"];
        parts.map(str::to_owned).to_vec()
    }

    pub(crate) fn caller(&self) -> Command {
        self.command(&self.run_args().iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn recoverer(&self) -> Command {
        self.command(&["recover", "--wait", "7200", "--json"])
    }

    /// What restarts the work: the caller again, or a recovery.
    pub(crate) fn again(&self, by_caller: bool) -> Command {
        if by_caller { self.caller() } else { self.recoverer() }
    }

    /// Runs until the n-th reach of the point, then kills.
    pub(crate) async fn kill_at(&self, mut command: Command, point: &str, nth: u32) -> Ended {
        let mut child = command.env("HAPAX_TEST_PAUSE_AT", format!("{point}:{nth}")).spawn().expect("spawned");
        let stderr = child.stderr.take().expect("stderr");
        let mut lines = BufReader::new(stderr).lines();
        let paused = async {
            while let Ok(Some(line)) = lines.next_line().await {
                if line.starts_with("paused ") {
                    return;
                }
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = paused => {
                kill(&mut child).await;
                Ended::Killed
            }
            status = child.wait() => {
                status.expect("waited");
                Ended::ByItself
            },
        }
    }

    /// Runs for so long, then kills; whether it was still running.
    pub(crate) async fn kill_after(&self, mut command: Command, pause: Duration) -> bool {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("spawned");
        tokio::select! {
            _ = child.wait() => false,
            () = tokio::time::sleep(pause) => {
                kill(&mut child).await;
                true
            }
        }
    }

    /// Starts again, undisturbed, until the caller has the receipt.
    pub(crate) async fn settle(&self, by_caller: bool) -> Value {
        for _ in 0..40 {
            if !by_caller {
                finish(self.recoverer()).await;
            }
            let output = finish(self.caller()).await;
            if output.status.success() {
                return answer(&output);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let output = finish(self.caller()).await;
        panic!("never settled: {}", String::from_utf8_lossy(&output.stdout));
    }

    /// Effects of the job's kind, whoever caused them.
    pub(crate) fn effects(&self) -> usize {
        self.world.effects.count(self.job.effect)
    }
}

async fn kill(child: &mut Child) {
    child.start_kill().expect("SIGKILL");
    child.wait().await.expect("reaped");
}

pub(crate) async fn finish(mut command: Command) -> Output {
    let output = command.output();
    tokio::time::timeout(Duration::from_secs(60), output).await.expect("no process hangs").expect("ran")
}

pub(crate) fn answer(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("no JSON ({error}): {text}"))
}
