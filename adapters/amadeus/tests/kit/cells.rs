//! What the kit can't know of the cells: where their requests go, what must be there first, what one effect is.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::client::Call;
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

const ORDERS: &str = "/v1/booking/flight-orders";

/// Asks the stand-in as somebody else does, past every fault.
async fn ask(site: &Site, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
    let say = |error: std::io::Error| error.to_string();
    let fields = [("grant_type", "client_credentials"), ("client_id", "setup"), ("client_secret", "setup")];
    let token =
        Call::post(&format!("{}/v1/security/oauth2/token", site.url)).form(&fields).send().await.map_err(say)?;
    let token = token.value()["access_token"].as_str().unwrap_or_default().to_owned();
    let call = Call::new(method, &format!("{}{path}", site.url)).header("authorization", &format!("Bearer {token}"));
    let call = match body {
        Some(body) => call.json(body),
        None => call,
    };
    let reply = call.send().await.map_err(say)?;
    if reply.status < 300 { Ok(reply.value()) } else { Err(format!("{path}: {} {}", reply.status, reply.value())) }
}

fn offer(id: &str, number: u64) -> Value {
    json!({
        "type": "flight-offer", "id": id,
        "itineraries": [{ "segments": [{
            "carrierCode": "IB", "number": (1000 + number % 9000).to_string(),
            "departure": { "iataCode": "ORY", "at": "2027-09-22T10:15:00" },
            "arrival": { "iataCode": "MAD", "at": "2027-09-22T12:15:00" },
        }]}],
        "price": { "currency": "EUR", "total": "423.20", "grandTotal": "423.20" },
        "travelerPricings": [{ "travelerId": "1" }],
    })
}

fn travelers() -> Value {
    json!([{ "id": "1", "name": { "firstName": "MARIE", "lastName": "CURIE" } }])
}

/// An order that somebody made, and its id.
async fn ordered(site: &Site, id: &str, number: u64) -> Result<String, String> {
    let body =
        json!({ "data": { "type": "flight-order", "flightOffers": [offer(id, number)], "travelers": travelers() } });
    let made = ask(site, "POST", ORDERS, Some(&body)).await?;
    made["data"]["id"].as_str().map(str::to_owned).ok_or_else(|| "no id".to_owned())
}

/// An error in the list. The codes are those that mean what the kit means by the status.
fn error_reply(status: u16) -> Reply {
    let code = match status {
        401 => 38190,
        404 => 1797,
        429 => 38194,
        500.. => 38189,
        _ => 477,
    };
    let error = json!({ "status": status, "code": code, "title": "the kit says no" });
    Reply::json(status, &json!({ "errors": [error] }))
}

/// Nothing but a person: whatever is left open is theirs.
fn a_persons() -> Vec<(&'static str, End)> {
    vec![
        ("stored-500", End::Person),
        ("500-before", End::Person),
        ("stored-500-repaired", End::Person),
        ("401-in-the-middle", End::Succeeded),
        ("effect-after-deadline", End::Person),
        // The first connection is the one that asks for a token, which is harmless to ask for again.
        ("connection-cut-at-once", End::Succeeded),
        // A departure that was written and denied counts as sent; some of the intents meet that.
        ("ledger-writes-and-fails", End::Any),
    ]
}

/// A token is asked for before anything departs.
const NO_DEPARTURE: &[(&str, &str)] =
    &[("name-does-not-resolve", "no token without an address, and nothing departs without a token")];

/// `amadeus.book_flight`.
pub(crate) struct BookFlight;

#[async_trait]
impl CellSubject for BookFlight {
    fn id(&self) -> &'static str {
        "amadeus.book_flight"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", ORDERS), prepare: &[], look: None }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        let args = json!({ "flight_offers": [offer("1", number)], "travelers": travelers() });
        Ok(Sample { args, target: String::new() })
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "booking" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["remarks"] = json!(["SOMETHING ELSE"]);
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "data": { "id": "eJzForeign", "flightOffers": [offer("9", 9)], "travelers": [] } }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        let args = json!({ "flight_offers": [offer("sold-out", number)], "travelers": travelers() });
        Some(Ok(Sample { args, target: String::new() }))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, _: &Sample) -> Option<Result<(), String>> {
        Some(ordered(site, "1", 1).await.map(|_| ()))
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        NO_DEPARTURE.to_vec()
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        a_persons()
    }
}

/// `amadeus.cancel_flight`.
pub(crate) struct CancelFlight;

#[async_trait]
impl CellSubject for CancelFlight {
    fn id(&self) -> &'static str {
        "amadeus.cancel_flight"
    }

    fn routes(&self) -> Routes {
        const ONE: &str = "/v1/booking/flight-orders/*";
        Routes { shot: ("DELETE", ONE), prepare: &[("GET", ONE)], look: Some(("GET", ONE)) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let target = ordered(site, "1", number).await?;
        Ok(Sample { args: json!({ "order_id": target }), target })
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "cancel" && effect.object == sample.target
    }

    fn with_other_arguments(&self, _: &Sample) -> Value {
        json!({ "order_id": "eJzAnother" })
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "data": { "id": "eJzForeign" } }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        let target = ordered(site, "ticketed", number).await;
        Some(target.map(|target| Sample { args: json!({ "order_id": target }), target }))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(ask(site, "DELETE", &format!("{ORDERS}/{}", sample.target), None).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        const ONE_ORDER: &str = "an order is cancelled once: a second cancellation of it is no second intent";
        const ONE_ROUTE: &str =
            "the step before the request reads what the look reads, so what breaks the look breaks it";
        const NO_BODY: &str = "the success has no body and is found by a look, so there is no receipt to hold back";
        vec![
            ("equal-intents", ONE_ORDER),
            ("equal-intents-one-record", ONE_ORDER),
            ("look-fails-for-ever", ONE_ROUTE),
            ("clock-steps-back", ONE_ROUTE),
            ("window-ends-under-way", ONE_ROUTE),
            ("late-answer-against-a-decision", ONE_ROUTE),
            ("person-says-it-happened", ONE_ROUTE),
            ("person-says-send-again", ONE_ROUTE),
            ("person-decides-on-old-evidence", ONE_ROUTE),
            ("witness", ONE_ROUTE),
            ("ledger-full-after", NO_BODY),
            ("ledger-locked-after", NO_BODY),
            ("ledger-read-only-after", NO_BODY),
        ]
    }
}

/// `amadeus.book_hotel`.
pub(crate) struct BookHotel;

impl BookHotel {
    fn sample(offer: &str, number: u64) -> Sample {
        let args = json!({
            "stay": { "hotel_id": "ARMADAIT", "check_in": "2027-01-01", "check_out": "2027-01-03" },
            "guests": [{ "first_name": "MARIE", "last_name": "CURIE" }],
            "rooms": [{ "offer_id": format!("{offer}{number}"), "guests": [1] }],
            "agency": { "email": "agency@example.com" },
        });
        Sample { args, target: String::new() }
    }
}

#[async_trait]
impl CellSubject for BookHotel {
    fn id(&self) -> &'static str {
        "amadeus.book_hotel"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", "/v2/booking/hotel-orders"), prepare: &[], look: None }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Self::sample("ARMADAIT2027010120270103", number))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "hotel" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["reference"] = false.into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "data": { "id": "V0gForeign=", "hotelBookings": [], "guests": [] } }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Self::sample("SOLDOUT", number)))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Self::sample("DENIED", number)))
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        NO_DEPARTURE.to_vec()
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        a_persons()
    }
}
