//! Hands PayPal's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod cells;
mod invoices;
mod payouts;
mod site;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_paypal::standin::StandIn;
use hapax_standin::{Server, World};

struct Paypal;

fn client(secret: &str) -> Credentials {
    Credentials::none().with("client_id", "kit".into()).with("client_secret", secret.into())
}

#[async_trait]
impl Subject for Paypal {
    fn integration(&self) -> SharedIntegration {
        hapax_paypal::integration()
    }

    fn credentials(&self) -> Credentials {
        client("kit-first-secret")
    }

    fn rotated(&self) -> Credentials {
        client("kit-second-secret")
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            (
                "first-page-is-all",
                "an order holds its payments and refunds, the search of invoices shows those with our mark alone, and a \
                 payout of the kit has two items",
            ),
            (
                "claim-not-stored",
                "every payment and refund carries our mark, so none can be taken for another intent's",
            ),
            ("secret-in-a-message", "a request carries an access token, and the kit knows the credentials alone"),
        ]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![
            Arc::new(cells::PayOrder),
            Arc::new(payouts::PayoutBatch),
            Arc::new(cells::Refund),
            Arc::new(invoices::SendInvoice),
        ]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(Paypal), env!("CARGO_MANIFEST_DIR")).await;
}
