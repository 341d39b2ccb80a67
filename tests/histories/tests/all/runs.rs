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
