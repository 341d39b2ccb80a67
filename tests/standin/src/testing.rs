//! A provider for this crate's own tests: every POST makes an object, which is one effect.

use crate::client::Call;
use crate::clock::Scripted;
use crate::effects::Effect;
use crate::injection::Twists;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::{Provider, Server};
use crate::world::World;
use serde_json::json;
use std::io;
use std::sync::Arc;

pub(crate) struct Maker(World);

#[async_trait::async_trait]
impl Provider for Maker {
    async fn handle(&self, request: &Request, twists: &Twists) -> Reply {
        twists.before_effect().await;
        if request.method != "POST" {
            return Reply::json(200, &json!({ "path": request.path, "host": request.header("host") }));
        }
        let object = self.0.ids.next("ob", 8);
        let amount = request.field("amount").and_then(|amount| amount.parse().ok()).unwrap_or(0);
        let metadata = request.fields_under("metadata").map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.0.effects.add(Effect {
            kind: "make".to_owned(),
            object: object.clone(),
            metadata: metadata.collect(),
            amount,
            at_ms: self.0.now_ms(),
            ..Effect::default()
        });
        twists.after_effect().await;
        Reply::json(200, &json!({ "id": object, "amount": amount }))
    }

    fn error(&self, status: u16, code: Option<&str>) -> Reply {
        Reply::json(status, &json!({ "error": code.unwrap_or("error") }))
    }

    fn reset(&self) {}
}

pub(crate) async fn maker() -> (Server, Scripted) {
    let clock = Scripted::at(1_000_000);
    let world = World::with_clock(1, clock.clock());
    let server = Server::start(Arc::new(Maker(world.clone())), world, 0).await.expect("a free port");
    (server, clock)
}

pub(crate) async fn make(url: &str) -> io::Result<Reply> {
    Call::post(&format!("{url}/things")).form(&[("amount", "5"), ("metadata[mark]", "m1")]).send().await
}
