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

    fn unreached(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("found:failed", "what is created is there or it isn't; nothing is found that came to nothing"),
            ("found:several", "every look is a read by a unique value, which shows one record at most"),
        ]
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        const ONE: &str = "every look is a read by a unique value, which shows one record at most";
        vec![
            ("fresh-key-per-attempt", "the bug changes keys in headers, and HubSpot has none there"),
            ("first-page-is-all", ONE),
            ("several-swallowed", ONE),
            ("second-refusal-closes", "no second request leaves before the first one is settled"),
            ("claim-not-stored", "what is created carries our key, and a contact is claimed by nobody"),
        ]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![
            Arc::new(contact::UpsertContact),
            Arc::new(creates::Create::Deal),
            Arc::new(creates::Create::Ticket),
            Arc::new(creates::Create::Note),
            Arc::new(mail::SendSingleEmail),
        ]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(HubSpot), env!("CARGO_MANIFEST_DIR")).await;
}
