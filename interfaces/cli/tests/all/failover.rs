//! Workers over a ledger in PostgreSQL whose primary is lost with what it had confirmed: what the replica that took over
//! has forgotten doesn't happen a second time.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER, available};
use serde_json::{Value, json};

use crate::floor::{Floor, Worker, wait_until};
use crate::pooler::{self, Pooler};
use crate::postgres_ledger::tell;
use crate::replica::{Replica, kill_server};
use crate::support::{Ended, SCALE, StandIn, charge, hapax};

/// Two servers of a database, one way to both, and two providers: one with keys, and one that can only be asked.
struct Hosts {
    primary: Cluster,
    replica: Replica,
    pooler: Option<Pooler>,
    runtime: tokio::runtime::Runtime,
    folder: tempfile::TempDir,
    stripe: StandIn,
    github: StandIn,
}

impl Floor for Hosts {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = hapax();
        command.current_dir(self.folder.path()).env("LEDGER_PASSWORD", PASSWORD).args(args);
        command
    }

    fn stripe(&self) -> &StandIn {
        &self.stripe
    }
}

impl Hosts {
    fn start(with_pooler: bool) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let quick = "fsync = off\nwal_retrieve_retry_interval = '100ms'";
        let primary = runtime.block_on(Cluster::start_with(quick)).expect("a cluster");
        let replica = runtime.block_on(Replica::of(&primary)).expect("a replica");
        let pooler = with_pooler.then(|| Pooler::start(&primary, "transaction", 4).expect("a pooler"));
        let folder = tempfile::tempdir().expect("a folder");
        let (stripe, github) = (StandIn::serve(&["stripe"]), StandIn::serve(&["github"]));
        let hosts = Self { primary, replica, pooler, runtime, folder, stripe, github };
        assert_eq!(Ended::of(hapax().arg("init").arg(hosts.folder.path())).exit, 0);
        hosts.configure(true);
        let made = hosts.run(&["ledger", "create"]);
        assert_eq!(made.exit, 0, "{}", made.err);
        hosts
    }

    fn configure(&self, providers_are_there: bool) {
        let hosts = match &self.pooler {
            Some(pooler) => format!("127.0.0.1:{}", pooler.port()),
            None => format!("127.0.0.1:{},127.0.0.1:{}", self.primary.port(), self.replica.port()),
        };
        let url = |stand_in: &StandIn| {
            if providers_are_there { stand_in.url.clone() } else { "http://127.0.0.1:9".to_owned() }
        };
        let text = format!(
            "[ledger]\nurl = \"postgres://{USER}@{hosts}/postgres\"\npassword_env = \"LEDGER_PASSWORD\"\n\
             [namespace]\nsecret_file = \"hapax.secret\"\n[clock]\nscale = {SCALE}\n\
             [connections.shop]\nintegration = \"stripe\"\nbase_url = \"{}\"\nstand_in = true\n\
             [connections.code]\nintegration = \"github\"\nbase_url = \"{}\"\nstand_in = true\n",
            url(&self.stripe),
            url(&self.github)
        );
        std::fs::write(self.folder.path().join("hapax.toml"), text).expect("written");
    }

    fn run(&self, args: &[&str]) -> Ended {
        let ended = Ended::of(&mut self.command(args));
        assert!(!format!("{}{}", ended.out, ended.err).contains(PASSWORD), "{args:?} shows the password");
        ended
    }

    /// A call of each provider under a key.
    fn calls(&self, key: &str, wait: &str) -> [Command; 2] {
        let issue = json!({ "repository": "octocat/hello-world", "title": key }).to_string();
        let charge = charge(100).to_string();
        [("stripe.charge", charge), ("github.create_issue", issue)]
            .map(|(cell, args)| self.command(&["--json", "run", cell, "--key", key, "--args", &args, "--wait", wait]))
    }

    /// Effects at both providers.
    fn effects(&self) -> [u64; 2] {
        [self.stripe.count("charge"), self.github.count("issue")]
    }

    /// Has operations begun while nobody is at the providers' addresses: the ledger knows that nothing was sent, and they
    /// are due.
    fn begin(&self, key: &str) {
        self.configure(false);
        self.kill_at("after-commit:2", key);
        self.configure(true);
    }

    /// Has both effects happen, and kills each caller when its answer is there.
    fn lose_answers_of_both(&self, key: &str) {
        self.kill_at("after-send:1", key);
    }

    fn kill_at(&self, point: &str, key: &str) {
        for mut call in self.calls(key, "600") {
            let call = call.env("HAPAX_TEST_PAUSE_AT", point).stdout(Stdio::null()).stderr(Stdio::piped());
            let mut child = call.spawn().expect("a caller");
            let mut line = String::new();
            BufReader::new(child.stderr.take().expect("stderr")).read_line(&mut line).expect("a line");
            child.kill().expect("killed");
            child.wait().expect("gone");
            assert!(line.starts_with("paused "), "{line}");
        }
    }

    /// The host of the primary is lost, and the replica takes over.
    fn fail_over(&self) {
        kill_server(&self.primary).expect("it can be killed");
        self.replica.promote().expect("it takes over");
        if let Some(pooler) = &self.pooler {
            pooler.leads_to(self.replica.port()).expect("it is told");
        }
    }

    /// Calls again under a key. The issue is found by its mark; the charge may stay open, because here Stripe's silence
    /// proves nothing for a day, and nobody sends it meanwhile.
    fn call_again(&self, key: &str) {
        let [mut charge, _] = self.calls(key, "60");
        let [_, mut issue] = self.calls(key, "600");
        let answer = Ended::of(&mut issue).json();
        assert_eq!(answer["outcome"], "succeeded", "{key}: {answer}");
        let answer = Ended::of(&mut charge).json();
        assert!(["succeeded", "unknown"].map(Value::from).contains(&answer["outcome"]), "{key}: {answer}");
    }
}

/// `at_work`: a worker goes on over the fail-over. Otherwise it is started again, as the guide says.
fn nothing_happens_twice(hosts: &Hosts, at_work: bool) {
    hosts.begin("known");
    hosts.runtime.block_on(hosts.replica.catches_up(&hosts.primary)).expect("it follows");
    hosts.runtime.block_on(hosts.replica.cut()).expect("it can be cut off");
    // From here on the replica gets nothing: not that these were sent and succeeded, ...
    let worker = Worker::start(hosts, &[]);
    hosts.wait_until_all_is_done();
    let all = hosts.run(&["ls"]).out;
    assert_eq!((hosts.phase("succeeded").len(), hosts.effects()), (2, [1, 1]), "{all}");
    // ... and not that these were ever there.
    hosts.lose_answers_of_both("forgotten");
    assert_eq!(hosts.effects(), [2, 2]);
    hosts.fail_over();
    let says = ["was last used on another timeline", "hapax ledger restored"];
    wait_until("it is refused for what it is", || {
        let refused = hosts.run(&["ls"]);
        assert_eq!(refused.exit, 7, "{}{}", refused.out, refused.err);
        says.iter().all(|part| refused.err.contains(part))
    });
    for mut call in hosts.calls("more", "1") {
        let answer = Ended::of(&mut call);
        assert_eq!(answer.exit, 7, "{}{}", answer.out, answer.err);
    }
    let worker = match at_work {
        true => Some(worker),
        false => {
            drop(worker.stopped());
            None
        }
    };
    assert_eq!(hosts.effects(), [2, 2], "something was sent though the ledger may have forgotten");
    let noted = hosts.run(&["ledger", "restored"]);
    assert_eq!(noted.exit, 0, "{}", noted.err);
    let worker = worker.unwrap_or_else(|| Worker::start(hosts, &[]));
    wait_until("the worker has found what happened", || !hosts.phase("succeeded").is_empty());
    hosts.call_again("known");
    hosts.call_again("forgotten");
    let spoken = worker.stopped();
    assert_eq!(hosts.effects(), [2, 2], "it happened a second time: {spoken:?}");
    let verified = hosts.run(&["ledger", "verify"]);
    assert_eq!(verified.exit, 0, "{}{}", verified.out, verified.err);
}

#[test]
fn what_a_replica_has_forgotten_does_not_happen_twice_at_an_address_of_two_hosts() {
    if !available() {
        return tell("left out: workers over a fail-over: no PostgreSQL is installed (initdb, pg_ctl, psql)");
    }
    nothing_happens_twice(&Hosts::start(false), false);
}

#[test]
fn what_a_replica_has_forgotten_does_not_happen_twice_behind_a_pooler() {
    if !available() || pooler::program().is_none() {
        return tell("left out: workers over a fail-over behind a pooler: no PostgreSQL or no PgBouncer is installed");
    }
    nothing_happens_twice(&Hosts::start(true), true);
}
