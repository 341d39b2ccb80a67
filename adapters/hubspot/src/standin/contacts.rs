//! Batches of contacts.

use std::collections::BTreeMap;

use hapax_standin::{Context, Effect};
use serde_json::{Value, json};

use super::fail::Fail;
use super::store::{self, Stored};
use super::{HubSpot, text};

const KIND: &str = "contacts";

/// One input after the other; the first that fails ends it all, as nothing traces them.
pub(super) fn upsert(context: &mut Context<'_, HubSpot>) -> Result<Value, Fail> {
    let inputs = context.request.json_at("/inputs").as_array().cloned().unwrap_or_default();
    let mut results = Vec::new();
    for input in &inputs {
        results.push(upsert_one(context, input)?);
    }
    Ok(complete(results))
}

fn upsert_one(context: &mut Context<'_, HubSpot>, input: &Value) -> Result<Value, Fail> {
    let (property, value) = (input["idProperty"].as_str(), input["id"].as_str());
    let (Some(property), Some(value)) = (property, value.filter(|value| !value.is_empty())) else {
        return Err(Fail::new(400, "VALIDATION_ERROR", "id and idProperty are required"));
    };
    if !matches!(property, "email" | "customer_number") {
        let words = format!("Unable to perform update/upsert by non-unique 0-1 property {property}");
        return Err(Fail::new(400, "VALIDATION_ERROR", &words));
    }
    let mut properties: BTreeMap<String, String> = store::properties(&input["properties"])
        .ok_or_else(|| Fail::new(400, "VALIDATION_ERROR", "Invalid input JSON"))?;
    let found = context.state.store.holder(KIND, property, value).map(|contact| contact.id.clone());
    context.state.check(KIND, &properties, found.as_deref())?;
    properties.insert(property.to_owned(), value.to_owned());
    let id = found.clone().unwrap_or_else(|| context.world.ids.number().to_string());
    if found.is_none() {
        let (properties, created_ms) = (BTreeMap::new(), context.now_ms);
        context.state.store.of(KIND).add(Stored { id: id.clone(), properties, is_archived: false, created_ms });
    }
    let contact = context.state.store.of(KIND).get_mut(&id).ok_or_else(Fail::missing)?;
    let changed = contact.set(&properties);
    let mut shown = contact.value(None);
    shown["new"] = found.is_none().into();
    if changed {
        let mut metadata = properties.clone();
        metadata.insert("id".to_owned(), value.to_owned());
        context.effect(Effect { kind: "contact".to_owned(), object: id, metadata, ..Effect::default() });
    }
    Ok(shown)
}

pub(super) fn read(context: &mut Context<'_, HubSpot>) -> Result<(u16, Value), Fail> {
    let property = text(context, "/idProperty").unwrap_or("hs_object_id").to_owned();
    let names: Vec<String> =
        list(context, "/properties").iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
    let inputs = list(context, "/inputs");
    let (now_ms, twists) = (context.now_ms, context.twists);
    let contacts = context.state.store.of(KIND).list(now_ms, twists).filter(|contact| !contact.is_archived);
    let contacts = contacts.all();
    let (mut results, mut missing) = (Vec::new(), Vec::new());
    for input in &inputs {
        let value = input["id"].as_str().unwrap_or_default();
        match contacts.iter().find(|contact| contact.id == value || contact.has(&property, value)) {
            Some(contact) => results.push(contact.value(Some(&names))),
            None => missing.push(value),
        }
    }
    if missing.is_empty() {
        return Ok((200, complete(results)));
    }
    let mut partly = complete(results);
    partly["numErrors"] = 1.into();
    partly["errors"] = json!([{
        "status": "error", "category": "OBJECT_NOT_FOUND",
        "message": "Could not get some CONTACT objects, they may be deleted or not exist. Check that ids are valid.",
        "context": { "ids": missing },
    }]);
    Ok((207, partly))
}

fn list(context: &Context<'_, HubSpot>, pointer: &str) -> Vec<Value> {
    context.request.json_at(pointer).as_array().cloned().unwrap_or_default()
}

fn complete(results: Vec<Value>) -> Value {
    json!({
        "status": "COMPLETE", "results": results, "startedAt": "2026-09-21T14:13:20.000Z",
        "completedAt": "2026-09-21T14:13:20.100Z",
    })
}
