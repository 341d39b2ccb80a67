//! Hands SendGrid's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod cells;
mod site;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_sendgrid::standin::StandIn;
use hapax_standin::{Server, World};

struct SendGrid;

fn key(text: &str) -> Credentials {
    Credentials::none().with("api_key", text.into())
}

#[async_trait]
impl Subject for SendGrid {
    fn integration(&self) -> SharedIntegration {
        hapax_sendgrid::integration()
    }

    fn credentials(&self) -> Credentials {
        key("SG.kit_first")
    }

    fn rotated(&self) -> Credentials {
        key("SG.kit_second")
    }

    fn met(&self) -> Vec<String> {
        vec![site::HISTORY_BOUGHT.to_owned()]
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn unreached(&self) -> Vec<(&'static str, &'static str)> {
        vec![(
            "found:failed",
            "a mail's failure is its fate, a paused batch can't be told, a contact is as asked or it isn't",
        )]
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("fresh-key-per-attempt", "SendGrid has no key"),
            ("first-page-is-all", "the activity has no pages"),
            (
                "second-refusal-closes",
                "no second mail leaves while the first is open; what is to be so is read before it goes again",
            ),
            ("claim-not-stored", "every mail carries our mark, so none can be taken for another intent's"),
        ]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![Arc::new(cells::Send), Arc::new(cells::CancelScheduled), Arc::new(cells::UpsertContact)]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(SendGrid), env!("CARGO_MANIFEST_DIR")).await;
}
