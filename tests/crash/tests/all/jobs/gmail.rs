//! Gmail's cells.

use serde_json::json;

use super::{Intent, Job};

pub(super) const JOBS: [Job; 1] =
    [Job { cell: "gmail.send", effect: "mail", shot: ("POST", "/gmail/v1/users/me/drafts/send") }];

pub(super) fn intent(number: u64) -> Intent {
    let to = json!([{ "address": format!("jane{number}@example.com") }]);
    Intent::marked(json!({ "to": to, "subject": format!("Invoice {number}"), "text": "It is due." }))
}
