//! Hands the toy to the kit.

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::client::Call;
use hapax_standin::{Effect, Reply, Server, World};
use serde_json::{Value, json};

use crate::cells::ToyIntegration;
use crate::provider::{PAGE, Toy};

pub(crate) struct ToySubject;

fn token(text: &str) -> Credentials {
    Credentials::none().with("token", text.into())
}

#[async_trait]
impl Subject for ToySubject {
    fn integration(&self) -> SharedIntegration {
        Arc::new(ToyIntegration)
    }

    fn credentials(&self) -> Credentials {
        token("toy-token-one")
    }

    fn rotated(&self) -> Credentials {
        token("toy-token-two")
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        Server::start(Toy::new(world.clone()), world, 0).await
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        let cell = |id, kind, shot| Arc::new(ToyCell { id, kind, shot }) as Arc<dyn CellSubject>;
        vec![cell("toy.pay", "pay", "/pay"), cell("toy.send", "send", "/send"), cell("toy.post", "post", "/post")]
    }
}

struct ToyCell {
    id: &'static str,
    kind: &'static str,
    shot: &'static str,
}

impl ToyCell {
    fn is_asked(&self) -> bool {
        self.kind != "pay"
    }

    /// Somebody else's record of this kind.
    async fn others(&self, site: &Site, text: &str) -> Result<(), String> {
        let call = Call::post(&format!("{}{}", site.url, self.shot)).form(&[("text", text), ("mark", "others")]);
        call.send().await.map(|_| ()).map_err(|error| error.to_string())
    }
}

#[async_trait]
impl CellSubject for ToyCell {
    fn id(&self) -> &'static str {
        self.id
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", self.shot), prepare: &[], look: self.is_asked().then_some(("GET", "/records*")) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        let target = format!("text {number}");
        Ok(Sample { args: json!({ "text": target }), target })
    }

    async fn equal_intents(&self, site: &Site, number: u64) -> Result<(Sample, Sample), String> {
        let one = self.intent(site, number).await?;
        Ok((one.clone(), one))
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, mark: &str) -> bool {
        let ours = if self.kind == "post" { effect.carries(&sample.target) } else { effect.carries(mark) };
        effect.kind == self.kind && ours
    }

    fn with_other_arguments(&self, _: &Sample) -> Value {
        json!({ "text": "something else" })
    }

    fn foreign_members(&self) -> serde_json::Map<String, Value> {
        json!({ "id": "foreign", "text": "of another" }).as_object().cloned().unwrap_or_default()
    }

    fn error_reply(&self, status: u16) -> Reply {
        Reply::json(status, &json!({ "error": "error" }))
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, _: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Sample { args: json!({ "text": "refuse" }), target: "refuse".to_owned() }))
    }

    fn clutters(&self) -> bool {
        self.is_asked()
    }

    async fn clutter(&self, site: &Site, _: &Sample) -> Option<Result<(), String>> {
        for _ in 0..=PAGE {
            if let Err(why) = self.others(site, "others").await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        self.kind == "send"
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(self.others(site, &sample.target).await)
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        match self.kind {
            // Both intents have every effect with their text, so the kit can't count them apart.
            "post" => vec![("equal-intents", "equal effects can't be told apart here; the fault after it counts them")],
            _ => Vec::new(),
        }
    }

    fn counts_apart(&self) -> bool {
        self.kind != "post"
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        // The key replays the stored failure, and nobody can be asked.
        if self.kind == "pay" { vec![("stored-500-with-effect", End::Person)] } else { Vec::new() }
    }
}
