//! An event as the stand-in keeps and shows it.

use std::collections::BTreeMap;

use hapax_standin::Record;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::fail::Fail;

pub(super) struct Event {
    pub(super) id: String,
    pub(super) fields: Map<String, Value>,
    pub(super) cancelled: bool,
    /// Counts changes.
    pub(super) version: u64,
    pub(super) created_ms: i64,
}

impl Record for Event {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl Event {
    /// What changes with every change.
    pub(super) fn etag(&self) -> String {
        format!("\"{}\"", 3_400_000_000_000_000 + self.version * 2)
    }

    /// Its fields with those of a patch; what is null there goes away.
    pub(super) fn with(&self, patch: &Map<String, Value>) -> Map<String, Value> {
        let mut fields = self.fields.clone();
        merge(&mut fields, patch);
        fields
    }

    pub(super) fn property(&self, name: &str) -> Option<&str> {
        self.fields.get("extendedProperties")?.get("private")?.get(name)?.as_str()
    }

    /// Whether its title has this word.
    pub(super) fn says(&self, word: &str) -> bool {
        says(&self.fields, word)
    }

    /// Its private properties.
    pub(super) fn properties(&self) -> BTreeMap<String, String> {
        let private = self.fields.get("extendedProperties").and_then(|all| all.get("private"));
        let pairs = private.and_then(Value::as_object).into_iter().flatten();
        pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
    }

    /// Times are shown in UTC, whatever zone they were given in.
    pub(super) fn value(&self) -> Value {
        let mut value = Value::Object(self.fields.clone());
        for name in ["start", "end"] {
            let moment = value[name]["dateTime"].as_str().and_then(|text| text.parse::<Timestamp>().ok());
            if let Some(moment) = moment {
                value[name]["dateTime"] = moment.to_string().into();
            }
        }
        value["kind"] = "calendar#event".into();
        value["id"] = self.id.clone().into();
        value["etag"] = self.etag().into();
        value["status"] = if self.cancelled { "cancelled" } else { "confirmed" }.into();
        value["htmlLink"] = json!(format!("https://www.google.com/calendar/event?eid={}", self.id));
        value
    }
}

/// Whether the title has this word.
fn says(fields: &Map<String, Value>, word: &str) -> bool {
    fields.get("summary").and_then(Value::as_str).is_some_and(|title| title.contains(word))
}

fn merge(into: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, value) in patch {
        match (value, into.get_mut(name)) {
            (Value::Null, _) => drop(into.remove(name)),
            (Value::Object(inner), Some(Value::Object(known))) => merge(known, inner),
            // As Google does, an object is taken without what is null in it.
            (Value::Object(inner), _) => {
                let mut made = Map::new();
                merge(&mut made, inner);
                into.insert(name.clone(), Value::Object(made));
            }
            _ => drop(into.insert(name.clone(), value.clone())),
        }
    }
}

/// What Google refuses of an event: no begin or end, an empty span, and here a title that says so.
pub(super) fn check(fields: &Map<String, Value>) -> Result<(), Fail> {
    let at = |name: &str| {
        let when = fields.get(name)?;
        let moment = when.get("dateTime").and_then(Value::as_str).map(|text| text.parse::<Timestamp>().ok());
        match (moment, when.get("date").and_then(Value::as_str)) {
            (Some(moment), None) => Some(moment?.to_string()),
            (None, Some(day)) => Some(day.to_owned()),
            _ => None,
        }
    };
    let (Some(start), Some(end)) = (at("start"), at("end")) else {
        return Err(Fail::new(400, "required", "Missing end time."));
    };
    if start > end {
        return Err(Fail::new(400, "timeRangeEmpty", "The specified time range is empty."));
    }
    if says(fields, "refused") { Err(Fail::invalid("Invalid value.")) } else { Ok(()) }
}
