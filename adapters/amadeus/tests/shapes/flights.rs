use hapax_conformance::shapes::Mock;
use hapax_standin::client::Call;
use hapax_standin::{Fault, When};
use serde_json::{Value, json};

use crate::{LOCAL_TIMES, a_persons, bench, example_of_body, let_through, receipt, refused, run, sent};

const ORDERS: &str = "/v1/booking/flight-orders";
/// The order of the descriptions' examples.
const ORDER: &str = "MlpZVkFMfFdBVFNPTnwyMDE1LTExLTAy";

async fn creating() -> Option<Mock> {
    Mock::of("amadeus_flight_create_orders_v1.json", &[LOCAL_TIMES]).await.expect("it starts")
}

async fn managing() -> Option<Mock> {
    Mock::of("amadeus_flight_order_management_v1.json", &[LOCAL_TIMES]).await.expect("it starts")
}

/// The order of the vendor's example of an answer.
fn answered(mock: &Mock) -> Value {
    mock.description()["responses"]["returnFlightOrders"]["schema"]["example"]["data"].clone()
}

/// Arguments for its flights and travelers. Its offer as it is would be no valid request: weights that are no integers,
/// words that are not among those allowed. So the flights are put into the offer of the example of a request.
fn as_in_the_answer(mock: &Mock, mut offer: Value) -> Value {
    let order = answered(mock);
    offer["itineraries"] = order["flightOffers"][0]["itineraries"].clone();
    for itinerary in offer["itineraries"].as_array_mut().into_iter().flatten() {
        for segment in itinerary["segments"].as_array_mut().into_iter().flatten() {
            let segment = segment.as_object_mut().expect("a segment");
            segment.retain(|name, _| matches!(name.as_str(), "departure" | "arrival" | "carrierCode" | "number"));
        }
    }
    json!({ "flight_offers": [offer], "travelers": order["travelers"] })
}

fn offer(creating: &Mock) -> Value {
    example_of_body(creating, "/booking/flight-orders")["data"]["flightOffers"][0].clone()
}

#[tokio::test]
async fn shape_at_prism_of_book_flight() {
    let Some(mock) = creating().await else { return };
    let bench = bench(&mock).await;
    let_through(&bench, &[]);
    let (report, arrived) = run(&bench, "amadeus.book_flight", &as_in_the_answer(&mock, offer(&mock))).await;
    let receipt = receipt(&report);
    assert_eq!(receipt["id"], ORDER);
    assert_eq!((&receipt["references"], &receipt["travelers"]), (&json!(["2ZYVAL"]), &json!(3)));
    assert_eq!(arrived, [format!("POST {ORDERS}")]);
}

#[tokio::test]
async fn shape_at_prism_of_the_vendors_own_request() {
    let Some(mock) = creating().await else { return };
    let bench = bench(&mock).await;
    let_through(&bench, &[]);
    let mut example = example_of_body(&mock, "/booking/flight-orders");
    let order = &example["data"];
    let args = json!({
        "flight_offers": order["flightOffers"], "travelers": order["travelers"], "contacts": order["contacts"],
        "remarks": [order["remarks"]["general"][0]["text"]], "ticketing": { "option": "delay_to_cancel", "days": 6 },
    });
    let (report, arrived) = run(&bench, "amadeus.book_flight", &args).await;
    // Word for word the vendor's, with our remark before theirs.
    let mut sent = sent(&bench);
    let ours = sent["data"]["remarks"]["general"].as_array_mut().expect("remarks").remove(0);
    assert!(ours["text"].as_str().is_some_and(|text| text.starts_with("HAPAX ")), "{ours}");
    assert_eq!(sent["data"].take(), example["data"].take());
    // The answer is about other flights, which the echo shows.
    a_persons(&report);
    assert_eq!(arrived, [format!("POST {ORDERS}")]);
}

#[tokio::test]
async fn shape_at_prism_of_refusals_to_book_a_flight() {
    let Some(mock) = creating().await else { return };
    let args = as_in_the_answer(&mock, offer(&mock));
    let refusing = bench(&mock).await;
    let_through(&refusing, &[(When::on("POST", ORDERS), 400)]);
    let (report, arrived) = run(&refusing, "amadeus.book_flight", &args).await;
    refused(&report, "477");
    assert_eq!(arrived, [format!("POST {ORDERS}")]);

    let failing = bench(&mock).await;
    let_through(&failing, &[(When::on("POST", ORDERS), 500)]);
    let (report, arrived) = run(&failing, "amadeus.book_flight", &args).await;
    a_persons(&report);
    assert_eq!(arrived, [format!("POST {ORDERS}")]);
}

#[tokio::test]
async fn shape_at_prism_of_an_order_that_a_person_names() {
    let Some(mock) = managing().await else { return };
    let bench = bench(&mock).await;
    // This description has no POST.
    bench.proxy().inject(When::on("POST", ORDERS), Fault::LoseRequest);
    let_through(&bench, &[]);
    let offer = answered(&mock)["flightOffers"][0].take();
    let (report, _) = run(&bench, "amadeus.book_flight", &as_in_the_answer(&mock, offer)).await;
    a_persons(&report);
    let report = bench.named(&report, ORDER).await.expect("it is read and compared");
    assert_eq!(receipt(&report)["references"], json!(["2ZYVAL"]));
    assert_eq!((bench.faults(), bench.arrived()), (Vec::new(), vec![format!("GET {ORDERS}/{ORDER}")]));
    assert_eq!(bench.proxy().count("POST", ORDERS), 1);
}

#[tokio::test]
async fn shape_at_prism_of_cancel_flight() {
    let Some(mock) = managing().await else { return };
    let (args, one) = (json!({ "order_id": ORDER }), format!("{ORDERS}/{ORDER}"));
    let (get, delete) = (format!("GET {one}"), format!("DELETE {one}"));
    let plain = bench(&mock).await;
    let_through(&plain, &[]);
    let (report, arrived) = run(&plain, "amadeus.cancel_flight", &args).await;
    assert_eq!(receipt(&report)["doer"], "us");
    assert_eq!(arrived, [get.clone(), delete.clone()]);

    // Somebody else was quicker, after the order was seen.
    let gone = bench(&mock).await;
    let_through(&gone, &[(When::on("DELETE", &one).always(), 404), (When::on("GET", &one).nth(2).always(), 404)]);
    let (report, arrived) = run(&gone, "amadeus.cancel_flight", &args).await;
    assert_eq!(receipt(&report)["doer"], "cannot_tell");
    assert_eq!(arrived[..3], [get.clone(), delete.clone(), get.clone()]);
    assert_eq!(arrived.iter().filter(|request| **request == delete).count(), 1, "{arrived:?}");

    // The description's example of a 400 has a code that refuses no cancellation, so it is looked at and goes again.
    let unclear = bench(&mock).await;
    let_through(&unclear, &[(When::on("DELETE", &one), 400)]);
    let (report, arrived) = run(&unclear, "amadeus.cancel_flight", &args).await;
    assert_eq!(receipt(&report)["doer"], "us");
    assert_eq!((arrived.first(), arrived.last()), (Some(&get), Some(&delete)));
    assert_eq!(arrived.iter().filter(|request| **request == delete).count(), 2, "{arrived:?}");
}

#[tokio::test]
async fn an_order_that_the_description_forbids_is_noticed() {
    let Some(mock) = creating().await else { return };
    let bench = bench(&mock).await;
    let_through(&bench, &[]);
    let call = Call::post(&format!("{}{ORDERS}", bench.proxy().url())).json(&json!({ "data": {} }));
    call.header("content-type", "application/vnd.amadeus+json").send().await.expect("a reply");
    assert!(!bench.faults().is_empty());
}
