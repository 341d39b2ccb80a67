use serde_json::{Value, json};

use super::{Stage, issue, stage, text};

const INVOICES: &str = "/v2/invoicing/invoices";

fn body(name: &str, number: &str) -> Value {
    json!({
        "detail": { "currency_code": "EUR", "invoice_number": number, "reference": name },
        "primary_recipients": [{ "billing_info": { "email_address": "jane@example.com" } }],
        "items": [
            { "name": name, "quantity": "1", "unit_amount": { "currency_code": "EUR", "value": "10.00" } },
            { "name": "Travel", "quantity": "1", "unit_amount": { "currency_code": "EUR", "value": "0.50" } },
        ],
    })
}

impl Stage {
    /// The path of a new draft.
    async fn drafted(&self, name: &str, number: &str) -> String {
        let made = self.call("POST", INVOICES, "", &body(name, number)).await;
        assert_eq!((made.status, made.value()["rel"].clone()), (201, json!("self")), "a link alone");
        let href = text(&made.value()["href"]);
        href.strip_prefix("https://api-m.paypal.com").expect("an address of PayPal's").to_owned()
    }

    async fn post(&self, path: &str) -> hapax_standin::Reply {
        self.call("POST", path, "", &json!({})).await
    }

    async fn status(&self, path: &str) -> String {
        text(&self.call("GET", path, "", &Value::Null).await.value()["status"])
    }

    async fn searched(&self, query: &str, by: &Value) -> Value {
        self.call("POST", &format!("/v2/invoicing/search-invoices{query}"), "", by).await.value()
    }
}

#[tokio::test]
async fn an_invoice_is_sent_once() {
    let stage = stage(|it| it).await;
    let draft = stage.drafted("Advice", "1").await;
    assert_eq!((stage.status(&draft).await.as_str(), stage.count("invoice")), ("DRAFT", 0), "a draft mails nobody");
    let shown = stage.call("GET", &draft, "", &Value::Null).await.value();
    assert_eq!(shown["amount"], json!({ "currency_code": "EUR", "value": "10.50" }));
    let sent = stage.post(&format!("{draft}/send")).await;
    assert_eq!((sent.status, text(&sent.value()["rel"])), (200, "payer-view".to_owned()));
    assert_eq!(issue(&stage.post(&format!("{draft}/send")).await), (422, "INVOICE_ALREADY_SENT".to_owned()));
    let shown = stage.call("GET", &draft, "", &Value::Null).await.value();
    assert!(shown["status"] == "SENT" && shown["detail"]["metadata"]["first_sent_time"].is_string(), "{shown}");
    let effects = stage.server.effects().all();
    let [one] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!((one.amount, one.currency.as_str(), one.carries("Advice")), (1050, "EUR", true));
}

#[tokio::test]
async fn the_items_of_an_invoice_decide() {
    let stage = stage(|it| it).await;
    let made = stage.call("POST", INVOICES, "", &body("refused", "1")).await;
    assert_eq!(issue(&made), (422, "USER_NOT_FOUND".to_owned()));
    let draft = stage.drafted("unsendable", "2").await;
    let sent = stage.post(&format!("{draft}/send")).await;
    assert_eq!(issue(&sent), (422, "CANT_SEND_INVOICE_WITHOUT_EMAIL".to_owned()));
    let draft = stage.drafted("canceled-later", "3").await;
    assert_eq!(stage.post(&format!("{draft}/send")).await.status, 200);
    stage.clock.advance(30 * 60_000 - 1);
    assert_eq!(stage.status(&draft).await, "SENT");
    stage.clock.advance(1);
    assert_eq!(stage.status(&draft).await, "CANCELLED");
    let nothing = json!({ "detail": { "currency_code": "EUR" }, "items": [] });
    assert_eq!(stage.call("POST", INVOICES, "", &nothing).await.status, 400);
    let mut other = body("Advice", "4");
    other["detail"]["currency_code"] = "USD".into();
    assert_eq!(stage.call("POST", INVOICES, "", &other).await.status, 400);
    assert_eq!(stage.call("POST", INVOICES, "", &body("Advice", &"4".repeat(26))).await.status, 400);
    assert_eq!(stage.count("invoice"), 1);
}

#[tokio::test]
async fn drafts_are_deleted_and_sent_ones_canceled() {
    let stage = stage(|it| it).await;
    let draft = stage.drafted("Advice", "1").await;
    assert_eq!(issue(&stage.post(&format!("{draft}/cancel")).await).1, "CANNOT_CANCEL_DRAFT_INVOICE");
    assert_eq!(stage.call("DELETE", &draft, "", &Value::Null).await.status, 204);
    let gone = stage.call("GET", &draft, "", &Value::Null).await;
    assert_eq!((gone.status, text(&gone.value()["name"])), (404, "RESOURCE_NOT_FOUND".to_owned()));
    assert!(gone.value()["details"].is_null(), "without an issue");
    assert_eq!(stage.post(&format!("{draft}/send")).await.status, 404);
    let sent = stage.drafted("Advice", "1").await;
    stage.post(&format!("{sent}/send")).await;
    let deleted = stage.call("DELETE", &sent, "", &Value::Null).await;
    assert_eq!(issue(&deleted), (422, "INVOICE_CANNOT_BE_DELETED".to_owned()));
    assert_eq!(stage.post(&format!("{sent}/cancel")).await.status, 204);
    assert_eq!(issue(&stage.post(&format!("{sent}/cancel")).await).1, "INVOICE_CANCELED_ALREADY");
    assert_eq!(stage.call("DELETE", &sent, "", &Value::Null).await.status, 204);
}

#[tokio::test]
async fn repeated_numbers_are_refused_where_it_is_set() {
    for (refuses, expected) in [(false, 201), (true, 422)] {
        let stage = stage(|it| if refuses { it.refuses_repeated_invoice_numbers() } else { it }).await;
        let first = stage.drafted("Advice", "1").await;
        let again = stage.call("POST", INVOICES, "", &body("Advice", "1")).await;
        assert_eq!(again.status, expected);
        stage.call("DELETE", &first, "", &Value::Null).await;
        if refuses {
            stage.drafted("Advice", "1").await;
        }
    }
}

#[tokio::test]
async fn invoices_are_searched_by_reference_and_number_in_pages() {
    let stage = stage(|it| it).await;
    for number in 0..3 {
        stage.drafted("Advice", &number.to_string()).await;
    }
    stage.drafted("Other", "9").await;
    let found = stage.searched("?page_size=2&total_required=true", &json!({ "reference": "Advice" })).await;
    assert_eq!((&found["total_items"], &found["total_pages"]), (&json!(3), &json!(2)));
    assert_eq!(found["items"].as_array().map(Vec::len), Some(2));
    let second = stage.searched("?page=2&page_size=2", &json!({ "reference": "Advice" })).await;
    assert_eq!((second["items"].as_array().map(Vec::len), &second["total_items"]), (Some(1), &Value::Null));
    let one = stage.searched("", &json!({ "invoice_number": "9" })).await;
    assert_eq!(
        (one["items"].as_array().map(Vec::len), &one["items"][0]["detail"]["reference"]),
        (Some(1), &json!("Other"))
    );
    let wide = stage.call("POST", "/v2/invoicing/search-invoices?page_size=101", "", &json!({})).await;
    assert_eq!(wide.status, 400);
}
