//! One provider, one proxy, one ledger, one configuration: what a trial lies on.

use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hapax_core::clock::{Clock, ScaledClock};
use hapax_core::identity::NamespaceSecret;
use hapax_ledger_sqlite::SqliteLedger;
use hapax_standin::{Fault, FaultProxy, Server, When};
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;
use tokio::time::Instant;

use super::binary::hapax;
use super::jobs::{Intent, Job, Site, intent};
use super::process::{answer, finish};

/// How much faster than real time everything runs: a deadline of 80 s is 160 ms.
const SCALE: u32 = 500;

/// Name of the one connection.
pub(crate) const CONNECTION: &str = "shop";

/// The clock of everything here.
pub(crate) fn clock() -> ScaledClock {
    ScaledClock::new(SCALE)
}

pub(crate) struct Bed {
    folder: TempDir,
    pub(crate) job: Job,
    pub(crate) intents: Vec<Intent>,
    pub(crate) ledger: SqliteLedger,
    pub(crate) secret: NamespaceSecret,
    pub(crate) server: Server,
    proxy: FaultProxy,
}

impl Bed {
    /// With so many intents, none of them begun.
    pub(crate) async fn new(job: Job, intents: u64) -> Self {
        let clock = clock();
        let server = hapax_catalog::start_stand_in(job.integration(), 0, Arc::new(move || clock.now().wall_ms));
        let server = server.await.expect("a stand-in");
        let proxy = FaultProxy::start(&server.url()).await.expect("a proxy");
        let site = Site { url: server.url(), now_ms: clock.now().wall_ms };
        let mut wanted = Vec::new();
        for number in 0..intents {
            wanted.push(intent(job, &site, number).await);
        }
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = SqliteLedger::create(folder.path().join("ledger")).expect("a ledger");
        let secret = NamespaceSecret::generate();
        let bed = Self { folder, job, intents: wanted, ledger, secret, server, proxy };
        bed.configure();
        bed
    }

    fn configure(&self) {
        let secret = self.path("secret");
        std::fs::write(&secret, self.secret.expose()).expect("a secret");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).expect("a mode");
        }
        let config = format!(
            "[ledger]\npath = \"ledger\"\n[namespace]\nsecret_file = \"secret\"\n[clock]\nscale = {SCALE}\n\
             [connections.{CONNECTION}]\nintegration = \"{}\"\naccount = \"crash\"\nbase_url = \"{}\"\n\
             stand_in = true\nmeets = [{}]\n",
            self.job.integration(),
            self.proxy.url(),
            self.job.needs(),
        );
        std::fs::write(self.path("hapax.toml"), config).expect("a configuration");
    }

    /// Where the network of the trial begins.
    pub(crate) fn proxy_url(&self) -> String {
        self.proxy.url().to_string()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What the network does to the next request that counts.
    pub(crate) fn breaks(&self, fault: Option<Fault>) {
        let (method, path) = self.job.shot;
        if let Some(fault) = fault {
            self.proxy.inject(When::on(method, path), fault);
        }
    }

    /// The caller's name for an intent.
    pub(crate) fn key(number: usize) -> String {
        format!("order:{}", 1042 + number)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(hapax());
        command.args(args).arg("--json").current_dir(self.folder.path());
        command.env("HAPAX_CONFIG", self.path("hapax.toml")).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    /// The caller's call for an intent, the same every time.
    pub(crate) fn caller(&self, number: usize) -> Command {
        let args = self.intents[number].args.to_string();
        // A long wait: of a clock that runs fast.
        self.command(&["run", self.job.cell, "--key", &Self::key(number), "--args", &args, "--wait", "7200"])
    }

    /// The same with little patience: a second or two of a clock that runs fast.
    pub(crate) fn hasty_caller(&self, number: usize) -> Command {
        let args = self.intents[number].args.to_string();
        self.command(&["run", self.job.cell, "--key", &Self::key(number), "--args", &args, "--wait", "600"])
    }

    /// A recovery of all that is due.
    pub(crate) fn recoverer(&self) -> Command {
        self.command(&["recover", "--wait", "7200"])
    }

    /// How long a process that finds nothing to do takes, here and now: random moments are measured in it,
    /// on a quick machine as on a busy one.
    pub(crate) async fn usual(&self) -> Duration {
        let began = Instant::now();
        finish(self.recoverer()).await;
        began.elapsed()
    }

    /// A worker that takes up what becomes due until it is killed.
    pub(crate) fn worker(&self) -> Command {
        self.command(&["recover", "--wait", "7200", "--watch"])
    }

    /// What restarts the work: the caller again, or a recovery.
    pub(crate) fn again(&self, by_caller: bool) -> Command {
        if by_caller { self.caller(0) } else { self.recoverer() }
    }

    /// Calls again for an intent, undisturbed, until its operation is over or with a person, or for a minute:
    /// what the last call said.
    pub(crate) async fn settle(&self, number: usize, by_caller: bool) -> Output {
        let began = Instant::now();
        loop {
            if !by_caller {
                finish(self.recoverer()).await;
            }
            let output = finish(self.caller(number)).await;
            let has_ended = matches!(output.status.code(), Some(0 | 3 | 5));
            if has_ended || began.elapsed() > Duration::from_secs(60) {
                return output;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// What a person is shown of an intent's operation.
    pub(crate) async fn show(&self, number: usize) -> Value {
        answer(&finish(self.show_command(number)).await)
    }

    /// The same, not yet run.
    pub(crate) fn show_command(&self, number: usize) -> Command {
        self.command(&["show", "--key", &Self::key(number)])
    }

    /// A person says that it happened and names what they found; whether that was accepted.
    pub(crate) async fn say_it_happened(&self, shown: &Value, found: &str) -> Output {
        let operation = shown["operation"].as_str().expect("an id");
        let seen = shown["revision"].to_string();
        finish(self.command(&["resolve", operation, "--seen", &seen, "--happened", found, "--by", "dana"])).await
    }
}
