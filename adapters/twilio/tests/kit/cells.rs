//! What the kit can't know of Twilio's cells.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{self, FROM, message, post, to};

const MESSAGES: &str = "/2010-04-01/Accounts/*/Messages.json";
const CALLS: &str = "/2010-04-01/Accounts/*/Calls.json";

/// Where nothing of ours stands on a record, the kit can't tell whose of two equal ones it is.
const NOT_APART: &str = "two equal records can't be counted apart; equal-intents-one-record shows what matters";
/// What a look by content can't tell.
const TAKEN_FOR_OURS: &str =
    "the named risk of looking by content: an equal record of somebody else's is taken for ours";
const LATE: &str = "30409 is read as refused only by a look after settle, so the first call doesn't say refused yet";
const ONCE: &str = "a message is canceled once: a second cancellation of it is no second intent";

fn field<'a>(sample: &'a Sample, name: &str) -> &'a str {
    sample.args[name].as_str().unwrap_or_default()
}

fn is(effect: &Effect, name: &str, wanted: &str) -> bool {
    effect.metadata.get(name).is_some_and(|found| found == wanted)
}

/// `twilio.send_message`.
pub(crate) struct SendMessage;

impl SendMessage {
    fn sample(to: String, number: u64) -> Sample {
        let args = json!({ "to": to, "from": FROM, "body": format!("Your table {number} is ready.") });
        Sample { args, target: String::new() }
    }
}

#[async_trait]
impl CellSubject for SendMessage {
    fn id(&self) -> &'static str {
        "twilio.send_message"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", MESSAGES), prepare: &[], look: Some(("GET", MESSAGES)) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Self::sample(to(number), number))
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "message" && is(effect, "to", field(sample, "to")) && is(effect, "body", field(sample, "body"))
    }

    fn counts_apart(&self) -> bool {
        false
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["body"] = "Something else".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "sid": "SM00000000000000000000000000000000", "to": "+15550000000" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        // A number that has opted out.
        Some(Ok(Self::sample("+15005550004".to_owned(), number)))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Self::sample("+15005550030".to_owned(), number)))
    }

    fn clutters(&self) -> bool {
        true
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        for number in 0..201 {
            if let Err(why) = message(site, field(sample, "to"), &format!("clutter {number}")).await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(message(site, field(sample, "to"), field(sample, "body")).await.map(|_| ()))
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        not_shown()
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        looked_for()
    }
}

/// `twilio.cancel_message`.
pub(crate) struct CancelMessage;

#[async_trait]
impl CellSubject for CancelMessage {
    fn id(&self) -> &'static str {
        "twilio.cancel_message"
    }

    fn routes(&self) -> Routes {
        const MESSAGE: &str = "/2010-04-01/Accounts/*/Messages/*.json";
        Routes { shot: ("POST", MESSAGE), prepare: &[], look: Some(("GET", MESSAGE)) }
    }

    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let target = site::scheduled(site, number).await?;
        Ok(Sample { args: json!({ "message": target }), target })
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "cancel" && effect.object == sample.target
    }

    fn with_other_arguments(&self, _: &Sample) -> Value {
        json!({ "message": "SM00000000000000000000000000000000" })
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "sid": "SM00000000000000000000000000000000" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, site: &Site, number: u64) -> Option<Result<Sample, String>> {
        // One that was never scheduled can't be canceled.
        let made = message(site, &to(number), "At once").await;
        Some(made.map(|made| {
            let target = made["sid"].as_str().unwrap_or_default().to_owned();
            Sample { args: json!({ "message": target }), target }
        }))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let path = format!("/Messages/{}.json", sample.target);
        Some(post(site, &path, &[("Status", "canceled")]).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE), ("superseded", LATE)]
    }
}

/// `twilio.call`.
pub(crate) struct Call;

impl Call {
    fn sample(to: String) -> Sample {
        let twiml = "<Response><Say>Your table is ready.</Say></Response>";
        Sample { args: json!({ "to": to, "from": FROM, "twiml": twiml }), target: String::new() }
    }
}

#[async_trait]
impl CellSubject for Call {
    fn id(&self) -> &'static str {
        "twilio.call"
    }

    fn routes(&self) -> Routes {
        Routes { shot: ("POST", CALLS), prepare: &[], look: Some(("GET", CALLS)) }
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Self::sample(to(number)))
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        effect.kind == "call" && is(effect, "to", field(sample, "to"))
    }

    fn counts_apart(&self) -> bool {
        false
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["twiml"] = "<Response/>".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(json!({ "sid": "CA00000000000000000000000000000000", "to": "+15550000000" }))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, _: u64) -> Option<Result<Sample, String>> {
        // A number that Twilio blocks.
        Some(Ok(Self::sample("+15005550004".to_owned())))
    }

    fn can_fail_later(&self) -> bool {
        true
    }

    async fn failing_intent(&self, _: &Site, _: u64) -> Option<Result<Sample, String>> {
        Some(Ok(Self::sample("+15005550031".to_owned())))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        let fields = [("To", field(sample, "to")), ("From", FROM), ("Twiml", "<Response/>")];
        Some(post(site, "/Calls.json", &fields).await.map(|_| ()))
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        not_shown()
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        looked_for()
    }
}

/// Where all there is is a look at content, and an absence only suggests.
fn looked_for() -> Vec<(&'static str, End)> {
    vec![
        // The process is stopped in its second try: what it wrote down may have left, so a person has it.
        ("connection-refused", End::Any),
        // Cut before the first byte left, it goes again; after it, nobody can tell, and a person has it.
        ("connection-cut-at-once", End::Any),
        // The provider goes on in the end, inside settle, and it is found.
        ("hangs-before", End::Succeeded),
        // A departure that was written and answered with an error was not made, and nobody can know that.
        ("ledger-writes-and-fails", End::Any),
    ]
}

fn not_shown() -> Vec<(&'static str, &'static str)> {
    vec![("equal-intents", NOT_APART), ("look-finds-anothers", TAKEN_FOR_OURS)]
}
