//! Deals, tickets, notes and contacts one by one, and the definitions of their properties.

use std::collections::BTreeMap;

use hapax_standin::{Context, Effect, Reply};
use serde_json::{Value, json};

use super::fail::Fail;
use super::store::{self, Stored};
use super::{HubSpot, KeyProperty};
use crate::facts::KEY;

impl HubSpot {
    /// Whether values of this property are unique.
    fn is_unique(&self, kind: &str, property: &str) -> bool {
        match (kind, property) {
            ("contacts", "email" | "customer_number") => true,
            ("deals" | "tickets" | "notes", KEY) => self.key == KeyProperty::Unique,
            _ => false,
        }
    }

    /// Whether these properties can be set on the record with this id, or on a new one.
    pub(super) fn check(
        &mut self,
        kind: &str,
        properties: &BTreeMap<String, String>,
        id: Option<&str>,
    ) -> Result<(), Fail> {
        for (name, value) in properties {
            if !self.is_there(kind, name) {
                let words = format!("Property \"{name}\" does not exist");
                return Err(Fail::invalid(name, "PROPERTY_DOESNT_EXIST", &words));
            }
            if matches!(name.as_str(), "dealstage" | "hs_pipeline_stage") && value.starts_with("missing") {
                return Err(Fail::invalid(
                    name,
                    "INVALID_OPTION",
                    &format!("{value} was not one of the allowed options"),
                ));
            }
            if !self.is_unique(kind, name) || value.is_empty() {
                continue;
            }
            match self.store.holder(kind, name, value) {
                Some(holder) if Some(holder.id.as_str()) != id => return Err(Fail::taken(name, value, &holder.id)),
                _ => {}
            }
        }
        Ok(())
    }

    fn is_there(&self, kind: &str, property: &str) -> bool {
        let is_key = matches!(kind, "deals" | "tickets" | "notes") && property == KEY;
        !(property.starts_with("missing") || is_key && self.key == KeyProperty::Missing)
    }
}

pub(super) fn create(context: &mut Context<'_, HubSpot>) -> Result<(u16, Value), Fail> {
    let kind = context.path("kind");
    let effect = match kind.as_str() {
        "deals" => "deal",
        "tickets" => "ticket",
        "notes" => "note",
        "contacts" => "contact",
        _ => return Err(Fail::missing()),
    };
    let properties = store::properties(context.request.json_at("/properties"));
    let properties = properties.ok_or_else(|| Fail::new(400, "VALIDATION_ERROR", "Invalid input JSON"))?;
    let ties = context.request.json_at("/associations").as_array().cloned().unwrap_or_default();
    if ties.iter().any(|tie| tie["to"]["id"] == "404") {
        return Err(Fail::new(400, "VALIDATION_ERROR", "One or more associations are invalid"));
    }
    // Where the provider doesn't look at the key it takes a second one.
    if !context.twists.key_ignored() {
        context.state.check(&kind, &properties, None)?;
    }
    let (id, created_ms) = (context.world.ids.number().to_string(), context.now_ms);
    let record = Stored { id, properties, is_archived: false, created_ms };
    let metadata = record.properties.clone();
    let (object, value) = (record.id.clone(), record.value(None));
    context.state.store.of(&kind).add(record);
    context.effect(Effect { kind: effect.to_owned(), object, metadata, ..Effect::default() });
    Ok((201, value))
}

/// By id, or by a unique value.
pub(super) fn show(context: &mut Context<'_, HubSpot>) -> Result<Value, Fail> {
    let (kind, named) = (context.path("kind"), context.path("id"));
    let is_archived = context.request.param("archived") == Some("true");
    let by = context.request.param("idProperty").map(str::to_owned);
    if by.as_ref().is_some_and(|property| !context.state.is_unique(&kind, property)) {
        return Err(Fail::new(400, "VALIDATION_ERROR", "idProperty has no unique values"));
    }
    let shown: Option<Vec<String>> =
        context.request.param("properties").map(|names| names.split(',').map(str::to_owned).collect());
    let (now_ms, twists) = (context.now_ms, context.twists);
    let listing = context.state.store.of(&kind).list(now_ms, twists);
    let listing = listing.filter(|record| record.is_archived == is_archived);
    let found = listing.filter(|record| match &by {
        Some(property) => record.has(property, &named),
        None => record.id == named,
    });
    found.all().first().map(|record| record.value(shown.as_deref())).ok_or_else(Fail::missing)
}

pub(super) fn archive(context: &mut Context<'_, HubSpot>) -> Result<Reply, Fail> {
    let (kind, id) = (context.path("kind"), context.path("id"));
    context.state.store.archive(&kind, &id);
    Ok(Reply::empty(204))
}

pub(super) fn property(context: &mut Context<'_, HubSpot>) -> Result<Value, Fail> {
    let (kind, name) = (context.path("kind"), context.path("name"));
    if !context.state.is_there(&kind, &name) {
        return Err(Fail::new(404, "OBJECT_NOT_FOUND", "Property does not exist"));
    }
    let is_unique = context.state.is_unique(&kind, &name);
    Ok(json!({ "name": name, "type": "string", "fieldType": "text", "hasUniqueValue": is_unique, "archived": false }))
}
