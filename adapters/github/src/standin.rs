//! A stand-in for Github. It behaves as `FAILURE_MODES.md` says, keeps its state in memory, counts what
//! happened and can be told to break. Effects are of the kind `create`.

use std::io;

use hapax_standin::{Api, Collection, Context, Effect, Record, Reply, Routes, Server, Service, World};
use serde_json::{Value, json};

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("api_key", "standin")];

/// Github in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<Github>);

#[derive(Default)]
struct Github {
    things: Collection<Thing>,
}

struct Thing {
    id: String,
    target: String,
    created_ms: i64,
}

impl StandIn {
    /// A stand-in without any objects.
    pub fn new(world: World) -> Self {
        Self(Service::new(world, Github::default()))
    }

    /// Serves on 127.0.0.1; port 0 takes a free one.
    ///
    /// # Errors
    /// The port can't be had.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }
}

impl Record for Thing {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Thing {
    fn value(&self) -> Value {
        json!({ "id": self.id, "target": self.target })
    }
}

impl Api for Github {
    fn routes() -> Routes<Self> {
        Routes::new()
            .get("/v1/me", |_| Ok::<Value, Reply>(json!({})))
            .post("/v1/things", create)
            .get("/v1/things/{id}", show)
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        let usual = if status == 404 { "not_found" } else { "error" };
        Reply::json(status, &json!({ "error": { "code": code.unwrap_or(usual), "message": "" } }))
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

fn create(context: &mut Context<'_, Github>) -> Result<Value, Reply> {
    let target = context.request.json_at("/target").as_str();
    let target = target.ok_or_else(|| Github::error(400, Some("target_missing")))?.to_owned();
    let thing = Thing { id: context.world.ids.next("th", 8), target, created_ms: context.now_ms };
    context.effect(Effect {
        kind: "create".to_owned(),
        object: thing.id.clone(),
        metadata: [("target".to_owned(), thing.target.clone())].into(),
        ..Effect::default()
    });
    Ok(context.state.things.add(thing).value())
}

fn show(context: &mut Context<'_, Github>) -> Result<Value, Reply> {
    let thing = context.state.things.get(&context.path("id"));
    thing.map(Thing::value).ok_or_else(|| Github::error(404, None))
}
