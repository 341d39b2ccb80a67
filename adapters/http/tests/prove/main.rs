//! Each worked example holds under every fault of the kit.
#![cfg(feature = "prove")]

use hapax_http::{Declared, prove};

async fn holds(file: &str, text: &str) {
    let declared = Declared::read(file, text).unwrap_or_else(|problem| panic!("{problem}"));
    let report = prove::play(&declared, &[1], None).await.unwrap_or_else(|problem| panic!("{problem}"));
    let mut table = Vec::new();
    report.write(&mut table).expect("memory takes everything");
    hapax_conformance::kit::say(&table);
    assert!(report.violations().is_empty(), "{} violations", report.violations().len());
}

/// An id of ours for what is made.
const SHIPMENTS: &str = r#"
name = "shipments"
base_url = "https://shipments.example.com"
source = { url = "https://shipments.example.com/docs", read = "2026-11-28", sure = "official" }
[errors]
code = "$.code"
[cells.ship]
summary = "Ships a parcel"
person = "the shipment {token}"
residual = "none that is known; a test"
[cells.ship.arguments]
type = "object"
required = ["to"]
properties = { to = { type = "string" } }
[cells.ship.request]
method = "PUT"
path = "/shipments/{{ id }}"
json = { to = "{{ to }}" }
[cells.ship.id]
field = "the shipment's id"
form = "text:24"
life = "ever"
repeat = "refuses"
failures = "rerun"
[[cells.ship.rows]]
status = 409
code = "exists"
means = "taken"
[cells.ship.receipt]
id = "$.id"
echo = { "$.id" = "{{ id }}", "$.to" = "{{ to }}" }
[cells.ship.look]
path = "/shipments/{{ id }}"
ours = { "$.id" = "{{ id }}", "$.to" = "{{ to }}" }
horizon = "ever"
[cells.ship.record]
path = "/shipments/{{ id }}"
[cells.ship.example]
intent = { to = "street {{ number }}" }
other = { to = "elsewhere" }
"#;

/// A state that it be so.
const CONTACTS: &str = r#"
name = "contacts"
base_url = "https://contacts.example.com"
source = { url = "https://contacts.example.com/docs", read = "2026-11-28", sure = "official" }
[errors]
code = "$.code"
[cells.upsert]
summary = "Sees to it that a contact has these values"
kind = "be-so"
stakes = "low"
person = "the contact {email}"
residual = "none that is known; a test"
[cells.upsert.arguments]
type = "object"
required = ["email", "city"]
properties = { email = { type = "string" }, city = { type = "string" } }
[cells.upsert.request]
method = "PUT"
path = "/contacts/{{ email }}"
json = { city = "{{ city }}" }
[cells.upsert.state]
field = "values"
life = "ever"
repeat = "converges"
[cells.upsert.receipt]
id = "$.id"
echo = { "$.email" = "{{ email }}", "$.city" = "{{ city }}" }
[cells.upsert.look]
path = "/contacts/{{ email }}"
ours = { "$.city" = "{{ city }}" }
horizon = "ever"
[cells.upsert.example]
intent = { email = "jane{{ number }}@example.com", city = "City {{ number }}" }
other = { city = "Elsewhere" }
"#;

// One after the other, as the kits of adapters are: side by side they would miss each other's deadlines.
#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_ladder_holds_under_every_fault() {
    holds("payments.toml", include_str!("../../../../docs/declare/payments.toml")).await;
    holds("tickets.toml", include_str!("../../../../docs/declare/tickets.toml")).await;
    holds("shipments.toml", SHIPMENTS).await;
    holds("contacts.toml", CONTACTS).await;
    holds("relay.toml", include_str!("../../../../docs/declare/relay.toml")).await;
}
