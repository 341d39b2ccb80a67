//! Hands HubSpot's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod contact;
mod creates;
mod mail;
mod site;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_hubspot::standin::StandIn;
use hapax_standin::{Server, World};

struct HubSpot;

#[async_trait]
impl Subject for HubSpot {
    fn integration(&self) -> SharedIntegration {
        hapax_hubspot::integration()
    }

    fn credentials(&self) -> Credentials {
        Credentials::none().with("token", "pat-kit-first".into())
    }

    fn rotated(&self) -> Credentials {
        Credentials::none().with("token", "pat-kit-second".into())
    }

    fn met(&self) -> Vec<String> {
        site::MET.map(str::to_owned).to_vec()
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![
            Arc::new(contact::UpsertContact),
            Arc::new(creates::Create::Deal),
            Arc::new(creates::Create::Ticket),
            Arc::new(mail::SendSingleEmail),
        ]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(HubSpot), env!("CARGO_MANIFEST_DIR")).await;
}
