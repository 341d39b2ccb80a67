//! Requests compared with the vendor's descriptions. The descriptions are the vendor's and not part of
//! this repository: `HAPAX_SPECS` names the folder that holds them.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::testing::{Desk, flight, hotel, hotel_order, order};
use hapax_core::testing::body_of;

/// A description, or nothing if it isn't here; then the test's output says what was skipped.
fn description(file: &str) -> Option<Value> {
    let Some(folder) = std::env::var_os("HAPAX_SPECS") else {
        skipped(file, "HAPAX_SPECS is not set");
        return None;
    };
    match std::fs::read(PathBuf::from(folder).join(file)) {
        Ok(bytes) => Some(serde_json::from_slice(&bytes).expect("a description is JSON")),
        Err(error) => {
            skipped(file, &error.to_string());
            None
        }
    }
}

#[allow(clippy::disallowed_macros, reason = "a skipped comparison must not look like one that passed")]
fn skipped(file: &str, why: &str) {
    eprintln!("skipped: nothing was compared with {file} ({why})");
}

/// What is wrong with a body by the description of one path's body parameter.
fn faults(description: &Value, path: &str, body: &Value) -> Vec<String> {
    let post = &description["paths"][path]["post"];
    let parameters = post["parameters"].as_array().expect("parameters");
    let mut schema = parameters.iter().find(|one| one["in"] == "body").expect("a body")["schema"].clone();
    schema["definitions"] = description["definitions"].clone();
    // A room needs two fields and may have one by the description, so no valid body exists.
    if let Some(room) = schema.pointer_mut("/definitions/roomAssociation").and_then(Value::as_object_mut) {
        room.remove("maxProperties");
    }
    // Local times have no offset, and the vendor's own examples fail its `date-time`.
    let validator = jsonschema::draft4::options().should_validate_formats(false).build(&schema).expect("a schema");
    validator.iter_errors(body).map(|error| format!("{} {error}", error.instance_path())).collect()
}

#[tokio::test]
async fn shape_of_book_flight() {
    let Some(description) = description("amadeus_flight_create_orders_v1.json") else { return };
    let desk = Desk::new("amadeus.book_flight", [(201, order("eJz1", "1"))]);
    let mut args = flight("1");
    args.contacts = args.travelers.iter().filter_map(|traveler| traveler.contact.clone()).collect();
    desk.attempt(&args).await;
    assert_eq!(faults(&description, "/booking/flight-orders", &body_of(&desk.last())), Vec::<String>::new());
    let wrong = json!({"data": {"type": "flight-order", "flightOffers": []}});
    assert_ne!(faults(&description, "/booking/flight-orders", &wrong), Vec::<String>::new(), "it can fail");
    let example = description["responses"]["returnFlightOrders"]["schema"]["example"].clone();
    let order: crate::wire::Answered<crate::wire::FlightOrder> = serde_json::from_value(example).expect("it reads");
    assert_eq!((order.data.references(), order.data.travelers.len()), (vec!["2ZYVAL".to_owned()], 3));
    assert!(order.data.flights().starts_with("IB3403 ORY-MAD 2018-09-22"), "{}", order.data.flights());
}

#[tokio::test]
async fn shape_of_book_hotel() {
    let Some(description) = description("amadeus_hotel_booking_v2.json") else { return };
    let desk = Desk::new("amadeus.book_hotel", [(201, hotel_order("V0g=", "CONFIRMED"))]);
    let mut args = hotel();
    args.rooms[0].special_request = Some("late arrival".into());
    desk.attempt(&args).await;
    assert_eq!(faults(&description, "/booking/hotel-orders", &body_of(&desk.last())), Vec::<String>::new());
    let wrong = json!({"data": {"type": "hotel-order"}});
    assert_ne!(faults(&description, "/booking/hotel-orders", &wrong), Vec::<String>::new(), "it can fail");
    let post = &description["paths"]["/booking/hotel-orders"]["post"];
    let example = post["responses"]["201"]["schema"]["example"].clone();
    let order: crate::wire::Answered<crate::hotel_wire::HotelOrder> =
        serde_json::from_value(example).expect("it reads");
    assert_eq!(order.data.confirmations(), ["89922710"]);
    assert_eq!(order.data.stay().as_deref(), Some("ARMADAIT 2024-06-07 to 2024-06-08"));
}
