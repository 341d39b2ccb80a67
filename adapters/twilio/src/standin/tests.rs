//! The stand-in over real sockets, asked as a client asks.

mod lists;
mod messages;

use super::StandIn;
use crate::testing::ACCOUNT;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Reply, Server, World};
use serde_json::Value;

/// 2026-09-21, 14:13:20 GMT.
const BEGIN_MS: i64 = 1_790_000_000_000;
const TO: (&str, &str) = ("To", "+15551230001");
const FROM: (&str, &str) = ("From", "+15551234567");
const SERVICE: (&str, &str) = ("MessagingServiceSid", "MG00000000000000000000000000000000");

/// A stand-in at work, its clock, and the hand that acts in the Console.
struct Stage {
    server: Server,
    clock: Scripted,
    hand: StandIn,
}

async fn stage() -> Stage {
    stage_of(|stand_in| stand_in).await
}

async fn stage_of(with: impl FnOnce(StandIn) -> StandIn) -> Stage {
    let clock = Scripted::at(BEGIN_MS);
    let hand = with(StandIn::new(World::with_clock(1, clock.clock())));
    let server = hand.clone().serve(0).await.expect("a free port");
    Stage { server, clock, hand }
}

impl Stage {
    fn call(&self, method: &str, path: &str) -> Call {
        let url = format!("{}/2010-04-01/Accounts/{ACCOUNT}{path}", self.server.url());
        Call::new(method, &url)
            .header("authorization", &format!("Basic {}", STANDARD.encode(format!("{ACCOUNT}:anything"))))
    }

    async fn get(&self, path: &str) -> Reply {
        self.call("GET", path).send().await.expect("a reply")
    }

    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        self.call("POST", path).form(fields).send().await.expect("a reply")
    }

    /// Sends a message and returns its SID.
    async fn sent(&self, body: &str) -> String {
        let reply = self.post("/Messages.json", &[TO, FROM, ("Body", body)]).await;
        assert_eq!(reply.status, 201, "{}", reply.value());
        text(&reply.value()["sid"])
    }

    async fn status(&self, sid: &str) -> String {
        text(&self.get(&format!("/Messages/{sid}.json")).await.value()["status"])
    }

    fn count(&self, kind: &str) -> usize {
        self.server.effects().count(kind)
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn code(reply: &Reply) -> (u16, u64) {
    (reply.status, reply.value()["code"].as_u64().unwrap_or(0))
}
