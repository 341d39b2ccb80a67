//! How Google Calendar's cells are killed: a module of the crash suite, `tests/crash`.

use hapax_standin::client::Call;
use serde_json::json;

use super::{Intent, Job, Site, text};

pub(super) const JOBS: &[Job] = &[
    Job {
        cell: "google_calendar.create_event",
        effect: "create_event",
        shot: ("POST", "/calendar/v3/calendars/*/events"),
    },
    Job {
        cell: "google_calendar.update_event",
        effect: "update_event",
        shot: ("PATCH", "/calendar/v3/calendars/*/events/*"),
    },
    Job {
        cell: "google_calendar.delete_event",
        effect: "delete_event",
        shot: ("DELETE", "/calendar/v3/calendars/*/events/*"),
    },
];

pub(super) async fn intent(cell: &str, site: &Site, number: u64) -> Intent {
    let start = json!({ "date_time": "2026-12-01T10:00:00+01:00" });
    let end = json!({ "date_time": "2026-12-01T11:00:00+01:00" });
    let guests = json!([{ "email": format!("jane{number}@example.com") }]);
    match cell {
        "google_calendar.create_event" => Intent::marked(json!({
            "summary": format!("Review {number}"), "start": start, "end": end, "guests": guests, "send_updates": "all",
        })),
        "google_calendar.update_event" => {
            let event = made(site).await;
            let args = json!({ "event": event, "summary": format!("Review {number}"), "send_updates": "all" });
            Intent::known_by(&format!("primary/{event}"), args)
        }
        "google_calendar.delete_event" => {
            let event = made(site).await;
            Intent::known_by(&format!("primary/{event}"), json!({ "event": event, "send_updates": "all" }))
        }
        other => panic!("no intent of {other}"),
    }
}

/// An event that somebody created, by its id.
async fn made(site: &Site) -> String {
    let bearer = format!("Bearer {}", Site::credential("google_calendar", "access_token"));
    let call = Call::post(&format!("{}/calendar/v3/calendars/primary/events", site.url));
    let event = json!({
        "summary": "By hand", "start": { "date": "2026-12-01" }, "end": { "date": "2026-12-02" },
    });
    text(&site.ask(call.header("authorization", &bearer).json(&event)).await["id"])
}
