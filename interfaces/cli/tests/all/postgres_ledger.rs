//! A ledger in PostgreSQL, from the command line. Where none is installed, the test says that it was left out.

use std::process::Command;

use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER, available};

use crate::floor::Floor;
use crate::support::{Ended, SCALE, StandIn, hapax};

/// A folder whose configuration names a ledger in a database of its own. Dropping it stops the database.
pub(crate) struct Place {
    pub(crate) cluster: Cluster,
    runtime: tokio::runtime::Runtime,
    folder: tempfile::TempDir,
}

impl Place {
    /// `None`, which is said, where PostgreSQL is not installed. The ledger isn't created yet.
    pub(crate) fn open(left_out: &str) -> Option<Self> {
        if !available() {
            tell(&format!("left out: {left_out}: no PostgreSQL is installed (initdb, pg_ctl, psql)"));
            return None;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let cluster = runtime.block_on(Cluster::start()).expect("a cluster");
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Ended::of(hapax().arg("init").arg(folder.path())).exit, 0);
        let file = folder.path().join("hapax.toml");
        let sample = std::fs::read_to_string(&file).expect("the configuration");
        let url = format!(
            "url = \"postgres://{USER}@127.0.0.1:{}/postgres\"\npassword_env = \"LEDGER_PASSWORD\"",
            cluster.port()
        );
        std::fs::write(file, sample.replace("path = \"hapax.ledger\"", &url)).expect("written");
        Some(Self { cluster, runtime, folder })
    }

    /// The program in its folder, ready to be run.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = hapax();
        command.current_dir(self.folder.path()).env("LEDGER_PASSWORD", PASSWORD).args(args);
        command
    }

    pub(crate) fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Leads other programs, and those that they start, to the database.
    pub(crate) fn lead(&self, command: &mut Command) {
        let url = format!("postgres://{USER}@127.0.0.1:{}/postgres", self.cluster.port());
        command.env("LEDGER_URL", url).env("LEDGER_PASSWORD", PASSWORD).env("PGPASSWORD", PASSWORD);
    }

    pub(crate) fn file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Takes the database away, or gives it back.
    pub(crate) fn is_there(&self, there: bool) {
        let done = async { if there { self.cluster.go_on().await } else { self.cluster.stop().await } };
        self.runtime.block_on(done).expect("the server obeys");
    }

    /// Has one more connection to a stand-in, and time running as fast as it does.
    pub(crate) fn connect(&self, stripe: &str) {
        let file = self.folder.path().join("hapax.toml");
        let written = std::fs::read_to_string(&file).expect("the configuration");
        let begins = written.split("[connections").next().expect("it begins with the ledger");
        let ledger = begins.split("\n[clock]").next().expect("it begins with the ledger");
        let connection =
            format!("[connections.shop]\nintegration = \"stripe\"\nbase_url = \"{stripe}\"\nstand_in = true\n");
        std::fs::write(&file, format!("{ledger}\n[clock]\nscale = {SCALE}\n{connection}")).expect("written");
    }

    /// Changes a part of its configuration.
    pub(crate) fn change(&self, from: &str, to: &str) {
        let file = self.folder.path().join("hapax.toml");
        let written = std::fs::read_to_string(&file).expect("the configuration");
        assert!(written.contains(from), "{from} is not in {written}");
        std::fs::write(&file, written.replacen(from, to, 1)).expect("written");
    }

    pub(crate) fn sql(&self, sql: &str) {
        self.runtime.block_on(self.cluster.sql("postgres", sql)).expect("SQL works");
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        let ended = Ended::of(&mut self.command(args));
        assert!(!format!("{}{}", ended.out, ended.err).contains(PASSWORD), "{args:?} shows the password");
        ended
    }
}

/// Hosts that share a ledger in PostgreSQL.
pub(crate) struct Hosts {
    pub(crate) place: Place,
    pub(crate) stripe: StandIn,
}

impl Hosts {
    pub(crate) fn open(left_out: &str) -> Option<Self> {
        let hosts = Self { place: Place::open(left_out)?, stripe: StandIn::serve(&["stripe"]) };
        let made = hosts.place.run(&["ledger", "create"]);
        assert_eq!(made.exit, 0, "{}", made.err);
        hosts.are_providers_there(true);
        Some(hosts)
    }

    /// Leads to the stand-in, or to where nobody is.
    pub(crate) fn are_providers_there(&self, there: bool) {
        self.place.connect(if there { &self.stripe.url } else { "http://127.0.0.1:9" });
    }
}

impl Floor for Hosts {
    fn command(&self, args: &[&str]) -> Command {
        self.place.command(args)
    }

    fn stripe(&self) -> &StandIn {
        &self.stripe
    }
}

#[test]
fn a_ledger_in_postgres_is_made_checked_verified_and_noted_as_restored() {
    let Some(place) = Place::open("a ledger in PostgreSQL") else { return };
    let run = |args: &[&str]| place.run(args);
    let without = Ended::of(hapax().current_dir(place.folder.path()).env_remove("LEDGER_PASSWORD").arg("ls"));
    without.failed(2, "nothing was sent: the ledger lacks its password", &["LEDGER_PASSWORD"]);
    run(&["ls"]).failed(7, "nothing was sent: the ledger postgres://", &["does not exist", "schema hapax"]);
    let made = run(&["ledger", "create"]);
    assert_eq!(made.exit, 0, "{}", made.err);
    run(&["ledger", "create"]).failed(7, "nothing was sent: ", &["never overwritten"]);
    assert_eq!(run(&["ls"]).exit, 0);
    let doctor = run(&["doctor", "--offline"]);
    assert_eq!(doctor.exit, 0, "{}{}", doctor.out, doctor.err);
    for what in [
        "ledger version",
        "ledger schema",
        "ledger durability",
        "ledger clock",
        "ledger connections",
        "ledger pooler",
        "ledger origin",
    ] {
        assert!(doctor.out.contains(what), "{}", doctor.out);
    }
    let verified = run(&["--json", "ledger", "verify"]);
    assert_eq!((verified.exit, &verified.json()["operations"]), (0, &serde_json::json!(0)), "{}", verified.err);
    // A backup of another cluster, put back here.
    let moved = "UPDATE hapax.header SET system = system - 1";
    place.sql(moved);
    run(&["ls"]).failed(7, "nothing was sent: ", &["another cluster", "hapax ledger restored"]);
    let noted = run(&["ledger", "restored"]);
    assert_eq!(noted.exit, 0, "{}", noted.err);
    assert_eq!(run(&["ls"]).exit, 0);
}

/// Past the test harness, which would keep it to the end.
pub(crate) fn tell(line: &str) {
    use std::io::Write;
    writeln!(std::io::stderr().lock(), "{line}").expect("somebody listens");
}
