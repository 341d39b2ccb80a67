//! Hands Twilio's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod cells;
mod elsewhere;
mod site;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::{Server, World};
use hapax_twilio::standin::StandIn;

struct Twilio;

fn token(text: &str) -> Credentials {
    Credentials::none().with("account_sid", site::ACCOUNT.into()).with("auth_token", text.into())
}

#[async_trait]
impl Subject for Twilio {
    fn integration(&self) -> SharedIntegration {
        hapax_twilio::integration()
    }

    fn credentials(&self) -> Credentials {
        token("kit-first-token")
    }

    fn rotated(&self) -> Credentials {
        token("kit-second-token")
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("fresh-key-per-attempt", "Twilio has no key here"),
            (
                "second-refusal-closes",
                "no second message or call leaves while the first is open; a cancellation is read",
            ),
            ("secret-in-a-message", "what the bug quotes is Basic authentication, in which no secret stands as it is"),
        ]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![Arc::new(cells::SendMessage), Arc::new(cells::CancelMessage), Arc::new(cells::Call)]
    }
}

// One test, so that the two halves of a result are written one after the other.
#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(Twilio), env!("CARGO_MANIFEST_DIR")).await;
    elsewhere::play_all().await;
}
