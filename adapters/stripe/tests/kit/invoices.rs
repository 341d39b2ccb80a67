//! `stripe.send_invoice`: what one mail is, and what others do to invoices.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::cells::{amount_of, error_reply, get, post};

pub(crate) struct SendInvoice;

/// Two items to a customer of the stand-in.
fn sample(customer: &str, number: u64) -> Sample {
    let item =
        |words: &str, amount: u64| json!({ "description": words, "amount": { "amount": amount, "currency": "EUR" } });
    let args = json!({ "customer": customer, "items": [item("Advice", amount_of(number)), item("Travel", 500)] });
    Sample { args, target: customer.to_owned() }
}

/// Sends an invoice to the same customer over the same sum, as somebody does at the Dashboard.
async fn send_by_hand(site: &Site, customer: &str, amount: &str) -> Result<(), String> {
    let fields =
        [("customer", customer), ("currency", "eur"), ("collection_method", "send_invoice"), ("days_until_due", "30")];
    let made = post(site, "/v1/invoices", &fields).await?;
    let id = made["id"].as_str().unwrap_or_default();
    let fields = [("lines[0][amount]", amount), ("lines[0][description]", "By hand")];
    post(site, &format!("/v1/invoices/{id}/add_lines"), &fields).await?;
    post(site, &format!("/v1/invoices/{id}/send"), &[]).await.map(|_| ())
}

#[async_trait]
impl CellSubject for SendInvoice {
    fn id(&self) -> &'static str {
        "stripe.send_invoice"
    }

    fn routes(&self) -> Routes {
        Routes {
            shot: ("POST", "/v1/invoices/*/send"),
            prepare: &[
                ("GET", "/v1/invoices"),
                ("POST", "/v1/invoices"),
                ("GET", "/v1/invoices/*/lines"),
                ("POST", "/v1/invoices/*/add_lines"),
                ("GET", "/v1/invoices/in_*"),
                ("POST", "/v1/invoices/*/finalize"),
            ],
            look: Some(("GET", "/v1/events*")),
        }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(sample(&format!("cus_kit{number}"), number))
    }

    fn is_effect(&self, effect: &Effect, _: &Sample, mark: &str) -> bool {
        effect.kind == "invoice_mail" && effect.carries(mark)
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["items"][0]["amount"]["amount"] = 77.into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "id": "in_foreign" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(sample("cus_email_removed", number)))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(sample("cus_gives_up", number)))
    }

    fn can_die(&self) -> bool {
        true
    }

    async fn kill(&self, site: &Site, sample: &Sample, mark: &str) -> Option<Result<(), String>> {
        let void = async {
            let list = get(site, &format!("/v1/invoices?limit=100&customer={}", sample.target)).await?;
            let all = list["data"].as_array().cloned().unwrap_or_default();
            let ours = all.iter().find(|one| one["metadata"]["hapax"] == mark).ok_or("no invoice with our mark")?;
            let path = format!("/v1/invoices/{}/void", ours["id"].as_str().unwrap_or_default());
            post(site, &path, &[]).await.map(|_| ())
        };
        Some(void.await)
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for _ in 0..101 {
            if let Err(why) = send_by_hand(site, &sample.target, "1000").await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let sum = sample.args["items"][0]["amount"]["amount"].as_u64().unwrap_or(0) + 500;
        Some(send_by_hand(site, &sample.target, &sum.to_string()).await)
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![
            // Stripe itself does not know: neither the key nor an absence counts.
            ("stored-500", End::Person),
            ("500-before", End::Person),
            ("stored-500-repaired", End::Succeeded),
            ("401-in-the-middle", End::Succeeded),
            ("effect-after-deadline", End::Succeeded),
            ("twins", End::Succeeded),
            // The key alone settles it, within its life; afterwards what is found does.
            ("look-fails-for-ever", End::Succeeded),
            ("window-over", End::Succeeded),
            ("window-over-nothing", End::Person),
            ("found-but-dead", End::Person),
            ("ledger-restored-after-send", End::Succeeded),
        ]
    }
}
