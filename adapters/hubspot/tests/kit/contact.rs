//! What the kit can't know of `hubspot.upsert_contact`.

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, members};
use hapax_standin::{Effect, Reply};
use serde_json::{Map, Value, json};

use crate::site::{self, post, routes};

const ONCE: &str = "a contact has a value once: a second upsert of the same values is no second intent";
const UPSERT: &str = "/crm/v3/objects/contacts/batch/upsert";

pub(crate) struct UpsertContact;

fn sample(number: u64, property: &str) -> Sample {
    let address = format!("jane{number}@example.com");
    let args = json!({
        "id_property": "email", "id": address, "properties": { property: format!("Jané {number}"), "phone": "" },
    });
    Sample { args, target: address }
}

/// The request with which others do the same.
fn batch(sample: &Sample) -> Value {
    let args = &sample.args;
    json!({ "inputs": [{ "idProperty": args["id_property"], "id": args["id"], "properties": args["properties"] }] })
}

#[async_trait]
impl CellSubject for UpsertContact {
    fn id(&self) -> &'static str {
        "hubspot.upsert_contact"
    }

    fn routes(&self) -> Routes {
        routes(UPSERT, Some(("POST", "/crm/v3/objects/contacts/batch/read")))
    }

    /// Of every second intent the contact is there before, with other values.
    async fn intent(&self, site: &Site, number: u64) -> Result<Sample, String> {
        let wanted = sample(number, "firstname");
        if number.is_multiple_of(2) {
            let mut before = batch(&wanted);
            before["inputs"][0]["properties"] = json!({ "firstname": "J.", "company": "Acme" });
            post(site, UPSERT, &before).await?;
        }
        Ok(wanted)
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, _: &str) -> bool {
        let is_wanted = |(name, value): (&String, &String)| sample.args["properties"][name.as_str()] == value.as_str();
        let is_so =
            ["firstname", "phone"].iter().all(|name| effect.metadata.get_key_value(*name).is_some_and(is_wanted));
        effect.kind == "contact" && effect.carries(&sample.target) && is_so
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        let mut args = sample.args.clone();
        args["properties"]["firstname"] = "Another".into();
        args
    }

    fn foreign_members(&self) -> Map<String, Value> {
        members(
            json!({ "results": [{ "id": "99999999", "new": true, "properties": { "email": "other@example.com" } }] }),
        )
    }

    /// A batch in which the one input fails. Nobody says that nothing was done, so it is looked for.
    fn refusal_inside_a_success(&self) -> Option<Reply> {
        let error = json!({ "status": "error", "category": "VALIDATION_ERROR", "message": "the kit says no" });
        let batch = json!({ "status": "COMPLETE", "results": [], "numErrors": 1, "errors": [error] });
        Some(Reply::json(207, &batch))
    }

    fn error_reply(&self, status: u16) -> Reply {
        site::error_reply(status)
    }

    fn refuses(&self) -> bool {
        true
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        Some(Ok(sample(number, "missing_property")))
    }

    fn can_happen_twice(&self) -> bool {
        false
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(post(site, UPSERT, &batch(sample)).await.map(|_| ()))
    }

    fn a_hand_satisfies(&self) -> bool {
        true
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        vec![("equal-intents", ONCE), ("equal-intents-one-record", ONCE)]
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        vec![site::LIMITED]
    }
}
