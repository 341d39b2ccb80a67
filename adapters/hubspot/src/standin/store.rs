//! Records of all kinds.

use std::collections::{BTreeMap, HashMap};

use hapax_standin::{Collection, Record};
use serde_json::{Value, json};

#[derive(Default)]
pub(super) struct Store(HashMap<String, Collection<Stored>>);

pub(super) struct Stored {
    pub(super) id: String,
    pub(super) properties: BTreeMap<String, String>,
    pub(super) is_archived: bool,
    pub(super) created_ms: i64,
}

impl Record for Stored {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Store {
    pub(super) fn of(&mut self, kind: &str) -> &mut Collection<Stored> {
        self.0.entry(kind.to_owned()).or_default()
    }

    /// The record with this value, as it stands: what is deleted has given its values back.
    pub(super) fn holder(&mut self, kind: &str, property: &str, value: &str) -> Option<&mut Stored> {
        self.of(kind).iter_mut().find(|record| !record.is_archived && record.has(property, value))
    }

    pub(super) fn archive(&mut self, kind: &str, id: &str) -> bool {
        self.of(kind).get_mut(id).map(|record| record.is_archived = true).is_some()
    }
}

impl Stored {
    /// Whether a property has this value. HubSpot keeps addresses in lower case.
    pub(super) fn has(&self, property: &str, value: &str) -> bool {
        self.properties.get(property).is_some_and(|held| *held == kept(property, value))
    }

    /// Puts values in the place of values. Returns whether any changed.
    pub(super) fn set(&mut self, properties: &BTreeMap<String, String>) -> bool {
        let mut changed = false;
        for (name, value) in properties {
            let value = kept(name, value);
            changed |= self.properties.get(name).map_or("", String::as_str) != value;
            self.properties.insert(name.clone(), value);
        }
        changed
    }

    /// As HubSpot shows it. Without named properties it shows all that are set.
    pub(super) fn value(&self, named: Option<&[String]>) -> Value {
        let mut shown = json!({ "hs_object_id": self.id });
        let names = named.map_or_else(|| self.properties.keys().cloned().collect(), <[String]>::to_vec);
        for name in names {
            let value = self.properties.get(&name).filter(|value| !value.is_empty());
            shown[&name] = json!(value);
        }
        json!({
            "id": self.id, "properties": shown, "archived": self.is_archived,
            "createdAt": "2026-09-21T14:13:20.000Z", "updatedAt": "2026-09-21T14:13:20.000Z",
        })
    }
}

/// A value in the form in which it is kept.
fn kept(property: &str, value: &str) -> String {
    if property == "email" { value.to_lowercase() } else { value.to_owned() }
}

/// The properties in a body. None if one of them is no text.
pub(super) fn properties(body: &Value) -> Option<BTreeMap<String, String>> {
    let pairs = body.as_object()?.iter();
    pairs.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}
