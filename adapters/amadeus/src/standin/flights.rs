use hapax_standin::{Reply, Request};
use serde_json::{Value, json};

use super::StandIn;
use super::fail::Fail;

const DAY_MS: i64 = 24 * 3600 * 1000;

/// A flight order.
#[derive(Clone, Debug)]
pub(super) struct FlightOrder {
    id: String,
    office: String,
    reference: String,
    data: Value,
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

    fn is_of(&self, offer: &str) -> bool {
        self.data["flightOffers"].as_array().is_some_and(|offers| offers.iter().any(|one| one["id"] == offer))
    }
}

impl StandIn {
    pub(super) fn book_flight(&self, request: &Request, office: &str) -> Result<Reply, Fail> {
        let data = request.json.as_ref().map(|body| body["data"].clone()).unwrap_or_default();
        let order = self.ordered(data, office)?;
        let value = order.value();
        let remarks = order.data["remarks"]["general"].as_array().into_iter().flatten();
        let texts: Vec<String> = remarks.filter_map(|remark| remark["text"].as_str()).map(str::to_owned).collect();
        let travelers = order.data["travelers"].as_array().map_or(0, Vec::len);
        self.effect("booking", &order.id, office, &texts, travelers);
        self.state().flights.push(order);
        Ok(Reply::json(201, &value))
    }

    /// Checks what the description demands, and what the offer leads to.
    fn ordered(&self, data: Value, office: &str) -> Result<FlightOrder, Fail> {
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
        let order = FlightOrder {
            id: format!("{}%3D", self.world.ids.next("eJz", 20)),
            office: office.to_owned(),
            reference: self.locator(),
            is_cancelled: false,
            lapses_at_ms: lapses.map(|days| self.world.now_ms() + days * DAY_MS),
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

    pub(super) fn flight(&self, id: &str, office: &str) -> Result<Reply, Fail> {
        self.shown(|order| order.id == id && order.office == office)
    }

    pub(super) fn flight_by_reference(&self, request: &Request, office: &str) -> Result<Reply, Fail> {
        let reference = request.param("reference").unwrap_or_default();
        self.shown(|order| order.reference == reference && order.office == office)
    }

    fn shown(&self, is_it: impl Fn(&FlightOrder) -> bool) -> Result<Reply, Fail> {
        let state = self.state();
        let order = state.flights.iter().find(|order| is_it(order));
        let order = order.filter(|order| self.keeps_cancelled || !order.is_cancelled);
        order.map(|order| Reply::json(200, &order.value())).ok_or_else(Fail::missing)
    }

    pub(super) fn cancel_flight(&self, id: &str, office: &str) -> Result<Reply, Fail> {
        let mut state = self.state();
        let order = state.flights.iter_mut().find(|order| order.id == id && order.office == office);
        let order = order.filter(|order| !order.is_cancelled).ok_or_else(Fail::missing)?;
        if order.is_of("ticketed") {
            return Err(Fail::new(400, 4926, "INVALID DATA RECEIVED"));
        }
        order.is_cancelled = true;
        drop(state);
        self.effect("cancel", id, office, &[], 0);
        Ok(Reply::empty(204))
    }

    /// Lets lapse what nobody ticketed in time. That is nobody's request, so it is no effect.
    pub(super) fn lapse(&self) {
        let now = self.world.now_ms();
        for order in self.state().flights.iter_mut() {
            order.is_cancelled |= order.lapses_at_ms.is_some_and(|at| at <= now);
        }
    }
}
