//! Hands Resend's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod cells;
mod elsewhere;
mod site;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_resend::standin::StandIn;
use hapax_standin::{Server, World};

struct Resend;

fn key(text: &str) -> Credentials {
    Credentials::none().with("api_key", text.into())
}

#[async_trait]
impl Subject for Resend {
    fn integration(&self) -> SharedIntegration {
        hapax_resend::integration()
    }

    fn credentials(&self) -> Credentials {
        key("re_kit_first")
    }

    fn rotated(&self) -> Credentials {
        key("re_kit_second")
    }

    fn met(&self) -> Vec<String> {
        vec![site::FULL_ACCESS.to_owned()]
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        vec![("claim-not-stored", "every mail carries our mark, so none can be taken for another intent's")]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![Arc::new(cells::Send), Arc::new(cells::SendBatch), Arc::new(cells::CancelScheduled)]
    }
}

// One test, so that the two halves of a result are written one after the other.
#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(Resend), env!("CARGO_MANIFEST_DIR")).await;
    elsewhere::play_all().await;
}
