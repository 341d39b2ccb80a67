//! Resend's cells at a server that nobody here wrote. What it can show: `tests/third-party/README.md`.

use async_trait::async_trait;
use hapax_conformance::independent::Elsewhere;
use hapax_conformance::independent::patient::{self, Patient};
use hapax_conformance::kit::{Sample, Site};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::client::Call;
use hapax_standin::third_party::Program;
use serde_json::{Value, json};

use crate::site::{FULL_ACCESS, asked};

/// One cell at emulate.
struct AtEmulate {
    id: &'static str,
    shot: &'static str,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Mail,
    Batch,
    Cancel,
}

fn mail(number: u64) -> Value {
    json!({
        "from": { "address": "shop@example.com", "name": "Shop" },
        "to": [{ "address": format!("jane{number}@example.org"), "name": "Jané" }],
        "subject": format!("Invoice {number}"),
        "text": "It is due.",
    })
}

/// Schedules a mail by hand and returns its id.
async fn scheduled(site: &Site, number: u64) -> Result<String, String> {
    let body = json!({
        "from": "shop@example.com", "to": [format!("later{number}@example.org")], "subject": "Later", "text": "Later",
        "scheduled_at": "2038-01-01T00:00:00.000Z",
    });
    let made = asked(Call::post(&format!("{}/emails", site.url)).json(&body)).await?;
    made["id"].as_str().map(str::to_owned).ok_or_else(|| format!("no id in {made}"))
}

/// How many mails have this value of our tag.
async fn tagged(site: &Site, value: &str) -> Result<usize, String> {
    let found = asked(Call::new("GET", &format!("{}/emails", site.url))).await?;
    let mails = found["data"].as_array().ok_or_else(|| format!("no list in {found}"))?;
    let wanted = json!({ "name": "hapax", "value": value });
    Ok(mails.iter().filter(|mail| mail["tags"].as_array().is_some_and(|tags| tags.contains(&wanted))).count())
}

#[async_trait]
impl Elsewhere for AtEmulate {
    fn id(&self) -> &'static str {
        self.id
    }

    fn program(&self) -> Program {
        Program::Emulate("resend")
    }

    fn server(&self) -> &'static str {
        "emulate 0.12.2"
    }

    fn integration(&self) -> SharedIntegration {
        hapax_resend::integration()
    }

    fn credentials(&self) -> Credentials {
        Credentials::none().with("api_key", "re_elsewhere".into())
    }

    fn shot(&self) -> (&'static str, &'static str) {
        ("POST", self.shot)
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let (args, target) = match self.what {
            What::Mail => (mail(number), String::new()),
            What::Batch => (json!({ "mails": [mail(number), mail(number + 100)] }), String::new()),
            What::Cancel => {
                let target = scheduled(site, number).await?;
                (json!({ "mail": target }), target)
            }
        };
        Ok(Sample { args, target })
    }

    async fn count(&self, site: &Site, sample: &Sample, mark: &str) -> Result<usize, String> {
        match self.what {
            What::Mail => tagged(site, mark).await,
            What::Batch => {
                let both = (tagged(site, &format!("{mark}-0")).await?, tagged(site, &format!("{mark}-1")).await?);
                if both.0 == both.1 { Ok(both.0) } else { Err(format!("half a batch: {both:?}")) }
            }
            What::Cancel => {
                let mail = asked(Call::new("GET", &format!("{}/emails/{}", site.url, sample.target))).await?;
                Ok(usize::from(mail["status"] == "canceled"))
            }
        }
    }
}

impl Patient for AtEmulate {
    fn met(&self) -> Vec<String> {
        vec![FULL_ACCESS.to_owned()]
    }
}

/// Plays all of them, where the server is installed.
pub(crate) async fn play_all() {
    let there = |id, shot, what| -> Box<dyn Patient> { Box::new(AtEmulate { id, shot, what }) };
    let cells = vec![
        there("resend.send", "/emails", What::Mail),
        there("resend.send_batch", "/emails/batch", What::Batch),
        there("resend.cancel_scheduled", "/emails/*/cancel", What::Cancel),
    ];
    patient::play_all("resend", env!("CARGO_MANIFEST_DIR"), cells).await;
}
