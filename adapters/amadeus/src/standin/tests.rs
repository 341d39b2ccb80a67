//! The stand-in over real sockets, asked as a client asks.

use hapax_standin::client::Call;
use hapax_standin::clock::Scripted;
use hapax_standin::{Reply, Server, World};
use serde_json::{Value, json};

use super::StandIn;
use crate::testing::{hotel_body, order_body};

const DAY_MS: i64 = 24 * 3600 * 1000;

struct Stage {
    server: Server,
    clock: Scripted,
    hand: StandIn,
    token: String,
}

async fn stage(set: impl FnOnce(StandIn) -> StandIn) -> Stage {
    let clock = Scripted::at(1_790_000_000_000);
    let hand = set(StandIn::new(World::with_clock(1, clock.clock())));
    let server = hand.clone().serve(0).await.expect("a free port");
    let mut stage = Stage { server, clock, hand, token: String::new() };
    stage.token = stage.token("secret").await.value()["access_token"].as_str().expect("a token").to_owned();
    stage
}

impl Stage {
    async fn token(&self, secret: &str) -> Reply {
        let fields = [("grant_type", "client_credentials"), ("client_id", "id"), ("client_secret", secret)];
        let call = Call::post(&format!("{}/v1/security/oauth2/token", self.server.url())).form(&fields);
        call.send().await.expect("a reply")
    }

    async fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let call = Call::new(method, &format!("{}{path}", self.server.url()));
        let call = call.header("authorization", &format!("Bearer {}", self.token));
        let call = match body {
            Some(body) => call.json(body),
            None => call,
        };
        call.send().await.expect("a reply")
    }

    async fn booked(&self, offer: &str) -> Reply {
        self.call("POST", "/v1/booking/flight-orders", Some(&order_body(offer))).await
    }

    fn count(&self, kind: &str) -> usize {
        self.server.effects().count(kind)
    }
}

fn id(reply: &Reply) -> String {
    reply.value()["data"]["id"].as_str().expect("an id").to_owned()
}

fn code(reply: &Reply) -> (u16, Value) {
    (reply.status, reply.value()["errors"][0]["code"].clone())
}

#[tokio::test]
async fn an_order_is_booked_read_and_cancelled_once() {
    let stage = stage(|hand| hand).await;
    let booked = stage.booked("1").await;
    assert_eq!(booked.status, 201, "{}", booked.value());
    let path = format!("/v1/booking/flight-orders/{}", id(&booked));
    assert_eq!(stage.call("GET", &path, None).await.value(), booked.value());
    let reference = booked.value()["data"]["associatedRecords"][0]["reference"].as_str().expect("one").to_owned();
    let by_reference = format!("/v1/booking/flight-orders/by-reference?reference={reference}&originSystemCode=GDS");
    assert_eq!(id(&stage.call("GET", &by_reference, None).await), id(&booked));
    assert_eq!(stage.call("DELETE", &path, None).await.status, 204);
    assert_eq!(code(&stage.call("DELETE", &path, None).await), (404, json!(1797)));
    assert_eq!(code(&stage.call("GET", &path, None).await), (404, json!(1797)));
    assert_eq!((stage.count("booking"), stage.count("cancel")), (1, 1));
}

#[tokio::test]
async fn a_repeated_order_is_a_second_booking() {
    let stage = stage(|hand| hand).await;
    assert_ne!(id(&stage.booked("1").await), id(&stage.booked("1").await));
    assert_eq!(stage.count("booking"), 2);
}

#[tokio::test]
async fn offers_decide_what_an_order_leads_to() {
    let stage = stage(|hand| hand).await;
    assert_eq!(code(&stage.booked("sold-out").await), (400, json!(34651)));
    assert_eq!(code(&stage.booked("price-changed").await), (400, json!(37200)));
    let ticketed = format!("/v1/booking/flight-orders/{}", id(&stage.booked("ticketed").await));
    assert_eq!(code(&stage.call("DELETE", &ticketed, None).await), (400, json!(4926)));
    assert_eq!((stage.count("booking"), stage.count("cancel")), (1, 0));
}

#[tokio::test]
async fn a_reservation_that_nobody_tickets_lapses() {
    let stage = stage(StandIn::keeps_cancelled).await;
    let path = format!("/v1/booking/flight-orders/{}", id(&stage.booked("1").await));
    let booked = stage.call("GET", &path, None).await.value();
    assert!(booked["data"]["flightOffers"][0]["itineraries"][0]["segments"][0]["bookingStatus"].is_null());
    stage.clock.advance(6 * DAY_MS);
    assert_eq!(stage.call("GET", &path, None).await.status, 401, "the token is over");
    let fresh = stage.token("secret").await.value()["access_token"].as_str().expect("a token").to_owned();
    let order = Call::get(&format!("{}{path}", stage.server.url())).header("authorization", &format!("Bearer {fresh}"));
    let order = order.send().await.expect("a reply").value();
    let segment = &order["data"]["flightOffers"][0]["itineraries"][0]["segments"][0];
    assert_eq!(segment["bookingStatus"], "CANCELLED");
}

#[tokio::test]
async fn an_orphan_is_booked_and_answered_as_a_failure() {
    let stage = stage(|hand| hand).await;
    stage.hand.orphans_next(400, "36870");
    assert_eq!(code(&stage.booked("1").await), (400, json!(36870)));
    stage.hand.orphans_next(400, "25860");
    let hotel = stage.call("POST", "/v2/booking/hotel-orders", Some(&hotel_body("ARMADAIT2027010120270103"))).await;
    assert_eq!(code(&hotel), (400, json!(25860)));
    assert_eq!((stage.count("booking"), stage.count("hotel")), (1, 1));
    assert_eq!(stage.booked("1").await.status, 201);
}

#[tokio::test]
async fn a_hotel_is_booked_and_its_errors_lie_twice_deep() {
    let stage = stage(|hand| hand).await;
    let path = "/v2/booking/hotel-orders";
    let booked = stage.call("POST", path, Some(&hotel_body("ARMADAIT2027010120270103"))).await;
    assert_eq!(booked.status, 201, "{}", booked.value());
    let booking = &booked.value()["data"]["hotelBookings"][0];
    assert_eq!(booking["hotelOffer"]["checkOutDate"], "2027-01-03");
    let link = booked.value()["data"]["self"].as_str().expect("a link").to_owned();
    assert_eq!(id(&stage.call("GET", &link, None).await), id(&booked));
    let sold_out = stage.call("POST", path, Some(&hotel_body("SOLDOUT1"))).await;
    assert_eq!(sold_out.value()["errors"][0]["errors"][0]["code"], 3664);
    assert_eq!(stage.count("hotel"), 1);
}

#[tokio::test]
async fn without_a_token_nothing_is_answered() {
    let stage = stage(|hand| hand).await;
    let bare = Call::get(&format!("{}/v1/booking/flight-orders/x", stage.server.url())).send().await;
    assert_eq!(code(&bare.expect("a reply")), (401, json!(38190)));
    let refused = stage.token("wrong").await;
    assert_eq!((refused.status, refused.value()["error"].clone()), (401, json!("invalid_client")));
}
