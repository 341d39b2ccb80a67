//! Hands GitHub's cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod cells;
mod close_issue;
mod creates;
mod elsewhere;
mod site;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_github::standin::StandIn;
use hapax_standin::{Server, World};

struct GitHub;

#[async_trait]
impl Subject for GitHub {
    fn integration(&self) -> SharedIntegration {
        hapax_github::integration()
    }

    fn credentials(&self) -> Credentials {
        Credentials::none().with("token", "github_pat_kit_first".into())
    }

    fn rotated(&self) -> Credentials {
        Credentials::none().with("token", "github_pat_kit_second".into())
    }

    fn met(&self) -> Vec<String> {
        vec![site::SHOWS_THE_MARK.to_owned()]
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn unreached(&self) -> Vec<(&'static str, &'static str)> {
        vec![(
            "event:fated",
            "what is made here is made: only a run comes to an end later, which its receipt doesn't follow",
        )]
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("fresh-key-per-attempt", "GitHub has no key here"),
            ("claim-not-stored", "every record carries our mark, so none can be taken for another intent's"),
            (
                "second-refusal-closes",
                "nothing is made a second time while the first request is open, and a merge is read before it goes again",
            ),
        ]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![
            Arc::new(creates::Create::issue()),
            Arc::new(creates::Create::comment()),
            Arc::new(creates::Create::pull_request()),
            Arc::new(cells::MergePullRequest),
            Arc::new(creates::Create::release()),
            Arc::new(creates::Create::run()),
            Arc::new(close_issue::CloseIssue),
        ]
    }
}

// One test, so that the two halves of a result are written one after the other.
#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(GitHub), env!("CARGO_MANIFEST_DIR")).await;
    elsewhere::play_all().await;
}
