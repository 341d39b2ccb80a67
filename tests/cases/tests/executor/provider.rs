//! A provider in memory, reached without sockets. Its effects can be counted and its answers
//! scripted.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::transport::{Body, Gate, Method, Request, Response, Transport};
use hapax_core::words::Fault;
use serde_json::{Value, json};
use tokio::sync::Notify;

/// What happens to the next request that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// The effect, and the answer is lost.
    LosesAnswer,
    /// Neither.
    LosesRequest,
    /// The effect, and the answer comes when `release` is called.
    AnswersLate,
    /// No effect; this status and code.
    Says(u16, &'static str),
    /// The effect, then this status and code.
    ActsThenSays(u16, &'static str),
    /// The effect, and an answer about another amount.
    AnswersWrong,
}

/// One effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) id: String,
    pub(crate) mark: String,
    pub(crate) amount: i64,
    pub(crate) key: String,
}

#[derive(Default)]
struct World {
    script: VecDeque<Does>,
    effects: Vec<Effect>,
    keys: HashMap<String, String>,
    requests: usize,
    looks: usize,
    hidden: bool,
}

/// The provider.
#[derive(Default)]
pub(crate) struct Provider {
    world: Mutex<World>,
    released: Notify,
}

impl Provider {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Scripts the next requests that count.
    pub(crate) fn script(&self, does: impl IntoIterator<Item = Does>) {
        self.world().script.extend(does);
    }

    pub(crate) fn effects(&self) -> Vec<Effect> {
        self.world().effects.clone()
    }

    /// Requests that count and reached the provider.
    pub(crate) fn requests(&self) -> usize {
        self.world().requests
    }

    pub(crate) fn looks(&self) -> usize {
        self.world().looks
    }

    /// Lists show nothing for now.
    pub(crate) fn hide(&self, hidden: bool) {
        self.world().hidden = hidden;
    }

    /// Somebody else's effect.
    pub(crate) fn foreign(&self, amount: i64) {
        let mut world = self.world();
        let id = format!("e{}", world.effects.len());
        world.effects.push(Effect { id, mark: String::new(), amount, key: String::new() });
    }

    pub(crate) fn release(&self) {
        self.released.notify_one();
    }

    fn act(&self, request: &Request) -> (Option<Does>, Value) {
        let mut world = self.world();
        world.requests += 1;
        let does = world.script.pop_front();
        let key = header(request, "key");
        if let Some(id) = (!key.is_empty()).then(|| world.keys.get(&key).cloned()).flatten() {
            let effect = world.effects.iter().find(|effect| effect.id == id).cloned();
            return (does, effect.map_or(Value::Null, |effect| shown(&effect)));
        }
        if matches!(does, Some(Does::LosesRequest | Does::Says(..))) {
            return (does, Value::Null);
        }
        let Body::Json(body) = &request.body else { return (does, Value::Null) };
        let effect = Effect {
            id: format!("e{}", world.effects.len()),
            mark: body["mark"].as_str().unwrap_or_default().to_owned(),
            amount: body["amount"].as_i64().unwrap_or_default(),
            key: key.clone(),
        };
        world.effects.push(effect.clone());
        if !key.is_empty() {
            world.keys.insert(key, effect.id.clone());
        }
        (does, shown(&effect))
    }
}

fn shown(effect: &Effect) -> Value {
    json!({ "id": effect.id, "mark": effect.mark, "amount": effect.amount })
}

fn header(request: &Request, name: &str) -> String {
    request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

fn answer(status: u16, body: &Value) -> Response {
    Response { status, headers: Vec::new(), body: body.to_string().into_bytes() }
}

#[async_trait]
impl Transport for Provider {
    async fn ask(&self, _: &url::Url, request: Request, _: Duration) -> Result<Response, Fault> {
        assert_eq!(request.method, Method::Get, "a harmless request is a read here");
        let mut world = self.world();
        world.looks += 1;
        if let Some(id) = request.path.strip_prefix("/effects/") {
            let hit = world.effects.iter().find(|effect| effect.id == id);
            return Ok(match hit {
                Some(effect) => answer(200, &shown(effect)),
                None => answer(404, &json!({ "error": "no_such_effect" })),
            });
        }
        let visible = if world.hidden { Vec::new() } else { world.effects.iter().map(shown).collect() };
        Ok(answer(200, &json!({ "effects": visible })))
    }

    async fn shoot(&self, _: &url::Url, request: Request, gate: Gate) -> Result<Response, Fault> {
        if !gate.is_open() {
            return Err(Fault::NotSent("the deadline has passed".to_owned()));
        }
        let (does, body) = self.act(&request);
        match does {
            None => Ok(answer(200, &body)),
            Some(Does::LosesAnswer | Does::LosesRequest) => Err(Fault::Lost("reset".to_owned())),
            Some(Does::AnswersLate) => {
                self.released.notified().await;
                Ok(answer(200, &body))
            }
            Some(Does::Says(status, code) | Does::ActsThenSays(status, code)) => {
                Ok(answer(status, &json!({ "error": code })))
            }
            Some(Does::AnswersWrong) => {
                let mut wrong = body;
                wrong["amount"] = json!(1);
                Ok(answer(200, &wrong))
            }
        }
    }
}
