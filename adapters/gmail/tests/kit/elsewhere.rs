//! `gmail.send` at a server that nobody here wrote. What it can show: `tests/third-party/README.md`.

use async_trait::async_trait;
use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use hapax_conformance::independent::Elsewhere;
use hapax_conformance::independent::patient::{self, Patient};
use hapax_conformance::kit::{Sample, Site};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_standin::client::Call;
use hapax_standin::third_party::Program;
use serde_json::Value;

use crate::mail_to;

/// `gmail.send` at emulate.
struct AtEmulate;

const MAILBOX: &str = "/gmail/v1/users/me";
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

async fn get(site: &Site, path: &str) -> Result<Value, String> {
    let call = Call::new("GET", &format!("{}{MAILBOX}{path}", site.url)).header("authorization", "Bearer ya29.counts");
    let reply = call.send().await.map_err(|error| error.to_string())?;
    if reply.status == 200 { Ok(reply.value()) } else { Err(format!("{path}: {} {}", reply.status, reply.value())) }
}

/// The whole mail as it was sent: emulate shows few of its headers otherwise.
async fn whole(site: &Site, id: &str) -> Result<String, String> {
    let message = get(site, &format!("/messages/{id}?format=raw")).await?;
    let raw = message["raw"].as_str().unwrap_or_default();
    let mail =
        GeneralPurpose::new(&base64::alphabet::URL_SAFE, LENIENT).decode(raw).map_err(|error| error.to_string())?;
    String::from_utf8(mail).map_err(|error| error.to_string())
}

#[async_trait]
impl Elsewhere for AtEmulate {
    fn id(&self) -> &'static str {
        "gmail.send"
    }

    fn program(&self) -> Program {
        Program::Emulate("google")
    }

    fn server(&self) -> &'static str {
        "emulate 0.12.2"
    }

    fn integration(&self) -> SharedIntegration {
        hapax_gmail::integration()
    }

    fn credentials(&self) -> Credentials {
        crate::token("ya29.elsewhere")
    }

    fn shot(&self) -> (&'static str, &'static str) {
        ("POST", "/gmail/v1/users/me/drafts/send")
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        let target = format!("jane{number}@example.com");
        Ok(Sample { args: mail_to(&target, number), target })
    }

    /// Mails to that person, whether they carry our mark or not: a second one without it would be worse.
    async fn count(&self, site: &Site, sample: &Sample, mark: &str) -> Result<usize, String> {
        let list = get(site, "/messages?labelIds=SENT&maxResults=100").await?;
        let (mut mails, mut marked) = (0, 0);
        for message in list["messages"].as_array().into_iter().flatten() {
            let mail = whole(site, message["id"].as_str().unwrap_or_default()).await?;
            if mail.contains(&sample.target) {
                mails += 1;
                marked += usize::from(mail.contains(&format!("X-Hapax-Key: {mark}\r\n")));
            }
        }
        if mails == marked { Ok(mails) } else { Err(format!("{mails} mails, {marked} of them with our mark")) }
    }
}

impl Patient for AtEmulate {
    fn met(&self) -> Vec<String> {
        vec!["gmail.readonly".to_owned()]
    }
}

/// Plays it, where the server is installed.
pub(crate) async fn play_all() {
    patient::play_all("gmail", env!("CARGO_MANIFEST_DIR"), vec![Box::new(AtEmulate)]).await;
}
