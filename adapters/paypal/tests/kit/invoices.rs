//! `paypal.send_invoice`: what one mail is, and what others do to invoices.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{ask, error_reply, post};

pub(crate) struct SendInvoice;

const INVOICES: &str = "/v2/invoicing/invoices";

/// Two items to somebody; the first one's name says what becomes of the invoice.
fn sample(name: &str, number: u64) -> Sample {
    let item = |name: &str, amount: u64| json!({ "name": name, "amount": { "amount": amount, "currency": "EUR" } });
    let recipient = format!("jane{number}@example.com");
    let items = [item(name, 1000 + number % 9000), item("Travel", 500)];
    Sample { args: json!({ "recipient": recipient, "items": items }), target: recipient }
}

/// Sends an invoice of the same sum to the same address, as somebody does on PayPal's pages.
async fn send_by_hand(site: &Site, sample: &Sample) -> Result<(), String> {
    let cents = sample.args["items"][0]["amount"]["amount"].as_u64().unwrap_or_default() + 500;
    let amount = json!({ "currency_code": "EUR", "value": format!("{}.{:02}", cents / 100, cents % 100) });
    let body = json!({
        "detail": { "currency_code": "EUR" },
        "primary_recipients": [{ "billing_info": { "email_address": sample.target } }],
        "items": [{ "name": "By hand", "quantity": "1", "unit_amount": amount }],
    });
    let link = post(site, INVOICES, &body).await?;
    let id = link["href"].as_str().and_then(|href| href.rsplit('/').next()).unwrap_or_default().to_owned();
    post(site, &format!("{INVOICES}/{id}/send"), &json!({})).await.map(|_| ())
}

#[async_trait]
impl CellSubject for SendInvoice {
    fn id(&self) -> &'static str {
        "paypal.send_invoice"
    }

    fn routes(&self) -> Routes {
        Routes {
            shot: ("POST", "/v2/invoicing/invoices/*/send"),
            prepare: &[("POST", "/v2/invoicing/search-invoices*"), ("POST", "/v2/invoicing/invoices")],
            look: Some(("GET", "/v2/invoicing/invoices/*")),
        }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(sample("Advice", number))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "invoice" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["items"][0]["amount"]["amount"] = 77.into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        let link = "https://www.paypal.com/invoice/payerView/details/INV2-F0RE-1GN0-F0RE-1GN0";
        json!({ "href": link }).as_object().cloned().unwrap_or_default()
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(sample("unsendable", number)))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(sample("canceled-later", number)))
    }

    fn can_die(&self) -> bool {
        true
    }

    /// Somebody deletes the draft.
    async fn kill(&self, site: &Site, _: &Sample, mark: &str) -> Option<Result<(), String>> {
        let delete = async {
            let found = post(site, "/v2/invoicing/search-invoices", &json!({ "reference": mark })).await?;
            let id = found["items"][0]["id"].as_str().ok_or("no draft with our mark")?;
            ask(site, "DELETE", &format!("{INVOICES}/{id}"), &Value::Null).await.map(|_| ())
        };
        Some(delete.await)
    }

    /// A draft is sent once, whatever else goes wrong.
    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(send_by_hand(site, sample).await)
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        // Nobody says that a 429 did nothing, and three requests that may have done something are the most.
        vec![("429-storm", End::Person)]
    }
}
