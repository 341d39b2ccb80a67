//! How Microsoft Graph's cells are killed: a module of the crash suite, `tests/crash`.

use serde_json::json;

use super::{Intent, Job, Site};

pub(super) const JOBS: &[Job] = &[
    Job { cell: "ms_graph.send_mail", effect: "mail", shot: ("POST", "/v1.0/me/messages/*/send") },
    Job { cell: "ms_graph.create_event", effect: "event", shot: ("POST", "/v1.0/me/events") },
    Job { cell: "ms_graph.post_chat_message", effect: "chat_message", shot: ("POST", "/v1.0/chats/*/messages") },
];

pub(super) async fn intent(cell: &str, _site: &Site, number: u64) -> Intent {
    match cell {
        "ms_graph.send_mail" => {
            let to = json!([{ "address": format!("jane{number}@example.com") }]);
            Intent::marked(json!({ "to": to, "subject": format!("Invoice {number}"), "text": "It is due." }))
        }
        "ms_graph.create_event" => Intent::marked(json!({
            "subject": format!("Review {number}"), "start": "2026-12-01T10:00:00", "end": "2026-12-01T11:00:00",
            "attendees": [{ "address": format!("jane{number}@example.com") }],
        })),
        "ms_graph.post_chat_message" => Intent::marked(json!({
            "chat": format!("19:c{number}@thread.v2"), "text": format!("Deploy {number} is done."),
        })),
        other => panic!("no intent of {other}"),
    }
}
