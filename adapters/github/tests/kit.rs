//! Hands Github's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Kit, Routes, Sample, Site, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::{Effect, Reply, Server, World};
use hapax_github::standin::StandIn;
use serde_json::{Map, Value, json};

struct Github;

#[async_trait]
impl Subject for Github {
    fn integration(&self) -> SharedIntegration {
        hapax_github::integration()
    }

    fn credentials(&self) -> Credentials {
        Credentials::none().with("api_key", "github_kit_first".into())
    }

    fn rotated(&self) -> Credentials {
        Credentials::none().with("api_key", "github_kit_second".into())
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![Arc::new(Create)]
    }
}

/// `github.create`.
struct Create;

#[async_trait]
impl CellSubject for Create {
    fn id(&self) -> &'static str {
        "github.create"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/v1/things"), prepare: None, look: None }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        let target = format!("target-{number}");
        Ok(Sample { args: json!({ "target": target }), target })
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _mark: &str) -> bool {
        effect.kind == "create" && effect.carries(&sample.target)
    }

    fn with_other_arguments(&self, _: &Sample) -> Value {
        json!({ "target": "another" })
    }

    fn foreign_members(&self) -> Map<String, Value> {
        json!({ "id": "foreign", "target": "foreign" }).as_object().cloned().unwrap_or_default()
    }

    fn error_reply(&self, status: u16) -> Reply {
        Reply::json(status, &json!({ "error": { "code": "kit", "message": "the kit says no" } }))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    let report = Kit::new(Arc::new(Github)).play().await;
    let mut table = Vec::new();
    report.write(&mut table).expect("memory takes everything");
    hapax_conformance::kit::say(&table);
    assert!(report.violations().is_empty(), "{} violations", report.violations().len());
}
