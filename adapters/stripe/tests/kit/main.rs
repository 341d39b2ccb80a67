//! Hands Stripe's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod billing;
mod cells;
mod elsewhere;
mod invoices;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::{Server, World};
use hapax_stripe::standin::StandIn;

struct Stripe;

fn key(text: &str) -> Credentials {
    Credentials::none().with("api_key", text.into())
}

#[async_trait]
impl Subject for Stripe {
    fn integration(&self) -> SharedIntegration {
        hapax_stripe::integration()
    }

    fn credentials(&self) -> Credentials {
        key("sk_test_kit_first")
    }

    fn rotated(&self) -> Credentials {
        key("sk_test_kit_second")
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        vec![("claim-not-stored", "every record carries our mark, so none can be taken for another intent's")]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![
            Arc::new(cells::Charge),
            Arc::new(cells::Refund),
            Arc::new(cells::Capture),
            Arc::new(cells::CancelPayment),
            Arc::new(invoices::SendInvoice),
            // Each way to send counts for the cell.
            Arc::new(billing::Transfer { grouped: false }),
            Arc::new(billing::Transfer { grouped: true }),
            Arc::new(billing::CreateSubscription),
            Arc::new(billing::CancelSubscription { at_period_end: false }),
            Arc::new(billing::CancelSubscription { at_period_end: true }),
        ]
    }
}

// One test, so that the two halves of a result are written one after the other.
#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(Stripe), env!("CARGO_MANIFEST_DIR")).await;
    elsewhere::play_all().await;
}
