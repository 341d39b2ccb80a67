//! Stripe's cells at servers that nobody here wrote. What each of them can show: `tests/third-party/README.md`.

use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::independent::{Elsewhere, Runs, play};
use hapax_conformance::kit::{Sample, Site, say};
use hapax_conformance::results::{self, Independent};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::third_party::Program;
use serde_json::{Value, json};

use crate::cells::{get, post};

/// One cell at one server.
struct There {
    id: &'static str,
    program: Program,
    server: &'static str,
    shot: (&'static str, &'static str),
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Charge,
    Cancel,
    Capture,
    RefundByIntent,
    RefundByCharge,
}

fn all() -> Vec<There> {
    let emulate = (Program::Emulate("stripe"), "emulate 0.12.2");
    let local = (Program::Localstripe, "localstripe 1.15.10");
    let mock = (Program::StripeStatefulMock, "stripe-stateful-mock 0.0.16");
    let there = |id, (program, server), path, what| There { id, program, server, shot: ("POST", path), what };
    vec![
        there("stripe.charge", emulate, "/v1/payment_intents/*/confirm", What::Charge),
        there("stripe.cancel_payment", emulate, "/v1/payment_intents/*/cancel", What::Cancel),
        there("stripe.capture", local, "/v1/payment_intents/*/capture", What::Capture),
        there("stripe.refund", local, "/v1/refunds", What::RefundByIntent),
        there("stripe.refund", mock, "/v1/refunds", What::RefundByCharge),
    ]
}

fn id(value: &Value) -> Result<String, String> {
    value["id"].as_str().map(str::to_owned).ok_or_else(|| format!("no id in {value}"))
}

async fn payment(site: &Site, amount: u64, capture: Option<&str>, confirm: bool) -> Result<String, String> {
    let amount = amount.to_string();
    let mut fields = vec![("amount", amount.as_str()), ("currency", "eur"), ("payment_method", "pm_card_visa")];
    fields.extend(capture.map(|capture| ("capture_method", capture)));
    let made = id(&post(site, "/v1/payment_intents", &fields).await?)?;
    if confirm {
        post(site, &format!("/v1/payment_intents/{made}/confirm"), &[]).await?;
    }
    Ok(made)
}

#[async_trait]
impl Elsewhere for There {
    fn id(&self) -> &'static str {
        self.id
    }

    fn program(&self) -> Program {
        self.program
    }

    fn server(&self) -> &'static str {
        self.server
    }

    fn integration(&self) -> SharedIntegration {
        hapax_stripe::integration()
    }

    fn credentials(&self) -> Credentials {
        Credentials::none().with("api_key", "sk_test_12345".into())
    }

    fn shot(&self) -> (&'static str, &'static str) {
        self.shot
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let amount = 2_000 + number;
        let (args, target) = match self.what {
            What::Charge => {
                let money = json!({ "amount": amount, "currency": "EUR" });
                (json!({ "amount": money, "payment_method": "pm_card_visa" }), String::new())
            }
            What::Cancel => {
                let target = payment(site, amount, None, false).await?;
                (json!({ "payment_intent": target }), target)
            }
            What::Capture => {
                let target = payment(site, amount, Some("manual"), true).await?;
                (json!({ "payment_intent": target }), target)
            }
            What::RefundByIntent => {
                let target = payment(site, 9_000, None, true).await?;
                (json!({ "payment_intent": target, "amount": { "amount": 500, "currency": "EUR" } }), target)
            }
            What::RefundByCharge => {
                let fields = [("amount", "9000"), ("currency", "eur"), ("source", "tok_visa")];
                let target = id(&post(site, "/v1/charges", &fields).await?)?;
                (json!({ "charge": target, "amount": { "amount": 500, "currency": "EUR" } }), target)
            }
        };
        Ok(Sample { args, target })
    }

    async fn count(&self, site: &Site, sample: &Sample, mark: &str) -> Result<usize, String> {
        let with_mark = |list: &Value| -> Vec<Value> {
            let all = list["data"].as_array().cloned().unwrap_or_default();
            all.into_iter().filter(|one| one["metadata"]["hapax"] == mark).collect()
        };
        match self.what {
            What::Charge => {
                let mut charges = 0;
                for intent in with_mark(&get(site, "/v1/payment_intents?limit=100").await?) {
                    let list = get(site, &format!("/v1/charges?payment_intent={}", id(&intent)?)).await?;
                    charges += list["data"].as_array().map_or(0, Vec::len);
                }
                Ok(charges)
            }
            What::Cancel | What::Capture => {
                let intent = get(site, &format!("/v1/payment_intents/{}", sample.target)).await?;
                let wanted = if self.what == What::Cancel { "canceled" } else { "succeeded" };
                Ok(usize::from(intent["status"] == wanted))
            }
            What::RefundByIntent => {
                let list = get(site, &format!("/v1/refunds?payment_intent={}", sample.target)).await?;
                Ok(with_mark(&list).len())
            }
            What::RefundByCharge => {
                Ok(with_mark(&get(site, &format!("/v1/refunds?charge={}", sample.target)).await?).len())
            }
        }
    }
}

/// Plays all of them, says what was run and what was left out, and writes the results when they are wanted.
pub(crate) async fn play_all() {
    let mut runs: Vec<Runs> = Vec::new();
    for there in all() {
        runs.push(play(Arc::new(there)).await);
    }
    let mut broken = 0;
    for one in &runs {
        let words = if one.runs == 0 { "skipped: not installed".to_owned() } else { format!("{} runs", one.runs) };
        say(format!("{:<24}{:<30}{words}\n", one.cell, one.server).as_bytes());
        for (name, violation) in &one.violations {
            say(format!("  BROKEN under {name}: {violation}\n").as_bytes());
        }
        broken += one.violations.len();
    }
    assert_eq!(broken, 0, "violations at other servers");
    if results::wanted() {
        write(&runs);
    }
}

fn write(runs: &[Runs]) {
    let root = results::root(env!("CARGO_MANIFEST_DIR"));
    let mut cells: Vec<&str> = runs.iter().filter(|one| one.runs > 0).map(|one| one.cell).collect();
    cells.dedup();
    for cell in cells {
        let of: Vec<&Runs> = runs.iter().filter(|one| one.cell == cell && one.runs > 0).collect();
        let server = of.iter().map(|one| one.server).collect::<Vec<_>>().join(", ");
        let total = of.iter().map(|one| one.runs).sum();
        let result = Independent { server, runs: total, violations: 0 };
        results::write_independent(&root, "stripe", cell, result).expect("a result can be written");
    }
}
