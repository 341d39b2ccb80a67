//! A ledger in PostgreSQL, from the command line. Where none is installed, the test says that it was left out.

use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER, available};

use crate::support::{Ended, hapax};

#[test]
fn a_ledger_in_postgres_is_made_checked_verified_and_noted_as_restored() {
    if !available() {
        tell("left out: a ledger in PostgreSQL: none is installed (initdb, pg_ctl, psql)");
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let cluster = runtime.block_on(Cluster::start()).expect("a cluster");
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    assert_eq!(Ended::of(hapax().arg("init").arg(place)).exit, 0);
    let sample = std::fs::read_to_string(place.join("hapax.toml")).expect("the configuration");
    let url = format!(
        "url = \"postgres://{USER}@127.0.0.1:{}/postgres\"\npassword_env = \"LEDGER_PASSWORD\"",
        cluster.port()
    );
    let config = sample.replace("path = \"hapax.ledger\"", &url);
    std::fs::write(place.join("hapax.toml"), config).expect("written");
    let run = |args: &[&str]| {
        let ended = Ended::of(hapax().current_dir(place).env("LEDGER_PASSWORD", PASSWORD).args(args));
        assert!(!format!("{}{}", ended.out, ended.err).contains(PASSWORD), "{args:?} shows the password");
        ended
    };
    let without = Ended::of(hapax().current_dir(place).env_remove("LEDGER_PASSWORD").arg("ls"));
    without.failed(2, "nothing was sent: the ledger lacks its password", &["LEDGER_PASSWORD"]);
    run(&["ls"]).failed(7, "nothing was sent: the ledger postgres://", &["does not exist", "schema hapax"]);
    let made = run(&["ledger", "create"]);
    assert_eq!(made.exit, 0, "{}", made.err);
    run(&["ledger", "create"]).failed(7, "nothing was sent: ", &["never overwritten"]);
    assert_eq!(run(&["ls"]).exit, 0);
    let doctor = run(&["doctor", "--offline"]);
    assert_eq!(doctor.exit, 0, "{}{}", doctor.out, doctor.err);
    for what in ["ledger version", "ledger durability", "ledger clock", "ledger pooler", "ledger origin"] {
        assert!(doctor.out.contains(what), "{}", doctor.out);
    }
    let verified = run(&["--json", "ledger", "verify"]);
    assert_eq!((verified.exit, &verified.json()["operations"]), (0, &serde_json::json!(0)), "{}", verified.err);
    // A backup of another cluster, put back here.
    let moved = "UPDATE hapax.header SET system = system - 1";
    runtime.block_on(cluster.sql("postgres", moved)).expect("SQL works");
    run(&["ls"]).failed(7, "nothing was sent: ", &["another cluster", "hapax ledger restored"]);
    let noted = run(&["ledger", "restored"]);
    assert_eq!(noted.exit, 0, "{}", noted.err);
    assert_eq!(run(&["ls"]).exit, 0);
}

/// Past the test harness, which would keep it to the end.
fn tell(line: &str) {
    use std::io::Write;
    writeln!(std::io::stderr().lock(), "{line}").expect("somebody listens");
}
