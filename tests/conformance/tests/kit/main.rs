//! The kit tests itself on a toy provider: every fault holds on correct cells, and every planted bug comes to light.

mod cells;
mod provider;
mod subject;

use std::sync::Arc;

use hapax_conformance::kit::{Kit, Subject, say};
use hapax_conformance::planted;
use subject::ToySubject;

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_the_toy() {
    let report = Kit::new(Arc::new(ToySubject)).play().await;
    let mut table = Vec::new();
    report.write(&mut table).expect("memory takes everything");
    say(&table);
    assert!(report.violations().is_empty(), "{} violations", report.violations().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_planted_bug_comes_to_light() {
    let subject: Arc<dyn Subject> = Arc::new(ToySubject);
    let caught = planted::play(&subject).await;
    for one in &caught {
        say(format!("{:<30}{:<12}{}\n", one.bug, one.cell, if one.caught { "caught" } else { "-" }).as_bytes());
    }
    assert_eq!(planted::missed(&caught), Vec::<&str>::new());
}
