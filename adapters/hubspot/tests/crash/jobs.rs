//! How Hubspot's cells are killed: a module of the crash suite, `tests/crash`.

use serde_json::json;

use super::{Intent, Job, Site};

pub(super) const JOBS: &[Job] = &[
    Job { cell: "hubspot.upsert_contact", effect: "upsert_contact", shot: ("POST", "/v1/upsert_contact") },
    Job { cell: "hubspot.create_deal", effect: "create_deal", shot: ("POST", "/v1/create_deal") },
];

pub(super) async fn intent(cell: &str, _site: &Site, number: u64) -> Intent {
    match cell {
        "hubspot.upsert_contact" => {
            let target = format!("target-{number}");
            Intent::known_by(&target, json!({ "target": target }))
        }
        "hubspot.create_deal" => {
            let target = format!("target-{number}");
            Intent::known_by(&target, json!({ "target": target }))
        }
        other => panic!("no intent of {other}"),
    }
}
