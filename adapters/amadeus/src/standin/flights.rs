use hapax_standin::{Context, Record, Reply, World};
use serde_json::{Value, json};

use super::fail::Fail;
use super::{Amadeus, effect, locator};

const DAY_MS: i64 = 24 * 3600 * 1000;

/// A flight order.
#[derive(Clone, Debug)]
pub(super) struct FlightOrder {
    id: String,
    office: String,
    reference: String,
    data: Value,
    created_ms: i64,
    is_cancelled: bool,
    /// When it is cancelled because nobody tickets it.
    lapses_at_ms: Option<i64>,
}

impl FlightOrder {
    fn value(&self) -> Value {
        let mut data = self.data.clone();
        data["id"] = self.id.as_str().into();
        data["associatedRecords"] = json!([{
            "reference": self.reference, "creationDate": "2026-11-27T12:00:00.000", "originSystemCode": "GDS",
            "flightOfferId": data["flightOffers"][0]["id"],
        }]);
        if self.is_cancelled {
            let offers = data["flightOffers"].as_array_mut().into_iter().flatten();
            let itineraries = offers.filter_map(|offer| offer["itineraries"].as_array_mut()).flatten();
            for segment in itineraries.filter_map(|itinerary| itinerary["segments"].as_array_mut()).flatten() {
                segment["bookingStatus"] = "CANCELLED".into();
            }
        }
        json!({ "data": data })
    }

    /// Cancels it if nobody ticketed it in time.
    pub(super) fn lapse(&mut self, now_ms: i64) {
        self.is_cancelled |= self.lapses_at_ms.is_some_and(|at| at <= now_ms);
    }

    fn is_of(&self, offer: &str) -> bool {
        self.data["flightOffers"].as_array().is_some_and(|offers| offers.iter().any(|one| one["id"] == offer))
    }
}

impl Record for FlightOrder {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

pub(super) fn book(context: &mut Context<'_, Amadeus>) -> Result<(u16, Value), Fail> {
    let order = ordered(context.request.json_at("/data").clone(), context.account, context.world)?;
    let value = order.value();
    let remarks = order.data["remarks"]["general"].as_array().into_iter().flatten();
    let texts: Vec<String> = remarks.filter_map(|remark| remark["text"].as_str()).map(str::to_owned).collect();
    let travelers = order.data["travelers"].as_array().map_or(0, Vec::len);
    context.effect(effect("booking", &order.id, &texts, travelers));
    context.state.flights.add(order);
    Ok((201, value))
}

/// Checks what the description demands, and what the offer leads to.
fn ordered(data: Value, office: &str, world: &World) -> Result<FlightOrder, Fail> {
    let some = |list: &Value, most: usize| list.as_array().is_some_and(|list| (1..=most).contains(&list.len()));
    if data["type"] != "flight-order" {
        return Err(Fail::invalid("/data/type"));
    }
    if !some(&data["flightOffers"], 6) {
        return Err(Fail::invalid("/data/flightOffers"));
    }
    if !some(&data["travelers"], 18) {
        return Err(Fail::invalid("/data/travelers"));
    }
    let agreement = &data["ticketingAgreement"];
    let days = agreement["delay"].as_str().and_then(|delay| delay.strip_suffix('D')?.parse::<i64>().ok());
    let lapses = days.filter(|_| agreement["option"] == "DELAY_TO_CANCEL");
    let now = world.now_ms();
    let order = FlightOrder {
        id: format!("{}%3D", world.ids.next("eJz", 20)),
        office: office.to_owned(),
        reference: locator(world),
        created_ms: now,
        is_cancelled: false,
        lapses_at_ms: lapses.map(|days| now + days * DAY_MS),
        data,
    };
    if order.is_of("sold-out") {
        return Err(Fail::new(400, 34651, "SEGMENT SELL FAILURE"));
    }
    if order.is_of("price-changed") {
        return Err(Fail::new(400, 37200, "PRICE DISCREPANCY"));
    }
    Ok(order)
}

/// Ids come encoded already, so they are compared as they stand in the path.
pub(super) fn show(context: &mut Context<'_, Amadeus>) -> Result<Value, Fail> {
    let id = context.params.raw("id");
    shown(context, |order| order.id == id)
}

pub(super) fn by_reference(context: &mut Context<'_, Amadeus>) -> Result<Value, Fail> {
    let reference = context.request.param("reference").unwrap_or_default();
    shown(context, |order| order.reference == reference)
}

fn shown(context: &Context<'_, Amadeus>, is_it: impl Fn(&FlightOrder) -> bool) -> Result<Value, Fail> {
    let keeps_cancelled = context.state.keeps_cancelled;
    let order = context.state.flights.iter().find(|order| is_it(order) && order.office == context.account);
    let order = order.filter(|order| keeps_cancelled || !order.is_cancelled);
    order.map(FlightOrder::value).ok_or_else(Fail::missing)
}

pub(super) fn cancel(context: &mut Context<'_, Amadeus>) -> Result<Reply, Fail> {
    let id = context.params.raw("id");
    let order = context.state.flights.get_mut(id).filter(|order| order.office == context.account);
    let order = order.filter(|order| !order.is_cancelled).ok_or_else(Fail::missing)?;
    if order.is_of("ticketed") {
        return Err(Fail::new(400, 4926, "INVALID DATA RECEIVED"));
    }
    order.is_cancelled = true;
    context.effect(effect("cancel", id, &[], 0));
    Ok(Reply::empty(204))
}
