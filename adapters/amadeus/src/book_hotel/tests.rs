use hapax_core::capability::Rung;
use hapax_core::cell::CellArgs;
use hapax_core::words::{Answer, Finding};
use serde_json::{Value, json};

use super::*;
use crate::testing::{CARD, Desk, credentials, error, hotel, hotel_order, read};
use hapax_core::testing::{body_of, json_of, word};

const CELL: &str = "amadeus.book_hotel";

async fn answered(status: u16, body: Value) -> Answer<hapax_core::protocol::Receipt> {
    Desk::new(CELL, [(status, body)]).attempt(&hotel()).await
}

#[tokio::test]
async fn book_hotel_plants_the_mark_in_the_special_request() {
    let desk = Desk::new(CELL, [(201, hotel_order("V0g=", "CONFIRMED")), (201, hotel_order("V0h=", "CONFIRMED"))]);
    let mut args = hotel();
    args.rooms[0].special_request = Some("late arrival".into());
    assert_eq!(word(&desk.attempt(&args).await), "happened");
    let room = body_of(&desk.last())["data"]["roomAssociations"][0].clone();
    assert_eq!(room["specialRequest"], format!("late arrival {}", desk.remark()));
    assert_eq!(room["guestReferences"], json!([{"guestReference": "1"}]));
    assert_eq!(body_of(&desk.last())["data"]["guests"][0]["tid"], 1);
    args = hotel();
    args.reference = false;
    desk.attempt(&args).await;
    assert!(body_of(&desk.last())["data"]["roomAssociations"][0]["specialRequest"].is_null());
}

#[tokio::test]
async fn book_hotel_lost_answer_is_a_persons() {
    let desk = Desk::losing(CELL);
    assert_eq!(word(&desk.attempt(&hotel()).await), "unclear");
    assert!(matches!(desk.find(&hotel()).await, Ok(Finding::CannotTell(_))));
    assert!(matches!(SPEC.ladder, [Rung::Human(_)]), "nothing but a person");
    assert!(SPEC.human().contains("{mark}") && SPEC.human().contains("{stay}"));
}

#[tokio::test]
async fn book_hotel_link_down_is_adrift() {
    let codes = [(400, 25860), (400, 39283), (500, 11), (500, 4070), (500, 16440), (500, 31686), (500, 21934)];
    for (status, code) in codes.into_iter().chain([(500, 38660), (500, 42150), (500, 38189), (500, 141)]) {
        let (status, body) = error(status, code);
        assert_eq!(word(&answered(status, body).await), "adrift", "{code}");
    }
    let with_zeros = json!({"errors": [{"status": 500, "code": "00011", "title": "UNABLE TO PROCESS"}]});
    assert_eq!(word(&answered(500, with_zeros).await), "adrift");
}

#[tokio::test]
async fn book_hotel_refusals_have_rows() {
    for code in [477, 8612, 38420, 4725, 3843, 1421, 1427, 3682, 3664, 6698, 12247, 33440] {
        let (status, body) = error(400, code);
        assert_eq!(word(&answered(status, body).await), "refused", "{code}");
    }
}

#[tokio::test]
async fn book_hotel_other_failures_are_not_guessed() {
    // The hotel may answer these after it booked.
    for (status, code) in [(400, 32315), (400, 37200), (400, 41344), (400, 99999), (500, 7)] {
        let (status, body) = error(status, code);
        assert_eq!(word(&answered(status, body).await), "unclear", "{code}");
    }
    assert_eq!(word(&answered(502, json!("<html>")).await), "unclear");
    assert_eq!(word(&answered(201, json!({"data": {"id": "V0g="}})).await), "unclear");
}

#[tokio::test]
async fn book_hotel_limits_and_tokens_are_not_done() {
    for (status, code) in [(401, 38190), (429, 38194)] {
        let (status, body) = error(status, code);
        assert_eq!(word(&answered(status, body).await), "not done", "{code}");
    }
}

#[tokio::test]
async fn book_hotel_errors_nested_twice_are_read() {
    let (_, list) = error(400, 3664);
    assert_eq!(word(&answered(400, json!({"errors": [list]})).await), "refused");
    let (_, list) = error(400, 25860);
    assert_eq!(word(&answered(400, json!({"errors": [list]})).await), "adrift");
}

#[tokio::test]
async fn book_hotel_card_comes_from_the_connection() {
    let desk = Desk::new(CELL, [(201, hotel_order("V0g=", "CONFIRMED")), (201, hotel_order("V0h=", "CONFIRMED"))]);
    let answer = desk.attempt(&hotel()).await;
    let card = &body_of(&desk.last())["data"]["payment"]["paymentCard"]["paymentCardInfo"];
    assert_eq!((&card["cardNumber"], &card["expiryDate"]), (&json!(CARD), &json!("2029-08")));
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    let kept = format!("{} {}", json_of(&hotel()), receipt.body);
    assert!(!kept.contains(CARD) && !kept.contains("1370"), "{kept}");
    assert!(!format!("{:?}", desk.last()).contains(CARD));
    let mut args = hotel();
    args.card = false;
    desk.attempt(&args).await;
    assert!(body_of(&desk.last())["data"]["payment"].is_null());
}

#[tokio::test]
async fn book_hotel_without_a_card_is_not_sent() {
    let bare = ["client_id", "client_secret"].into_iter().fold(hapax_core::cell::Credentials::none(), |all, name| {
        all.with(name, credentials().get(name).expect("a credential").clone())
    });
    let desk = Desk::with(CELL, bare);
    let answer = desk.attempt(&hotel()).await;
    assert!(matches!(&answer, Answer::NotDone(why, _) if why.contains("AMADEUS_CARD_VENDOR")), "{answer:?}");
    assert_eq!(desk.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn book_hotel_receipt_names_confirmations_and_no_guests() {
    let answer = answered(201, hotel_order("V0g=", "CONFIRMED")).await;
    let Answer::Happened(receipt) = answer else { panic!("{answer:?}") };
    let expected = json!({"id": "V0g=", "references": ["WH6TRZ"], "confirmations": ["89922710"],
        "statuses": ["CONFIRMED"], "guests": 1, "stay": "ARMADAIT 2027-01-01 to 2027-01-03"});
    assert_eq!(*receipt.body, expected);
}

#[test]
fn book_hotel_denied_booking_has_a_failed_fate() {
    let fate = |status: &str| {
        let order: Answered<HotelOrder> = read(hotel_order("V0g=", status));
        receipt(order.data).fate().expect("a fate")
    };
    assert_eq!(fate("CONFIRMED"), ("CONFIRMED".to_owned(), false));
    assert_eq!(fate("PENDING"), ("PENDING".to_owned(), false));
    assert!(fate("DENIED").1 && fate("UNCONFIRMED").1 && fate("CANCELLED").1);
}

#[tokio::test]
async fn book_hotel_echo_mismatch_is_caught() {
    let mut fewer = hotel_order("V0g=", "CONFIRMED");
    fewer["data"]["guests"] = json!([]);
    let mut nights = hotel_order("V0g=", "CONFIRMED");
    nights["data"]["hotelBookings"][0]["hotelOffer"]["checkOutDate"] = "2027-01-04".into();
    let mut two_hotels = hotel_order("V0g=", "CONFIRMED");
    let mut other = two_hotels["data"]["hotelBookings"][0].clone();
    other["hotel"]["hotelId"] = "OTHERONE".into();
    two_hotels["data"]["hotelBookings"].as_array_mut().expect("a list").push(other);
    for body in [fewer, nights, two_hotels] {
        assert_eq!(word(&answered(201, body).await), "echo");
    }
}

#[tokio::test]
async fn book_hotel_fetch_reads_what_a_person_names() {
    let desk = Desk::new(CELL, [(200, hotel_order("V0g/a=", "CONFIRMED")), error(404, 1797)]);
    assert!(desk.fetch(&hotel(), "V0g/a=").await.expect("read").is_some());
    assert_eq!(desk.fetch(&hotel(), "V0h=").await, Ok(None));
    assert_eq!(desk.asked(), ["GET /v2/booking/hotel-orders/V0g%2Fa=", "GET /v2/booking/hotel-orders/V0h="]);
    assert!(desk.fetch(&hotel(), "..").await.is_err());
}

#[test]
fn book_hotel_checks_its_arguments() {
    let check = |change: &dyn Fn(&mut Value), says: &str| {
        let mut args = json_of(&hotel());
        change(&mut args);
        let wrong = match serde_json::from_value::<BookHotel>(args) {
            Ok(args) => args.check().expect_err(says),
            Err(error) => error.to_string(),
        };
        assert!(wrong.contains(says) && !wrong.contains("CURIE"), "{wrong}");
    };
    assert_eq!(hotel().check(), Ok(()));
    check(&|args| args["stay"]["hotel_id"] = "PARIS".into(), "stay.hotel_id");
    check(&|args| args["stay"]["check_out"] = "2027-01-01".into(), "stay.check_out");
    check(&|args| args["guests"] = json!([]), "guests");
    check(&|args| args["guests"][0]["first_name"] = "".into(), "guests[0].first_name");
    check(&|args| args["guests"][0]["email"] = "marie".into(), "guests[0].email");
    check(&|args| args["rooms"][0]["offer_id"] = "../x".into(), "rooms[0].offer_id");
    check(&|args| args["rooms"][0]["guests"] = json!([2]), "rooms[0].guests");
    check(&|args| args["rooms"][0]["guests"] = json!([1, 1]), "guest 1 has to sleep in one room");
    check(&|args| args["rooms"][0]["special_request"] = "x".repeat(82).into(), "rooms[0].special_request");
    check(&|args| args["rooms"].as_array_mut().expect("a list").push(args_room()), "guest 1 has to sleep in one room");
    check(&|args| args["agency"]["email"] = "nobody".into(), "agency.email");
    check(&|args| args["price"] = json!({"amount": 0, "currency": "EUR"}), "price");
}

fn args_room() -> Value {
    json_of(&hotel())["rooms"][0].clone()
}

#[tokio::test]
async fn book_hotel_never_shows_guests() {
    let desk = Desk::new(CELL, [error(400, 477)]);
    let mut args = hotel();
    args.rooms[0].special_request = Some("wheelchair".into());
    let answer = desk.attempt(&args).await;
    let shown = format!("{args:?} {answer:?} {:?}", desk.last());
    for secret in ["MARIE", "CURIE", "marie@", "+33679278416", "wheelchair", "agency@"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}
