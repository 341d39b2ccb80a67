//! Slack's cells at a server that nobody here wrote. What it can show: `tests/third-party/README.md`.

use async_trait::async_trait;
use hapax_conformance::independent::Elsewhere;
use hapax_conformance::independent::patient::{self, Patient};
use hapax_conformance::kit::{Sample, Site};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::third_party::Program;
use serde_json::{Value, json};

use crate::site;

/// The conversation that `tests/third-party/emulate.mjs` puts there, and its token, which `site` uses, too.
const CHANNEL: &str = "C000000001";
const TOKEN: &str = "xoxb-local-test";
/// Thirty days ahead, which is later than the executor is put forward.
const AHEAD_S: i64 = 30 * 24 * 3600;

/// One cell at emulate.
struct AtEmulate {
    id: &'static str,
    shot: &'static str,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Post,
    Reply,
    Schedule,
    DeleteScheduled,
    Update,
    Delete,
}

/// When something is due: by the server's own clock, as a message shows it.
async fn later(site: &Site) -> Result<i64, String> {
    let ts = site::posted(site, CHANNEL, "What time is it?").await?;
    let now = ts.split_once('.').and_then(|(seconds, _)| seconds.parse::<i64>().ok()).ok_or("no time")?;
    Ok(now + AHEAD_S)
}

/// What a list of the server has that fits.
async fn count(
    site: &Site,
    (method, fields, list): (&str, &[(&str, &str)], &str),
    fits: impl Fn(&Value) -> bool,
) -> Result<usize, String> {
    let answer = site::ask(site, method, fields).await?;
    let entries = answer[list].as_array().ok_or_else(|| format!("no list in {answer}"))?;
    Ok(entries.iter().filter(|entry| fits(entry)).count())
}

#[async_trait]
impl Elsewhere for AtEmulate {
    fn id(&self) -> &'static str {
        self.id
    }

    fn program(&self) -> Program {
        Program::Emulate("slack")
    }

    fn server(&self) -> &'static str {
        "emulate 0.12.2"
    }

    fn integration(&self) -> SharedIntegration {
        hapax_slack::integration()
    }

    fn credentials(&self) -> Credentials {
        Credentials::none().with("token", TOKEN.into())
    }

    fn shot(&self) -> (&'static str, &'static str) {
        ("POST", self.shot)
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let text = format!("Deploy {number} is done.");
        let (args, target) = match self.what {
            What::Post => (json!({ "channel": CHANNEL, "text": text }), String::new()),
            What::Reply => {
                let parent = site::posted(site, CHANNEL, "Deploys").await?;
                (json!({ "channel": CHANNEL, "text": text, "thread_ts": parent }), parent)
            }
            What::Schedule => {
                (json!({ "channel": CHANNEL, "text": text, "post_at": later(site).await? }), String::new())
            }
            What::DeleteScheduled => {
                let at = later(site).await?;
                let id = site::scheduled(site, CHANNEL, &text, at).await?;
                (json!({ "channel": CHANNEL, "scheduled_message_id": id, "post_at": at }), id)
            }
            What::Update | What::Delete => {
                let ts = site::posted(site, CHANNEL, "Deploy runs.").await?;
                let mut args = json!({ "channel": CHANNEL, "ts": ts });
                if self.what == What::Update {
                    args["text"] = text.into();
                }
                (args, ts)
            }
        };
        Ok(Sample { args, target })
    }

    async fn count(&self, site: &Site, sample: &Sample, _: &str) -> Result<usize, String> {
        let is_text = |entry: &Value| entry["text"] == sample.args["text"];
        let history = [("channel", CHANNEL), ("limit", "999")];
        let thread = [("channel", CHANNEL), ("ts", sample.target.as_str())];
        let pending = [("limit", "999")];
        match self.what {
            What::Post => count(site, ("conversations.history", &history, "messages"), is_text).await,
            What::Reply => count(site, ("conversations.replies", &thread, "messages"), is_text).await,
            What::Schedule => {
                count(site, ("chat.scheduledMessages.list", &pending, "scheduled_messages"), is_text).await
            }
            What::Update => {
                let is_so = |entry: &Value| entry["ts"] == sample.target.as_str() && is_text(entry);
                count(site, ("conversations.history", &history, "messages"), is_so).await
            }
            What::Delete => {
                let is_it = |entry: &Value| entry["ts"] == sample.target.as_str();
                let left = count(site, ("conversations.history", &history, "messages"), is_it).await?;
                Ok(1 - left.min(1))
            }
            What::DeleteScheduled => {
                let is_it = |entry: &Value| entry["id"] == sample.target.as_str();
                let left = count(site, ("chat.scheduledMessages.list", &pending, "scheduled_messages"), is_it).await?;
                Ok(1 - left.min(1))
            }
        }
    }
}

impl Patient for AtEmulate {
    fn met(&self) -> Vec<String> {
        crate::needs()
    }

    /// What isn't found may all the same have been posted. What is still there was not deleted.
    fn asks_a_person(&self) -> bool {
        matches!(self.what, What::Post | What::Reply | What::Schedule)
    }
}

/// Plays all of them, where the server is installed.
pub(crate) async fn play_all() {
    let there = |id, shot, what| -> Box<dyn Patient> { Box::new(AtEmulate { id, shot, what }) };
    let cells = vec![
        // Last is what a result keeps, so the plain post comes after the reply.
        there("slack.post", "/api/chat.postMessage", What::Reply),
        there("slack.post", "/api/chat.postMessage", What::Post),
        there("slack.schedule", "/api/chat.scheduleMessage", What::Schedule),
        there("slack.delete_scheduled", "/api/chat.deleteScheduledMessage", What::DeleteScheduled),
        there("slack.update", "/api/chat.update", What::Update),
        there("slack.delete", "/api/chat.delete", What::Delete),
    ];
    patient::play_all("slack", env!("CARGO_MANIFEST_DIR"), cells).await;
}
