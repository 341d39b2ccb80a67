//! How runs are made and judged, and what is said of one that fails.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hapax_histories::check::{Violation, check};
use hapax_histories::history::History;
use hapax_histories::run::{Figures, Plan, Ran, Store, run};
use hapax_histories::shrink::{shrink, story};
use hapax_standin::third_party::postgres::{Cluster, available};
use tokio::sync::OnceCell;

/// The worker's program, of this build.
pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_hapax-histories-worker"))
}

/// A short run.
pub(crate) fn short(seed: u64, store: Store) -> Plan {
    let (busy, quiet) = (Duration::from_millis(2_500), Duration::from_secs(3));
    Plan { seed, store, workers: 3, callers: 8, busy, quiet, bug: None }
}

/// A number out of the environment.
pub(crate) fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Past the test harness, which would keep it to the end.
pub(crate) fn tell(line: &str) {
    use std::io::Write;
    let mut out = std::io::stderr().lock();
    out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).expect("somebody listens");
}

/// The cluster of all tests of this program; none, which is said: there is no PostgreSQL.
pub(crate) async fn cluster(left_out: &str) -> Option<&'static Cluster> {
    static CLUSTER: OnceCell<Cluster> = OnceCell::const_new();
    if !available() {
        tell(&format!("left out: {left_out}: no PostgreSQL is installed (initdb, pg_ctl, psql)"));
        return None;
    }
    Some(CLUSTER.get_or_init(|| async { Cluster::start().await.expect("a cluster can be made") }).await)
}

/// Runs, and says what came of the run itself.
pub(crate) async fn ran(plan: &Plan) -> Ran {
    /// Beyond what a run is meant to take; a busy machine is slower.
    const LIMIT: Duration = Duration::from_secs(120);
    let running = tokio::time::timeout(plan.busy + plan.quiet + LIMIT, run(plan, program())).await;
    let ran = running.unwrap_or_else(|_| panic!("seed {}: the run hangs", plan.seed));
    let ran = ran.unwrap_or_else(|why| panic!("seed {}: no run: {why}", plan.seed));
    assert!(ran.troubles.is_empty(), "seed {}: the run itself broke: {}", plan.seed, ran.troubles.join("\n"));
    ran
}

/// Judges a run: what it adds up to, or a report of what is wrong.
pub(crate) fn judged(plan: &Plan, ran: &Ran, test: &str) -> Result<Figures, String> {
    let mut figures = Figures::of(&ran.history);
    let violations = check(&ran.history);
    if violations.is_empty() {
        return Ok(figures);
    }
    // A provider that stood still broke its promises; what follows from that is nobody's fault.
    if ran.is_disturbed {
        figures.disturbed = 1;
        return Ok(figures);
    }
    Err(report(plan, &ran.history, &violations, test))
}

/// What is wrong with a history, in words and as the smallest history that shows it. Both are kept in files.
pub(crate) fn report(plan: &Plan, history: &History, violations: &[Violation], test: &str) -> String {
    let all: String = violations.iter().map(|one| format!("\n  {one}")).collect();
    let first = &violations[0];
    let (whole, least) = (story(history, first), shrink(history, first));
    let name = format!("{test}-{}-{}", plan.seed, first.rule.name());
    let files = [("whole", history), ("story", &whole), ("least", &least)];
    let kept = files.map(|(what, history)| keep(&name, what, history));
    let minutes = if test == "long" { " HAPAX_HISTORIES_MINUTES=1" } else { "" };
    let (seed, place) = (plan.seed, kept[2].display());
    format!(
        "a history that can't be:{all}\n\n{whole}\nthe least of it:\n\n{least}\nplay the seed again: \
         HAPAX_HISTORIES_SEED={seed}{minutes} cargo test -p hapax-histories --test all {test}\nmake it a test: \
         copy {place} to tests/histories/tests/kept"
    )
}

fn keep(name: &str, what: &str, history: &History) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("histories");
    let path = folder.join(format!("{name}.{what}.history"));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, history.to_string()));
    written.unwrap_or_else(|error| panic!("{} can't be written: {error}", path.display()));
    path
}
