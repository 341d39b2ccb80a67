//! What is counted says which cell and what came of it, and nothing that anybody passed in.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};

use super::bed::{Bed, id, request};
use super::provider::Does;

/// Notes everything by which something is counted.
#[derive(Clone, Default)]
struct Counted(Arc<Mutex<BTreeSet<String>>>);

impl Counted {
    fn note(&self, key: &Key) {
        let labels: Vec<String> = key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        self.0.lock().expect("a lock").insert(format!("{} {}", key.name(), labels.join(" ")));
    }
}

impl Recorder for Counted {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        self.note(key);
        Counter::noop()
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        self.note(key);
        Gauge::noop()
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        self.note(key);
        Histogram::noop()
    }
}

/// Stands in keys, arguments and names of people.
const CANARY: &str = "ada-lovelace";

/// An effect whose answer is lost, one that is found, one that is refused, one that a person sees to.
async fn everything_happens() {
    let bed = Bed::new();
    bed.provider.script([Does::LosesAnswer]);
    let executor = bed.executor().await;
    let asked = executor.run(request("toy.asked", &format!("{CANARY}:1"), 100)).await.expect("run");
    assert!(id(&asked).is_some(), "{asked:?}");
    executor.run(request("toy.keyed", &format!("{CANARY}:2"), 200)).await.expect("run");
    bed.provider.script([Does::LosesAnswer]);
    let blind = executor.run(request("toy.blind", &format!("{CANARY}:3"), 300)).await.expect("run");
    executor.witness(blind.operation, CANARY, "e2").await.expect("witness");
}

#[test]
fn nothing_that_was_passed_in_is_in_a_metric() {
    let counted = Counted::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    // On one thread, whose recorder this is.
    metrics::with_local_recorder(&counted, || runtime.expect("a runtime").block_on(everything_happens()));
    let counted = counted.0.lock().expect("a lock");
    for name in ["hapax_operations_total cell=toy.", "hapax_attempts_total cell=toy.", "hapax_looks_total cell=toy."] {
        assert!(counted.iter().any(|one| one.starts_with(name)), "{name} is not in {counted:?}");
    }
    for one in counted.iter() {
        assert!(!one.contains("ada") && !one.contains("acme") && !one.contains("e0"), "{one}");
    }
}
