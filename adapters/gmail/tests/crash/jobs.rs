//! How Gmail's cells are killed: a module of the crash suite, `tests/crash`.

use serde_json::json;

use super::{Intent, Job, Site};

pub(super) const JOBS: &[Job] =
    &[Job { cell: "gmail.send", effect: "mail", shot: ("POST", "/gmail/v1/users/me/drafts/send") }];

pub(super) async fn intent(cell: &str, _site: &Site, number: u64) -> Intent {
    match cell {
        "gmail.send" => {
            let to = json!([{ "address": format!("jane{number}@example.com") }]);
            Intent::marked(json!({ "to": to, "subject": format!("Invoice {number}"), "text": "It is due." }))
        }
        other => panic!("no intent of {other}"),
    }
}
