//! How Duffel's cells are killed: a module of the crash suite, `tests/crash`.

use hapax_standin::client::Call;
use serde_json::{Value, json};

use super::{Intent, Job, Site, text};

pub(super) const JOBS: &[Job] = &[
    Job { cell: "duffel.book", effect: "order", shot: ("POST", "/air/orders") },
    Job { cell: "duffel.hold", effect: "hold", shot: ("POST", "/air/orders") },
    Job { cell: "duffel.pay", effect: "payment", shot: ("POST", "/air/payments") },
    Job { cell: "duffel.cancel", effect: "cancel", shot: ("POST", "/air/order_cancellations/*/actions/confirm") },
];

pub(super) async fn intent(cell: &str, site: &Site, number: u64) -> Intent {
    let offer = format!("off_crash{number}");
    let amount = json!({ "amount": 9080, "currency": "GBP" });
    match cell {
        "duffel.book" => Intent::marked(json!({ "offer_id": offer, "passengers": passengers(), "amount": amount })),
        "duffel.hold" => Intent::marked(json!({ "offer_id": offer, "passengers": passengers() })),
        "duffel.pay" => {
            let order = held(site, &offer).await;
            Intent::known_by(&order, json!({ "order_id": order, "amount": amount }))
        }
        "duffel.cancel" => {
            let order = held(site, &offer).await;
            Intent::known_by(&order, json!({ "order_id": order }))
        }
        other => panic!("no intent of {other}"),
    }
}

fn passengers() -> Value {
    json!([{
        "id": "pas_crash", "given_name": "Amelia", "family_name": "Earhart", "title": "mrs", "gender": "f",
        "born_on": "1987-07-24", "email": "amelia@example.com", "phone_number": "+442080160509",
    }])
}

/// An order that somebody holds.
async fn held(site: &Site, offer: &str) -> String {
    let call = Call::post(&format!("{}/air/orders", site.url)).header("authorization", "Bearer duffel_test_setup");
    let data = json!({ "type": "hold", "selected_offers": [offer], "passengers": passengers() });
    let call = call.header("duffel-version", "v2").json(&json!({ "data": data }));
    text(&site.ask(call).await["data"]["id"])
}
