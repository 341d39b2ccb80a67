//! Slack's cells.

use hapax_standin::client::Call;
use serde_json::{Value, json};

use super::{Intent, Job, Site, text};

pub(super) const JOBS: &[Job] = &[
    Job { cell: "slack.post", effect: "message", shot: ("POST", "/api/chat.postMessage") },
    Job { cell: "slack.schedule", effect: "schedule", shot: ("POST", "/api/chat.scheduleMessage") },
    Job { cell: "slack.delete_scheduled", effect: "unschedule", shot: ("POST", "/api/chat.deleteScheduledMessage") },
    Job { cell: "slack.update", effect: "update", shot: ("POST", "/api/chat.update") },
    Job { cell: "slack.delete", effect: "delete", shot: ("POST", "/api/chat.delete") },
];

pub(super) async fn intent(cell: &str, site: &Site, number: u64) -> Intent {
    let channel = format!("C0CRASH{number:06}");
    let said = format!("Deploy {number} is done.");
    // 30 days of the provider's time, which is later than any trial lasts.
    let later = site.now_ms / 1_000 + 30 * 24 * 3600;
    match cell {
        "slack.post" => Intent::marked(json!({ "channel": channel, "text": said })),
        "slack.schedule" => Intent::known_by(&said, json!({ "channel": channel, "text": said, "post_at": later })),
        "slack.delete_scheduled" => {
            let at = later.to_string();
            let form = [("channel", channel.as_str()), ("text", &said), ("post_at", &at)];
            let id = text(&ask(site, "chat.scheduleMessage", &form).await["scheduled_message_id"]);
            Intent::known_by(&id, json!({ "channel": channel, "scheduled_message_id": id, "post_at": later }))
        }
        "slack.update" => {
            let ts = posted(site, &channel).await;
            Intent::known_by(&format!("{channel}/{ts}"), json!({ "channel": channel, "ts": ts, "text": said }))
        }
        "slack.delete" => {
            let ts = posted(site, &channel).await;
            Intent::known_by(&format!("{channel}/{ts}"), json!({ "channel": channel, "ts": ts }))
        }
        other => panic!("no intent of {other}"),
    }
}

/// A message that is there, by its `ts`.
async fn posted(site: &Site, channel: &str) -> String {
    text(&ask(site, "chat.postMessage", &[("channel", channel), ("text", "Deploy runs.")]).await["ts"])
}

async fn ask(site: &Site, method: &str, form: &[(&str, &str)]) -> Value {
    let bearer = format!("Bearer {}", Site::credential("slack", "token"));
    let call = Call::post(&format!("{}/api/{method}", site.url));
    let answer = site.ask(call.header("authorization", &bearer).form(form)).await;
    assert_eq!(answer["ok"], true, "the stand-in refuses inside a 200: {answer}");
    answer
}
