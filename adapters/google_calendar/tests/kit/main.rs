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

    fn unreached(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            (
                "found:failed",
                "an event that is deleted was created all the same, and a change or deletion can be made again",
            ),
            ("event:fated", "what guests answer is read in the event; a receipt doesn't follow it"),
        ]
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("fresh-key-per-attempt", "Google Calendar has no key: an id stands in the body, a version in `If-Match`"),
            ("first-page-is-all", "an event is read by its id; only those of other epochs are listed"),
            ("claim-not-stored", "every event has our id and mark, so none can be taken for another intent's"),
            ("second-refusal-closes", "an event is looked for before a second request leaves"),
        ]
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
