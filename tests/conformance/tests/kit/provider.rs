//! A small provider with three ways to do one thing: under a key, with a mark, and with neither.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use hapax_standin::{
    Admission, Effect, FailuresKept, KeyRules, KeyScope, KeyStore, Provider, Reply, Request, Twins, Twists, World,
};
use serde_json::{Value, json};

const RULES: KeyRules = KeyRules {
    window_ms: 600_000,
    scope: KeyScope::Account,
    failures: FailuresKept::Kept,
    twins: Twins::OneWins,
    replay_marker: None,
};

/// How many records a page has.
pub(crate) const PAGE: usize = 5;

pub(crate) struct Toy {
    world: World,
    keys: KeyStore,
    records: Mutex<Vec<(i64, Value)>>,
}

impl Toy {
    pub(crate) fn new(world: World) -> Arc<Self> {
        let keys = KeyStore::new(RULES, world.clock.clone());
        Arc::new(Self { world, keys, records: Mutex::default() })
    }

    fn make(&self, request: &Request) -> Reply {
        let text = request.field("text").unwrap_or_default();
        if text == "refuse" {
            return failed(422, "refused");
        }
        let (kind, id) = (request.path.trim_start_matches('/').to_owned(), self.world.ids.next("ob", 12));
        let mark = request.field("mark").unwrap_or_default();
        let record = json!({ "id": id, "kind": kind, "text": text, "mark": mark });
        let metadata = [("mark".to_owned(), mark.to_owned()), ("text".to_owned(), text.to_owned())];
        let at_ms = self.world.now_ms();
        let token = request.header("idempotency-key").map(str::to_owned);
        let object = id;
        self.world.effects.add(Effect { kind, object, token, metadata: metadata.into(), at_ms, ..Effect::default() });
        self.records.lock().unwrap_or_else(PoisonError::into_inner).push((at_ms, record.clone()));
        Reply::json(200, &record)
    }

    async fn post(&self, request: &Request, twists: &Twists) -> Reply {
        let key = request.header("idempotency-key").filter(|_| !twists.key_ignored());
        let permit = match key.map(|key| self.keys.admit("toy", key, &request.path, &format!("{:?}", request.form))) {
            None => None,
            Some(Admission::Run(permit)) => Some(permit),
            Some(Admission::Replay(reply)) => return reply,
            Some(Admission::InUse) => return failed(409, "in_use"),
            Some(_) => return failed(400, "other_parameters"),
        };
        twists.before_effect().await;
        let reply = match twists.stored_error() {
            Some((status, effect)) => {
                if effect {
                    self.make(request);
                }
                failed(status, "stored")
            }
            None => self.make(request),
        };
        twists.after_effect().await;
        if let Some(permit) = permit {
            permit.store(&reply);
        }
        reply
    }

    fn list(&self, request: &Request, twists: &Twists) -> Reply {
        let kind = request.param("kind").unwrap_or_default();
        let until = self.world.now_ms() - twists.list_lag_ms().unwrap_or(0);
        let all = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let lags = twists.list_lag_ms().is_some();
        let shown = all.iter().rev().filter(|(at, record)| (!lags || *at <= until) && record["kind"] == kind);
        let mut shown: Vec<Value> = shown.map(|(_, record)| record.clone()).collect();
        shown.truncate(twists.list_cap().unwrap_or(usize::MAX));
        let skip = request.param("skip").and_then(|text| text.parse().ok()).unwrap_or(0);
        let page: Vec<&Value> = shown.iter().skip(skip).take(PAGE).collect();
        Reply::json(200, &json!({ "data": page, "has_more": shown.len() > skip + PAGE, "next": skip + PAGE }))
    }

    fn one(&self, id: &str) -> Reply {
        let all = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        match all.iter().find(|(_, record)| record["id"] == id) {
            Some((_, record)) => Reply::json(200, record),
            None => failed(404, "missing"),
        }
    }
}

fn failed(status: u16, code: &str) -> Reply {
    Reply::json(status, &json!({ "error": code }))
}

#[async_trait]
impl Provider for Toy {
    async fn handle(&self, request: &Request, twists: &Twists) -> Reply {
        match (request.method.as_str(), request.segments().as_slice()) {
            ("POST", _) => self.post(request, twists).await,
            (_, ["records"]) => self.list(request, twists),
            (_, ["records", id]) => self.one(id),
            _ => failed(404, "no_such_place"),
        }
    }

    fn error(&self, status: u16, code: Option<&str>) -> Reply {
        failed(status, code.unwrap_or("error"))
    }

    fn reset(&self) {
        self.keys.reset();
        self.records.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
