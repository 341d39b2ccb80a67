//! What can be asked of every stand-in over HTTP, next to the provider's own paths.

use super::stage::Stage;
use crate::injection::Injection;
use crate::reply::Reply;
use crate::request::Request;
use serde_json::json;

/// No provider has paths that begin like this.
pub(super) const PREFIX: &str = "/_standin/";

pub(super) fn answer(stage: &Stage, request: &Request) -> Reply {
    let name = request.path.strip_prefix(PREFIX).unwrap_or_default();
    match (request.method.as_str(), name) {
        ("GET", "effects") => effects(stage, request),
        ("GET", "injections") => injections(stage),
        ("POST", "inject") => inject(stage, request),
        ("POST", "release") => {
            stage.world.injections.release_all();
            done()
        }
        ("POST", "reset") => {
            stage.later.clear();
            stage.world.reset();
            stage.provider.reset();
            done()
        }
        _ => Reply::json(404, &json!({ "error": format!("no {} {}", request.method, request.path) })),
    }
}

fn effects(stage: &Stage, request: &Request) -> Reply {
    let effects = stage.world.effects.matching(|effect| {
        request.param("kind").is_none_or(|kind| effect.kind == kind)
            && request.param("mark").is_none_or(|mark| effect.carries(mark))
    });
    Reply::json(200, &json!({ "count": effects.len(), "effects": effects }))
}

fn injections(stage: &Stage) -> Reply {
    let counts = stage.world.injections.counts();
    let rows: Vec<_> = counts.iter().map(|(fault, reached)| json!({ "fault": fault, "reached": reached })).collect();
    Reply::json(200, &json!({ "injections": rows }))
}

fn inject(stage: &Stage, request: &Request) -> Reply {
    match serde_json::from_slice::<Injection>(&request.body) {
        Ok(Injection { when, kind }) => {
            stage.world.injections.add(when, kind);
            done()
        }
        Err(error) => Reply::json(400, &json!({ "error": error.to_string() })),
    }
}

fn done() -> Reply {
    Reply::json(200, &json!({ "done": true }))
}
