//! Runs of real processes.

use hapax_histories::run::Store;

use super::support::{judged, ran, short, tell};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_that_share_a_file() {
    let plan = short(1, Store::File);
    let ran = ran(&plan).await;
    let figures = judged(&plan, &ran).unwrap_or_else(|report| panic!("{report}"));
    tell(&format!("{figures}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dump() {
    let plan = short(std::env::var("SEED").map_or(3, |s| s.parse().unwrap()), Store::File);
    let ran = ran(&plan).await;
    std::fs::write("/tmp/dump.history", ran.history.to_string()).unwrap();
    if let Err(r) = judged(&plan, &ran) { tell(&r) }
    tell(&format!("{}", hapax_histories::run::Figures::of(&ran.history)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn planted_dump() {
    use hapax_histories::run::Bug;
    use hapax_histories::worker::Planted;
    use hapax_histories::check::check;
    for bug in [Bug::Planted(Planted::BlindAppends), Bug::Planted(Planted::ForgetsEnds), Bug::IgnoredKeys] {
        for seed in 1..5 {
            let mut plan = short(seed, Store::File);
            plan.bug = Some(bug);
            plan.busy = std::time::Duration::from_millis(1500);
            plan.quiet = std::time::Duration::from_millis(1500);
            let ran = hapax_histories::run::run(&plan, super::support::program()).await.unwrap();
            let mut rules: Vec<String> = check(&ran.history).iter().map(|v| v.rule.name().to_owned()).collect();
            rules.sort();
            tell(&format!("{bug:?} {seed} {rules:?} {:?} {}", ran.troubles, ran.is_disturbed));
        }
    }
}
