//! Hands Amadeus' cells and the stand-in to the conformance kit.
#![cfg(feature = "standin")]

mod cells;

use std::sync::Arc;

use async_trait::async_trait;
use hapax_amadeus::standin::StandIn;
use hapax_conformance::kit::{CellSubject, Subject};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::{Server, World};

struct Amadeus;

fn client(id: &str) -> Credentials {
    let all = hapax_amadeus::standin::CREDENTIALS.iter();
    let all = all.fold(Credentials::none(), |all, (name, value)| all.with(name, (*value).into()));
    all.with("client_id", id.into())
}

#[async_trait]
impl Subject for Amadeus {
    fn integration(&self) -> SharedIntegration {
        hapax_amadeus::integration()
    }

    fn credentials(&self) -> Credentials {
        client("kit-first")
    }

    fn rotated(&self) -> Credentials {
        client("kit-second")
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        StandIn::new(world).serve(0).await
    }

    fn unreached(&self) -> Vec<(&'static str, &'static str)> {
        const ONE_ORDER: &str = "a look reads one order by its id, which is there, or cancelled, or can't be told";
        vec![
            ("found:failed", ONE_ORDER),
            ("found:several", ONE_ORDER),
            ("event:witnessed", "the run with a witness needs a look that fails apart from the step before it"),
        ]
    }

    fn hidden_bugs(&self) -> Vec<(&'static str, &'static str)> {
        const NO_LIST: &str = "nothing here is searched: an order is read by its id";
        vec![
            ("fresh-key-per-attempt", "Amadeus takes no key"),
            ("first-page-is-all", NO_LIST),
            ("several-swallowed", NO_LIST),
            ("claim-not-stored", "nothing is found by what looks like ours, so no record has two claimants"),
            ("secret-in-a-message", "a request carries an access token, and the kit knows the credentials alone"),
        ]
    }

    fn by_chance(&self) -> Vec<(&'static str, &'static str)> {
        const LATE: &str = "a second cancellation goes out after looks that don't see the first one; whether that has \
                            arrived by then, later than anybody promised, hangs on how many looks came before";
        vec![("verdict:taken", LATE), ("second-refusal-closes", LATE)]
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        vec![Arc::new(cells::BookFlight), Arc::new(cells::CancelFlight), Arc::new(cells::BookHotel)]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_over_every_cell() {
    hapax_conformance::prove(Arc::new(Amadeus), env!("CARGO_MANIFEST_DIR")).await;
}
