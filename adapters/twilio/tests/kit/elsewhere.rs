//! Twilio's cells at a server that nobody here wrote. What it can show: `tests/third-party/README.md`.

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hapax_conformance::independent::Elsewhere;
use hapax_conformance::independent::patient::{self, Patient};
use hapax_conformance::kit::{Sample, Site};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::client::Call;
use hapax_standin::third_party::Program;
use serde_json::{Value, json};

use crate::site::{FROM, to};

/// The account that `tests/third-party/emulate.mjs` puts there.
const ACCOUNT: &str = "AC00000000000000000000000000000000";
const TOKEN: &str = "twilio_test_auth_token";

const MESSAGES: &str = "/2010-04-01/Accounts/*/Messages.json";
const MESSAGE: &str = "/2010-04-01/Accounts/*/Messages/*.json";
const CALLS: &str = "/2010-04-01/Accounts/*/Calls.json";

/// One cell at emulate.
struct AtEmulate {
    id: &'static str,
    shot: &'static str,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Message,
    Cancel,
    Call,
}

async fn asked(call: Call) -> Result<Value, String> {
    let basic = format!("Basic {}", STANDARD.encode(format!("{ACCOUNT}:{TOKEN}")));
    let reply = call.header("authorization", &basic).send().await.map_err(|error| error.to_string())?;
    let good = (200..300).contains(&reply.status);
    if good { Ok(reply.value()) } else { Err(format!("{} {}", reply.status, reply.value())) }
}

fn at(site: &Site, path: &str) -> String {
    format!("{}/2010-04-01/Accounts/{ACCOUNT}{path}", site.url)
}

/// Schedules a message by hand and returns its SID.
async fn scheduled(site: &Site, number: u64) -> Result<String, String> {
    let (to, body) = (to(number), format!("scheduled {number}"));
    let fields = [
        ("To", to.as_str()),
        ("From", FROM),
        ("MessagingServiceSid", "MG00000000000000000000000000000000"),
        ("Body", body.as_str()),
        ("ScheduleType", "fixed"),
        ("SendAt", "2038-01-01T00:00:00Z"),
    ];
    let made = asked(Call::post(&at(site, "/Messages.json")).form(&fields)).await?;
    if made["status"] != "scheduled" {
        return Err(format!("not scheduled: {made}"));
    }
    made["sid"].as_str().map(str::to_owned).ok_or_else(|| format!("no SID in {made}"))
}

/// How many records of a list go to that number, whatever they say.
async fn listed(site: &Site, list: &str, sample: &Sample) -> Result<usize, String> {
    let mut counted = 0;
    let found = asked(Call::new("GET", &at(site, &format!("/{list}.json?PageSize=200")))).await?;
    let records = found[list.to_lowercase()].as_array().ok_or_else(|| format!("no list in {found}"))?;
    for record in records {
        counted += usize::from(record["to"] == sample.args["to"]);
    }
    if found["next_page_uri"].is_null() { Ok(counted) } else { Err("more than one page".to_owned()) }
}

#[async_trait]
impl Elsewhere for AtEmulate {
    fn id(&self) -> &'static str {
        self.id
    }

    fn program(&self) -> Program {
        Program::Emulate("twilio")
    }

    fn server(&self) -> &'static str {
        "emulate 0.12.2"
    }

    fn integration(&self) -> SharedIntegration {
        hapax_twilio::integration()
    }

    fn credentials(&self) -> Credentials {
        Credentials::none().with("account_sid", ACCOUNT.into()).with("auth_token", TOKEN.into())
    }

    fn shot(&self) -> (&'static str, &'static str) {
        ("POST", self.shot)
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let (args, target) = match self.what {
            What::Message => {
                let body = format!("Your table {number} is ready.");
                (json!({ "to": to(number), "from": FROM, "body": body }), String::new())
            }
            What::Cancel => {
                let target = scheduled(site, number).await?;
                (json!({ "message": target }), target)
            }
            What::Call => {
                let twiml = "<Response><Say>Your table is ready.</Say></Response>";
                (json!({ "to": to(number), "from": FROM, "twiml": twiml }), String::new())
            }
        };
        Ok(Sample { args, target })
    }

    async fn count(&self, site: &Site, sample: &Sample, _: &str) -> Result<usize, String> {
        match self.what {
            What::Message => listed(site, "Messages", sample).await,
            What::Call => listed(site, "Calls", sample).await,
            What::Cancel => {
                let path = format!("/Messages/{}.json", sample.target);
                let message = asked(Call::new("GET", &at(site, &path))).await?;
                Ok(usize::from(message["status"] == "canceled"))
            }
        }
    }
}

impl Patient for AtEmulate {
    /// A list in which nothing is found doesn't prove that nothing was sent. A message that is still scheduled does.
    fn asks_a_person(&self) -> bool {
        self.what != What::Cancel
    }
}

/// Plays all of them, where the server is installed.
pub(crate) async fn play_all() {
    let there = |id, shot, what| -> Box<dyn Patient> { Box::new(AtEmulate { id, shot, what }) };
    let cells = vec![
        there("twilio.send_message", MESSAGES, What::Message),
        there("twilio.cancel_message", MESSAGE, What::Cancel),
        there("twilio.call", CALLS, What::Call),
    ];
    patient::play_all("twilio", env!("CARGO_MANIFEST_DIR"), cells).await;
}
