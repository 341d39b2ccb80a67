//! Hands Google Calendar's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod create_event;
mod elsewhere;
mod on_event;
mod site;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_google_calendar::standin::StandIn;
use hapax_standin::{Server, World};

struct GoogleCalendar;

#[async_trait]
impl Subject for GoogleCalendar {
    fn integration(&self) -> SharedIntegration {
        hapax_google_calendar::integration()
    }

    fn credentials(&self) -> Credentials {
        site::token("ya29.kit-first")
    }

    fn rotated(&self) -> Credentials {
        site::token("ya29.kit-second")
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![
            Arc::new(create_event::CreateEvent),
            Arc::new(on_event::OnEvent::Update),
            Arc::new(on_event::OnEvent::Delete),
        ]
    }
}

// One test, so that the two halves of a result are written one after the other.
#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(GoogleCalendar), env!("CARGO_MANIFEST_DIR")).await;
    elsewhere::play_all().await;
}
