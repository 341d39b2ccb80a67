//! What the kit can't know of the cells that make orders: where their requests go, what must be there first, what one
//! effect is.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{a_persons, error_reply, ordered, passengers};

const ORDERS: &str = "/air/orders";

/// A cell that makes orders.
pub(crate) struct Makes {
    cell: &'static str,
    /// The type of its orders.
    kind: &'static str,
    effect: &'static str,
    /// How an offer begins that is refused to it.
    refused: &'static str,
}

/// `duffel.book`.
pub(crate) const BOOK: Makes = Makes { cell: "duffel.book", kind: "instant", effect: "order", refused: "off_gone" };

/// `duffel.hold`.
pub(crate) const HOLD: Makes = Makes { cell: "duffel.hold", kind: "hold", effect: "hold", refused: "off_atonce" };

impl Makes {
    fn is_hold(&self) -> bool {
        self.kind == "hold"
    }

    fn sample(&self, offer: &str) -> Sample {
        let mut args = json!({ "offer_id": offer, "passengers": passengers() });
        if !self.is_hold() {
            args["amount"] = json!({ "amount": 9080, "currency": "GBP" });
        }
        Sample { args, target: String::new() }
    }

    /// Somebody else's order of the same offer.
    async fn by_others(&self, site: &Site, sample: &Sample) -> Result<(), String> {
        let offer = sample.args["offer_id"].as_str().unwrap_or_default();
        ordered(site, offer, self.kind).await.map(|_| ())
    }
}

#[async_trait]
impl CellSubject for Makes {
    fn id(&self) -> &'static str {
        self.cell
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", ORDERS), prepare: &[], look: Some(("GET", "/air/orders*")) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(self.sample(&format!("off_kit{number}")))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == self.effect && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["metadata"] = json!({ "trip": "another" });
        args
    }

    /// An order that isn't the one that was asked for.
    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "data": {
            "id": "ord_foreign", "total_amount": "1.00", "total_currency": "GBP", "metadata": {}, "passengers": [],
        } }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(self.sample(&format!("{}{number}", self.refused))))
    }

    /// A hold that nobody pays lapses.
    fn can_fail_later(&self) -> bool {
        self.is_hold()
    }

    async fn failing_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        self.is_hold().then(|| Ok(self.sample(&format!("off_short{number}"))))
    }

    fn clutters(&self) -> bool {
        true
    }

    /// More than a page of them.
    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for _ in 0..201 {
            if let Err(why) = self.by_others(site, sample).await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(self.by_others(site, sample).await)
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        a_persons()
    }
}
