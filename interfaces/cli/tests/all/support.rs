//! A shop with a ledger of its own and a stand-in to sell through.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use hapax_standin::client::Call;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How much faster time passes here.
pub(crate) const SCALE: u32 = 50;

/// The program under test, without anything of the developer's environment.
pub(crate) fn hapax() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hapax"));
    for variable in ["HAPAX_CONFIG", "HAPAX_NAMESPACE_SECRET", "HAPAX_TEST_PAUSE_AT", "HAPAX_LOG", "STRIPE_API_KEY"] {
        command.env_remove(variable);
    }
    command
}

/// What the stand-ins take for credentials, and what PostgreSQL takes for a password.
fn secrets() -> Vec<&'static str> {
    let integrations = hapax_catalog::integrations();
    let fields = integrations.iter().flat_map(|one| hapax_catalog::stand_in_credentials(one.name()));
    fields.map(|(_, secret)| *secret).chain([hapax_standin::third_party::postgres::PASSWORD]).collect()
}

/// What a run of the program came to.
pub(crate) struct Ended {
    pub(crate) exit: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    /// Runs it to its end. Whatever it is asked, it never says a secret.
    #[track_caller]
    pub(crate) fn of(command: &mut Command) -> Self {
        let ended = Self::from(command.stdin(Stdio::null()).output().expect("the program starts"));
        let own = |name: &str| std::fs::read_to_string(command.get_current_dir()?.join(name)).ok();
        let own = ["hapax.secret", "ledger.key"].map(|name| own(name).unwrap_or_default()).join("\n");
        for secret in secrets().into_iter().chain(own.split_whitespace()).filter(|secret| secret.len() >= 12) {
            assert!(!ended.out.contains(secret), "{command:?} shows {secret:?}: {}", ended.out);
            assert!(!ended.err.contains(secret), "{command:?} shows {secret:?}: {}", ended.err);
        }
        ended
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {} {}", self.out, self.err))
    }

    /// The first words of a failure, on stderr, and the exit code.
    #[track_caller]
    pub(crate) fn failed(&self, exit: i32, first: &str, says: &[&str]) {
        assert_eq!(self.exit, exit, "{}{}", self.out, self.err);
        assert!(self.err.starts_with(first), "{:?} should begin with {first:?}", self.err);
        assert_eq!(self.out, "", "failures go to stderr");
        for part in says {
            assert!(self.err.contains(part), "{:?} should contain {part:?}", self.err);
        }
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Self { exit: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A stand-in, as a user starts it.
pub(crate) struct StandIn {
    child: Child,
    pub(crate) url: String,
    pub(crate) greeting: Value,
}

impl StandIn {
    fn start() -> Self {
        Self::serve(&["stripe"])
    }

    /// A stand-in of what these arguments name.
    pub(crate) fn serve(what: &[&str]) -> Self {
        let mut command = hapax();
        command.args(["--json", "stand-in", "serve", "--port", "0", "--scale", &SCALE.to_string()]).args(what);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the stand-in starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout")).read_line(&mut line).expect("a greeting");
        let greeting: Value = serde_json::from_str(&line).expect("a greeting in JSON");
        let url = greeting["url"].as_str().expect("its URL").to_owned();
        Self { child, url, greeting }
    }

    fn call(&self, call: Call) -> Value {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(call.send()).expect("a reply").value()
    }

    /// How often something has happened.
    pub(crate) fn count(&self, kind: &str) -> u64 {
        let url = format!("{}/_standin/effects?kind={kind}", self.url);
        self.call(Call::get(&url))["count"].as_u64().expect("a count")
    }

    /// What has happened, each time.
    #[cfg(unix)]
    pub(crate) fn effects(&self, kind: &str) -> Vec<Value> {
        let url = format!("{}/_standin/effects?kind={kind}", self.url);
        self.call(Call::get(&url))["effects"].as_array().expect("a list").clone()
    }

    /// Lets go of what hangs.
    pub(crate) fn release(&self) {
        let done = self.call(Call::post(&format!("{}/_standin/release", self.url)));
        assert_eq!(done, json!({ "done": true }));
    }

    /// Breaks the provider once.
    pub(crate) fn inject(&self, fault: &Value) {
        let done = self.call(Call::post(&format!("{}/_standin/inject", self.url)).json(fault));
        assert_eq!(done, json!({ "done": true }));
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A ledger, a secret and a configuration in a folder of their own.
pub(crate) struct Shop {
    folder: TempDir,
    pub(crate) stripe: StandIn,
}

impl Shop {
    pub(crate) fn open() -> Self {
        let shop = Self { folder: tempfile::tempdir().expect("a folder"), stripe: StandIn::start() };
        let made = Ended::of(hapax().arg("init").arg(shop.folder.path()));
        assert_eq!(made.exit, 0, "{}", made.err);
        shop.configure(&shop.configuration());
        shop
    }

    /// A configuration that asks a person early, and approval for more than 1000 EUR.
    pub(crate) fn configuration(&self) -> String {
        format!(
            "[ledger]\npath = \"hapax.ledger\"\n[namespace]\nsecret_file = \"hapax.secret\"\n[clock]\nscale = {SCALE}\n\
             [policy.bounds]\nlooks = 3\n\
             [[policy.approve]]\ncell = \"stripe.charge\"\nabove = {{ amount = 100000, currency = \"EUR\" }}\n\
             [connections.shop]\nintegration = \"stripe\"\nbase_url = \"{}\"\nstand_in = true\n",
            self.stripe.url
        )
    }

    pub(crate) fn configure(&self, text: &str) {
        std::fs::write(self.file("hapax.toml"), text).expect("a configuration");
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program in this shop's folder, ready to be run.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = hapax();
        command.current_dir(self.folder.path()).args(args);
        command
    }

    pub(crate) fn hapax(&self, args: &[&str]) -> Ended {
        Ended::of(&mut self.command(args))
    }

    /// The answer of a command under `--json`, which must end with this code. Its logs are as talkative as can be, and
    /// know no arguments.
    #[track_caller]
    pub(crate) fn json(&self, exit: i32, args: &[&str]) -> Value {
        let ended = Ended::of(self.command(&["--json"]).args(args).env("HAPAX_LOG", "trace"));
        assert!(!ended.err.contains(PAYS), "{args:?} logs an argument: {}", ended.err);
        assert_eq!(ended.exit, exit, "{args:?}: {}{}", ended.out, ended.err);
        let answer = ended.json();
        assert_eq!(answer["exit"], exit);
        answer
    }

    pub(crate) fn run(&self, cell: &str, key: &str, args: &Value) -> Ended {
        self.hapax(&["run", cell, "--key", key, "--args", &args.to_string(), "--wait", "600"])
    }

    /// How many operations the ledger holds.
    pub(crate) fn operations(&self) -> usize {
        self.json(0, &["ls", "--limit", "0"])["operations"].as_array().expect("a list").len()
    }

    /// A payment to give money back from.
    pub(crate) fn pay(&self, key: &str) -> String {
        let args = charge(2500).to_string();
        let answer = self.json(0, &["run", "stripe.charge", "--key", key, "--args", &args, "--wait", "600"]);
        answer["receipt"]["id"].as_str().expect("an id").to_owned()
    }

    /// A refund that Stripe answered with a stored 500: it ends with a person.
    pub(crate) fn lose_a_refund(&self, key: &str) -> Value {
        let payment = self.pay(&format!("{key}:payment"));
        self.stripe.inject(&json!({ "method": "POST", "path": "/v1/refunds", "kind": "stored_error", "status": 500 }));
        let args = json!({ "payment_intent": payment }).to_string();
        self.json(5, &["run", "stripe.refund", "--key", key, "--args", &args, "--wait", "3600"])
    }
}

/// Stands in the arguments of every charge.
pub(crate) const PAYS: &str = "pm_card_visa";

/// Arguments of a charge in euro cents.
pub(crate) fn charge(cents: i64) -> Value {
    json!({ "amount": { "amount": cents, "currency": "EUR" }, "payment_method": PAYS })
}
