//! How Amadeus' cells are killed: a module of the crash suite, `tests/crash`.

use hapax_standin::client::Call;
use serde_json::{Value, json};

use super::{Intent, Job, Site, text};

pub(super) const JOBS: &[Job] = &[
    Job { cell: "amadeus.book_flight", effect: "booking", shot: ("POST", "/v1/booking/flight-orders") },
    Job { cell: "amadeus.cancel_flight", effect: "cancel", shot: ("DELETE", "/v1/booking/flight-orders/*") },
    Job { cell: "amadeus.book_hotel", effect: "hotel", shot: ("POST", "/v2/booking/hotel-orders") },
];

pub(super) async fn intent(cell: &str, site: &Site, number: u64) -> Intent {
    match cell {
        "amadeus.book_flight" => Intent::marked(json!({ "flight_offers": [offer(number)], "travelers": travelers() })),
        "amadeus.cancel_flight" => {
            let order = ordered(site, number).await;
            Intent::known_by(&order, json!({ "order_id": order }))
        }
        "amadeus.book_hotel" => Intent::marked(json!({
            "stay": { "hotel_id": "ARMADAIT", "check_in": "2027-01-01", "check_out": "2027-01-03" },
            "guests": [{ "first_name": "MARIE", "last_name": "CURIE" }],
            "rooms": [{ "offer_id": format!("ARMADAIT2027010120270103{number}"), "guests": [1] }],
            "agency": { "email": "agency@example.com" },
        })),
        other => panic!("no intent of {other}"),
    }
}

fn offer(number: u64) -> Value {
    json!({
        "type": "flight-offer", "id": "1",
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

/// An order that somebody made.
async fn ordered(site: &Site, number: u64) -> String {
    let form = [("grant_type", "client_credentials"), ("client_id", "setup"), ("client_secret", "setup")];
    let token = Call::post(&format!("{}/v1/security/oauth2/token", site.url)).form(&form);
    let bearer = format!("Bearer {}", text(&site.ask(token).await["access_token"]));
    let data = json!({ "type": "flight-order", "flightOffers": [offer(number)], "travelers": travelers() });
    let order = Call::post(&format!("{}/v1/booking/flight-orders", site.url)).header("authorization", &bearer);
    text(&site.ask(order.json(&json!({ "data": data }))).await["data"]["id"])
}
