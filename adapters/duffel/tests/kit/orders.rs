//! What the kit can't know of the cells that make orders: where their requests go, what must be there first, what one
//! effect is.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{a_persons, error_reply, members, ordered, passengers};

const ORDERS: &str = "/air/orders";

/// An order that isn't the one that was asked for.
fn foreign_order() -> Map<String, Value> {
    members(json!({ "data": {
        "id": "ord_foreign", "total_amount": "1.00", "total_currency": "GBP", "metadata": {}, "passengers": [],
    } }))
}

/// Other people's orders of the same offer, more than a page of them.
async fn clutter(site: &Site, sample: &Sample, kind: &str) -> Result<(), String> {
    let offer = sample.args["offer_id"].as_str().unwrap_or_default();
    for _ in 0..201 {
        ordered(site, offer, kind).await?;
    }
    Ok(())
}

/// `duffel.book`.
pub(crate) struct Book;

fn bought(offer: &str) -> Sample {
    let args = json!({
        "offer_id": offer, "passengers": passengers(), "amount": { "amount": 9080, "currency": "GBP" },
    });
    Sample { args, target: String::new() }
}

#[async_trait]
impl CellSubject for Book {
    fn id(&self) -> &'static str {
        "duffel.book"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", ORDERS), prepare: &[], look: Some(("GET", "/air/orders*")) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(bought(&format!("off_kit{number}")))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "order" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["metadata"] = json!({ "trip": "another" });
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        foreign_order()
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(bought(&format!("off_gone{number}"))))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(clutter(site, sample, "instant").await)
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let offer = sample.args["offer_id"].as_str().unwrap_or_default();
        Some(ordered(site, offer, "instant").await.map(|_| ()))
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        a_persons()
    }
}

/// `duffel.hold`.
pub(crate) struct Hold;

fn held(offer: &str) -> Sample {
    Sample { args: json!({ "offer_id": offer, "passengers": passengers() }), target: String::new() }
}

#[async_trait]
impl CellSubject for Hold {
    fn id(&self) -> &'static str {
        "duffel.hold"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", ORDERS), prepare: &[], look: Some(("GET", "/air/orders*")) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(held(&format!("off_kit{number}")))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "hold" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["metadata"] = json!({ "trip": "another" });
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        foreign_order()
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(held(&format!("off_atonce{number}"))))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(held(&format!("off_short{number}"))))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(clutter(site, sample, "hold").await)
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let offer = sample.args["offer_id"].as_str().unwrap_or_default();
        Some(ordered(site, offer, "hold").await.map(|_| ()))
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        a_persons()
    }
}
