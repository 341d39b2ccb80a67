use hapax_conformance::shapes::Mock;
use hapax_standin::When;
use hapax_standin::third_party::prism::Edit;
use serde_json::{Value, json};

use crate::{LOCAL_TIMES, a_persons, bench, example_of_body, let_through, receipt, refused, run, sent};

const ORDERS: &str = "/v2/booking/hotel-orders";

const ONE_FIELD: Edit = Edit {
    why: "a room needs two fields and may have one, so there is no valid order",
    make: |description| {
        let room = description.pointer_mut("/definitions/roomAssociation").and_then(Value::as_object_mut);
        room.is_some_and(|room| room.remove("maxProperties").is_some())
    },
};

async fn booking() -> Option<Mock> {
    Mock::of("amadeus_hotel_booking_v2.json", &[LOCAL_TIMES, ONE_FIELD]).await.expect("it starts")
}

/// What the vendor's example asks for, with the stay of their example of an answer.
fn args(reference: bool) -> Value {
    json!({
        "stay": { "hotel_id": "ARMADAIT", "check_in": "2024-06-07", "check_out": "2024-06-08" },
        "guests": [{
            "title": "MR", "first_name": "BOB", "last_name": "SMITH", "phone": "+33679278416",
            "email": "bob.smith@email.com",
        }],
        "rooms": [{ "offer_id": "4L8PRJPEN7", "guests": [1] }],
        "agency": { "email": "bob.smith@email.com" },
        "reference": reference,
    })
}

#[tokio::test]
async fn shape_at_prism_of_book_hotel() {
    let Some(mock) = booking().await else { return };
    for reference in [true, false] {
        let bench = bench(&mock).await;
        let_through(&bench, &[]);
        let (report, arrived) = run(&bench, "amadeus.book_hotel", &args(reference)).await;
        let receipt = receipt(&report);
        assert_eq!((&receipt["id"], &receipt["references"]), (&json!("V0g2VFJaLzIwMjQtMDYtMDc="), &json!(["WH6TRZ"])));
        assert_eq!(arrived, [format!("POST {ORDERS}")]);
        // Word for word the vendor's, but for the special request in which our reference goes along.
        let mut sent = sent(&bench);
        let room = sent["data"]["roomAssociations"][0].as_object_mut().expect("a room");
        assert_eq!(room.remove("specialRequest").is_some(), reference);
        assert_eq!(sent, example_of_body(&mock, "/booking/hotel-orders"));
    }
}

#[tokio::test]
async fn shape_at_prism_of_failures_to_book_a_hotel() {
    let Some(mock) = booking().await else { return };
    let answer = async |status| {
        let bench = bench(&mock).await;
        let_through(&bench, &[(When::on("POST", ORDERS), status)]);
        let (report, arrived) = run(&bench, "amadeus.book_hotel", &args(true)).await;
        assert_eq!(arrived, [format!("POST {ORDERS}")]);
        report
    };
    // Its errors lie twice deep.
    refused(&answer(400).await, "477");
    a_persons(&answer(500).await);
}
