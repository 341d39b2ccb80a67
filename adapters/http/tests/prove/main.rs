//! Each worked example holds under every fault of the kit.
#![cfg(feature = "prove")]

use hapax_http::{Declared, prove};

async fn holds(file: &str, text: &str) {
    let declared = Declared::read(file, text).unwrap_or_else(|problem| panic!("{problem}"));
    let report = prove::play(&declared, &[1]).await.unwrap_or_else(|problem| panic!("{problem}"));
    let mut table = Vec::new();
    report.write(&mut table).expect("memory takes everything");
    hapax_conformance::kit::say(&table);
    assert!(report.violations().is_empty(), "{} violations", report.violations().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_with_a_key() {
    holds("payments.toml", include_str!("../../../../docs/declare/payments.toml")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_system_with_a_search_only() {
    holds("tickets.toml", include_str!("../../../../docs/declare/tickets.toml")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_with_nothing() {
    holds("relay.toml", include_str!("../../../../docs/declare/relay.toml")).await;
}
