use super::stage;
use serde_json::Value;

const NEW: &[(&str, &str)] = &[
    ("customer", "cus_1"),
    ("currency", "eur"),
    ("collection_method", "send_invoice"),
    ("days_until_due", "30"),
    ("metadata[order]", "1042"),
];

fn billed(customer: &'static str) -> Vec<(&'static str, &'static str)> {
    let rest = NEW.iter().filter(|(name, _)| *name != "customer").copied();
    std::iter::once(("customer", customer)).chain(rest).collect()
}

impl super::Stage {
    /// A draft with one line over 10 euros, and its path.
    async fn drafted(&self, fields: &[(&str, &str)]) -> String {
        let made = self.post("/v1/invoices", fields).await;
        assert_eq!(made.status, 200, "{}", made.value());
        let path = format!("/v1/invoices/{}", super::text(&made.value()["id"]));
        let line = [("lines[0][amount]", "1000"), ("lines[0][description]", "Advice")];
        let added = self.post(&format!("{path}/add_lines"), &line).await;
        assert_eq!(added.status, 200, "{}", added.value());
        path
    }

    async fn status(&self, path: &str) -> Value {
        self.get(path).await.value()["status"].clone()
    }
}

#[tokio::test]
async fn every_send_is_one_more_mail_and_one_more_event() {
    let stage = stage().await;
    let path = stage.drafted(NEW).await;
    let send = format!("{path}/send");
    assert_eq!(stage.keyed("k1", &send, &[]).await.value()["status"], "open", "a draft is finalized before");
    assert_eq!(stage.keyed("k1", &send, &[]).await.header("idempotent-replayed"), Some("true"));
    assert_eq!(stage.server.effects().count("invoice_mail"), 1);
    stage.keyed("k2", &send, &[]).await;
    let mails = stage.server.effects().of("invoice_mail");
    assert_eq!((mails.len(), mails[1].amount), (2, 1000));
    assert!(mails[1].carries("1042"));
    let events = stage.get("/v1/events?type=invoice.sent").await.value();
    assert_eq!(events["data"].as_array().map(Vec::len), Some(2));
    assert_eq!(events["data"][0]["data"]["object"]["number"], "STANDIN-0001");
    assert_eq!(events["data"][0]["request"]["idempotency_key"], "k2");
}

#[tokio::test]
async fn only_drafts_change_and_the_status_lets_each_step_through() {
    let stage = stage().await;
    let path = stage.drafted(NEW).await;
    assert_eq!(stage.post(&format!("{path}/void"), &[]).await.status, 400, "a draft is deleted, not voided");
    assert_eq!(stage.post(&format!("{path}/finalize"), &[]).await.value()["status"], "open");
    let again = stage.post(&format!("{path}/finalize"), &[]).await;
    assert_eq!((again.status, &again.value()["error"]["code"]), (400, &Value::from("invoice_already_finalized")));
    assert_eq!(stage.post(&format!("{path}/add_lines"), &[("lines[0][amount]", "1")]).await.status, 400);
    assert_eq!(stage.call("DELETE", &path).send().await.expect("a reply").status, 400);
    assert_eq!(stage.post(&format!("{path}/void"), &[]).await.value()["status"], "void");
    assert_eq!(stage.post(&format!("{path}/send"), &[]).await.status, 400);
    assert_eq!(stage.server.effects().count("invoice_mail"), 0);

    let draft = stage.drafted(NEW).await;
    assert_eq!(stage.call("DELETE", &draft).send().await.expect("a reply").value()["deleted"], true);
    assert_eq!(stage.get(&draft).await.value()["error"]["code"], "resource_missing");
}

#[tokio::test]
async fn pending_items_and_discounts_come_in_unless_they_are_kept_out() {
    let stage = stage().await;
    let item = [("customer", "cus_discounted"), ("amount", "700"), ("currency", "eur")];
    assert_eq!(stage.post("/v1/invoiceitems", &item).await.status, 200);
    let mut fields = billed("cus_discounted");
    fields.extend([("pending_invoice_items_behavior", "exclude"), ("discounts", "")]);
    let path = stage.drafted(&fields).await;
    assert_eq!(stage.get(&path).await.value()["total"], 1000);
    let mut fields = billed("cus_discounted");
    fields.push(("pending_invoice_items_behavior", "include"));
    let path = stage.drafted(&fields).await;
    assert_eq!(stage.get(&path).await.value()["total"], 1530, "two lines, less a tenth");
    let lines = stage.get(&format!("{path}/lines")).await.value();
    assert_eq!(lines["data"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn customers_decide_what_becomes_of_it() {
    let stage = stage().await;
    for (customer, status) in [("cus_missing", 400), ("cus_without_email", 400), ("cus_1", 200)] {
        assert_eq!(stage.post("/v1/invoices", &billed(customer)).await.status, status, "{customer}");
    }
    let path = stage.drafted(&billed("cus_with_credit")).await;
    assert_eq!(stage.post(&format!("{path}/finalize"), &[]).await.value()["status"], "paid");
    let path = stage.drafted(&billed("cus_email_removed")).await;
    assert_eq!(stage.post(&format!("{path}/send"), &[]).await.status, 400);
    let path = stage.drafted(&billed("cus_gives_up")).await;
    stage.post(&format!("{path}/send"), &[]).await;
    assert_eq!(stage.status(&path).await, "open");
    stage.clock.advance(5_001);
    assert_eq!(stage.status(&path).await, "uncollectible");
    let list = stage.get("/v1/invoices?customer=cus_gives_up").await.value();
    assert_eq!(list["data"].as_array().map(Vec::len), Some(1));
}
