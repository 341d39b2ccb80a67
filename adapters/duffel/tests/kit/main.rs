//! Hands Duffel's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod changes;
mod orders;
mod site;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_duffel::standin::StandIn;
use hapax_standin::{Server, World};

struct Duffel;

fn token(text: &str) -> Credentials {
    Credentials::none().with("access_token", text.into())
}

#[async_trait]
impl Subject for Duffel {
    fn integration(&self) -> SharedIntegration {
        hapax_duffel::integration()
    }

    fn credentials(&self) -> Credentials {
        token("duffel_test_kit_first")
    }

    fn rotated(&self) -> Credentials {
        token("duffel_test_kit_second")
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn unreached(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            (
                "found:failed",
                "what becomes of an order is its fate; a hold that nobody can pay any more may be paid at the airline",
            ),
            (
                "verdict:taken",
                "nothing is ordered, paid or cancelled twice by us, and here nobody else does it in between",
            ),
        ]
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("fresh-key-per-attempt", "Duffel takes no key"),
            (
                "second-refusal-closes",
                "nothing is ordered, paid or cancelled a second time while the first request is open",
            ),
            ("claim-not-stored", "every order carries our mark, and who pays or cancels one claims nothing"),
        ]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![Arc::new(orders::BOOK), Arc::new(orders::HOLD), Arc::new(changes::Pay), Arc::new(changes::Cancel)]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(Duffel), env!("CARGO_MANIFEST_DIR")).await;
}
