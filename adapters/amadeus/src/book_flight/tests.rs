use hapax_core::capability::Rung;
use hapax_core::cell::CellArgs;
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{Desk, error, flight, order, order_with, read};
use hapax_core::testing::{body_of, json_of, word};

const CELL: &str = "amadeus.book_flight";

async fn answered(status: u16, body: Value) -> Answer<hapax_core::protocol::Receipt> {
    Desk::new(CELL, [(status, body)]).attempt(&flight("1")).await
}

#[tokio::test]
async fn book_flight_plants_the_mark_and_cancels_what_nobody_tickets() {
    let desk = Desk::new(CELL, [(201, order("eJz1", "1"))]);
    let mut args = flight("1");
    args.remarks.push("WINDOW SEAT".to_owned());
    assert_eq!(word(&desk.attempt(&args).await), "happened");
    assert_eq!(desk.asked(), ["POST /v1/booking/flight-orders"]);
    let data = body_of(&desk.last())["data"].clone();
    let texts = [desk.remark(), "WINDOW SEAT".to_owned()];
    let remarks = texts.map(|text| json!({"subType": "GENERAL_MISCELLANEOUS", "text": text}));
    assert_eq!(data["remarks"], json!({"general": remarks}));
    assert_eq!(data["ticketingAgreement"], json!({"option": "DELAY_TO_CANCEL", "delay": "6D"}));
    assert_eq!(data["flightOffers"], json_of(&args.flight_offers), "offers go as they came");
    let request = desk.last();
    assert!(request.headers.contains(&("Content-Type".to_owned(), JSON.to_owned())), "{:?}", request.headers);
}

#[tokio::test]
async fn book_flight_lost_answer_is_a_persons() {
    let desk = Desk::losing(CELL);
    assert_eq!(word(&desk.attempt(&flight("1")).await), "unclear");
    assert!(matches!(desk.find(&flight("1")).await, Ok(Finding::CannotTell(_))));
    assert!(matches!(SPEC.ladder, [Rung::Human(_)]), "nothing but a person");
    assert!(SPEC.human().contains("{mark}") && SPEC.human().contains("{asked}"));
    assert!(SPEC.reversal.contains("lapses") && SPEC.residual.contains("lapse"));
}

#[tokio::test]
async fn book_flight_refusals_have_rows() {
    for code in [477, 2668, 2781, 4926, 32171, 34651, 37200] {
        let (status, body) = error(400, code);
        assert_eq!(word(&answered(status, body).await), "refused", "{code}");
    }
}

#[tokio::test]
async fn book_flight_late_failures_are_adrift() {
    for (status, code) in [(400, 9112), (400, 34733), (400, 36870), (500, 141), (500, 38189)] {
        let (status, body) = error(status, code);
        assert_eq!(word(&answered(status, body).await), "adrift", "{code}");
    }
}

#[tokio::test]
async fn book_flight_other_failures_are_not_guessed() {
    for (status, code) in [(400, 1304), (400, 34107), (400, 38034), (400, 99999), (409, 477), (500, 7), (429, 1)] {
        let (status, body) = error(status, code);
        assert_eq!(word(&answered(status, body).await), "unclear", "{code}");
    }
    assert_eq!(word(&answered(502, json!("<html>")).await), "unclear");
    assert_eq!(word(&answered(400, json!({"message": "no list"})).await), "unclear");
    assert_eq!(word(&answered(201, json!({"data": {}})).await), "unclear");
    let refusing_success = error(201, 477).1;
    assert_eq!(word(&answered(201, refusing_success).await), "unclear");
}

#[tokio::test]
async fn book_flight_limits_and_tokens_are_not_done() {
    for (status, code) in [(401, 38190), (401, 38191), (429, 38194), (429, 38195)] {
        let (status, body) = error(status, code);
        assert_eq!(word(&answered(status, body).await), "not done", "{code}");
    }
}

#[tokio::test]
async fn book_flight_receipt_names_records_and_no_travelers() {
    let answer = answered(201, order("eJz1%3D", "1")).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    let expected = json!({"id": "eJz1%3D", "references": ["2ZYVAL"], "travelers": 2, "status": "booked",
        "flights": "IB3403 ORY-MAD 2027-09-22, IB3404 MAD-ORY 2027-09-26"});
    assert_eq!(*receipt.body, expected);
    assert_eq!(receipt.id, "eJz1%3D");
}

#[tokio::test]
async fn book_flight_echo_mismatch_is_caught() {
    let mut fewer = order("eJz1", "1");
    fewer["data"]["travelers"].as_array_mut().expect("a list").pop();
    let mut another = order("eJz1", "1");
    another["data"]["flightOffers"][0]["itineraries"][0]["segments"][0]["number"] = "9999".into();
    for body in [fewer, another] {
        assert_eq!(word(&answered(201, body).await), "echo");
    }
}

#[test]
fn book_flight_tells_a_person_what_was_asked() {
    let stored = json_of(&flight("1"));
    let asked = "IB3403 ORY-MAD 2027-09-22, IB3404 MAD-ORY 2027-09-26; travelers: 2, 423.20 EUR";
    assert_eq!(stored["asked"], asked);
    let mut forged = stored.clone();
    forged["asked"] = "something else".into();
    assert_eq!(json_of(&read::<BookFlight>(forged)), stored, "it is made from the rest, whatever is said");
    assert_eq!(flight("1").money(), Some(Money { amount: 42_320, currency: "EUR".to_owned() }));
}

#[tokio::test]
async fn book_flight_fetch_reads_what_a_person_names() {
    let desk = Desk::new(CELL, [(200, order("eJz1%3D", "1")), (200, order("eJz1", "1")), error(404, 1797)]);
    let found = desk.fetch(&flight("1"), "eJz1%3D").await.expect("read").expect("an order");
    assert_eq!(found.id, "eJz1%3D");
    assert!(desk.fetch(&flight("1"), "2ZYVAL").await.expect("read").is_some());
    assert_eq!(desk.fetch(&flight("1"), "eJzNone").await, Ok(None));
    let by_reference = "GET /v1/booking/flight-orders/by-reference?reference=2ZYVAL&originSystemCode=GDS";
    let asked = ["GET /v1/booking/flight-orders/eJz1%3D", by_reference, "GET /v1/booking/flight-orders/eJzNone"];
    assert_eq!(desk.asked(), asked);
    assert!(desk.fetch(&flight("1"), "../x").await.is_err());
    let listed = json!({"data": [order("eJz1", "1")["data"]]});
    let two = json!({"data": [order("eJz1", "1")["data"], order("eJz2", "1")["data"]]});
    let desk = Desk::new(CELL, [(200, listed), (200, two)]);
    assert!(desk.fetch(&flight("1"), "2ZYVAL").await.expect("read").is_some());
    assert!(desk.fetch(&flight("1"), "2ZYVAL").await.is_err(), "two orders are not one");
}

#[tokio::test]
async fn book_flight_cancelled_order_has_a_failed_fate() {
    let check = |statuses, expected: (&str, bool)| {
        let order: Answered<FlightOrder> = read(order_with("eJz1", statuses));
        let fate = receipt(order.data).fate().expect("a fate");
        assert_eq!((fate.0.as_str(), fate.1), expected);
    };
    check(["CANCELLED", "DENIED"], ("cancelled", true));
    check(["CANCELLED", "CONFIRMED"], ("partly cancelled", false));
    check(["CONFIRMED", "CONFIRMED"], ("booked", false));
}

#[test]
fn book_flight_checks_its_arguments() {
    let check = |change: &dyn Fn(&mut Value), says: &str| {
        let mut args = json_of(&flight("1"));
        change(&mut args);
        let wrong = match serde_json::from_value::<BookFlight>(args) {
            Ok(args) => args.check().expect_err(says),
            Err(error) => error.to_string(),
        };
        assert!(wrong.contains(says), "{wrong}");
        assert!(!wrong.contains("CURIE") && !wrong.contains("P0000001"), "{wrong}");
    };
    assert_eq!(flight("1").check(), Ok(()));
    check(&|args| args["flight_offers"] = json!([]), "flight_offers");
    check(&|args| args["travelers"] = json!([]), "travelers");
    check(&|args| args["travelers"][1]["id"] = "1".into(), "same id");
    check(&|args| args["travelers"][1]["id"] = "3".into(), "flight_offers[0].travelerPricings");
    check(&|args| args["travelers"][0]["name"]["lastName"] = " ".into(), "travelers[0].name.lastName");
    check(&|args| args["travelers"][0]["documents"][0]["expiryDate"] = "2019-01-01".into(), "expiryDate");
    check(&|args| args["travelers"][0]["dateOfBirth"] = "1967-13-07".into(), "");
    check(&|args| args["travelers"][0]["documents"][0]["nationality"] = "france".into(), "two upper-case letters");
    check(&|args| args["travelers"][0]["contact"]["phones"][0]["number"] = "48 00".into(), "phones[0].number");
    check(&|args| args["flight_offers"][0]["type"] = "x".into(), "flight_offers[0]");
    check(&|args| args["flight_offers"][0]["price"] = json!({"currency": "EUR"}), "flight_offers[0].price");
    let segment = "/flight_offers/0/itineraries/0/segments/0/departure/iataCode";
    check(&|args| *args.pointer_mut(segment).expect("a segment") = "Paris".into(), "itineraries");
    check(&|args| args["ticketing"] = json!({"option": "delay_to_cancel", "days": 0}), "ticketing.days");
    check(&|args| args["colour"] = "red".into(), "unknown field");
}

#[tokio::test]
async fn book_flight_never_shows_travelers() {
    let desk = Desk::new(CELL, [error(400, 477), error(400, 36870)]);
    let args = flight("1");
    let answers = [desk.attempt(&args).await, desk.attempt(&args).await];
    let fault = Fault::Echo("travelers".to_owned());
    let shown = format!("{args:?} {answers:?} {:?} {fault}", desk.last());
    for secret in ["MARIE", "CURIE", "P0000001", "1967", "480080076", "marie@", "Warsaw", "FEMALE"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}
