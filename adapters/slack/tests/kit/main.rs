//! Hands Slack's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod be_so;
mod cells;
mod elsewhere;
mod site;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_slack::standin::StandIn;
use hapax_standin::{Server, World};

struct Slack;

fn token(text: &str) -> Credentials {
    Credentials::none().with("token", text.into())
}

/// All that a connection to Slack can meet.
pub(crate) fn needs() -> Vec<String> {
    let cells = hapax_slack::integration().cells();
    cells.iter().flat_map(|cell| cell.spec().published().1).map(|need| need.words().to_owned()).collect()
}

#[async_trait]
impl Subject for Slack {
    fn integration(&self) -> SharedIntegration {
        hapax_slack::integration()
    }

    fn credentials(&self) -> Credentials {
        token("xoxb-kit-first")
    }

    fn rotated(&self) -> Credentials {
        token("xoxb-kit-second")
    }

    fn met(&self) -> Vec<String> {
        needs()
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn unreached(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("found:failed", "what Slack took on comes to nothing only where somebody deletes it"),
            ("event:fated", "what was posted stays, and what was scheduled is not followed"),
        ]
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("fresh-key-per-attempt", "what is sent along as client_msg_id is no header, and nothing relies on it"),
            (
                "second-refusal-closes",
                "no second message leaves while the first is open; what is changed or deleted is read",
            ),
        ]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![
            Arc::new(cells::Post),
            Arc::new(cells::Schedule),
            Arc::new(be_so::DeleteScheduled),
            Arc::new(be_so::OnMessage::Update),
            Arc::new(be_so::OnMessage::Delete),
        ]
    }
}

// One test, so that the two halves of a result are written one after the other.
#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(Slack), env!("CARGO_MANIFEST_DIR")).await;
    elsewhere::play_all().await;
}
