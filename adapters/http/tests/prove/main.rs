//! Each worked example holds under every fault of the kit.
#![cfg(feature = "prove")]

use hapax_http::{Declared, prove};

async fn holds(file: &str, text: &str) {
    let declared = Declared::read(file, text).unwrap_or_else(|problem| panic!("{problem}"));
    let report = prove::play(&declared, &[1], None).await.unwrap_or_else(|problem| panic!("{problem}"));
    let mut table = Vec::new();
    report.write(&mut table).expect("memory takes everything");
    hapax_conformance::kit::say(&table);
    assert!(report.violations().is_empty(), "{} violations", report.violations().len());
}

// One after the other, as the kits of adapters are: side by side they would miss each other's deadlines.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_a_search_and_nothing_each_hold_under_every_fault() {
    holds("payments.toml", include_str!("../../../../docs/declare/payments.toml")).await;
    holds("tickets.toml", include_str!("../../../../docs/declare/tickets.toml")).await;
    holds("relay.toml", include_str!("../../../../docs/declare/relay.toml")).await;
}
