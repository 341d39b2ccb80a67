//! Hands Microsoft Graph's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod create_event;
mod post_chat_message;
mod send_mail;
mod site;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_ms_graph::standin::StandIn;
use hapax_standin::{Server, World};

struct MsGraph;

fn token(text: &str) -> Credentials {
    Credentials::none().with("access_token", text.into())
}

#[async_trait]
impl Subject for MsGraph {
    fn integration(&self) -> SharedIntegration {
        hapax_ms_graph::integration()
    }

    fn credentials(&self) -> Credentials {
        token("EwB.kit-first")
    }

    fn rotated(&self) -> Credentials {
        token("EwB.kit-second")
    }

    fn met(&self) -> Vec<String> {
        vec!["Mail.Read".to_owned(), "Chat.Read".to_owned()]
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn unreached(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            (
                "found:failed",
                "a draft that is gone and not found proves nothing, and what was created or posted happened",
            ),
            (
                "verdict:taken",
                "a draft is told to go once by us, and that somebody sent it before is told by Graph in no documented words",
            ),
            ("event:fated", "mails of non-delivery and answers of attendees are not followed"),
        ]
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("fresh-key-per-attempt", "Graph has no key in a header: `transactionId` stands in the body"),
            ("claim-not-stored", "all that is made carries our mark, so none can be taken for another intent's"),
            (
                "reported-before-durable",
                "what the ledger lost is found again by its mark, and nothing goes out before a look",
            ),
            ("second-refusal-closes", "what was sent before is looked for before a second request leaves"),
        ]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![
            Arc::new(send_mail::SendMail),
            Arc::new(create_event::CreateEvent),
            Arc::new(post_chat_message::PostChatMessage),
        ]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(MsGraph), env!("CARGO_MANIFEST_DIR")).await;
}
