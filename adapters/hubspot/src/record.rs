//! Deals, tickets and notes alike: created with our key in a property whose values are unique, and read by it.

use std::collections::BTreeMap;

use hapax_core::cell::{CellReceipt, Context, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::facts::KEY;
use crate::wire::{self, Record};

/// A record that what is created is tied to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Association {
    /// The id of that record: a number.
    pub to: String,
    /// The number of the kind of tie, from HubSpot's list of association types.
    pub type_id: u32,
    /// Who defined that kind.
    #[serde(default)]
    pub category: AssociationCategory,
}

/// Who defined a kind of association.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AssociationCategory {
    /// HubSpot.
    #[default]
    HubspotDefined,
    /// The account.
    UserDefined,
    /// An app.
    IntegratorDefined,
}

/// A record that was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordReceipt {
    /// HubSpot's id of it.
    pub id: String,
    /// Somebody has deleted it since; within 90 days it can be restored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
}

impl CellReceipt for RecordReceipt {
    fn id(&self) -> &str {
        &self.id
    }
}

/// Creates a record of this kind (`deals`) with these properties.
pub(crate) async fn create(
    shot: Shot<'_>,
    kind: &str,
    properties: &BTreeMap<&str, &str>,
    associations: &[Association],
) -> Answer<RecordReceipt> {
    let key = shot.names().mark();
    let mut sent = json!(properties);
    sent[KEY] = json!(key);
    // The description asks for the list, also for an empty one.
    let ties: Vec<Value> = associations.iter().map(Association::written).collect();
    let request = Request::post(format!("/crm/v3/objects/{kind}")).json(json!({
        "properties": sent, "associations": ties,
    }));
    shot.send(request, |record: Record| match receipt(record, &key) {
        Ok(receipt) => Answer::Happened(receipt),
        Err(fault) => Answer::Unclear(fault),
    })
    .await
}

/// Reads by our key, and among what was deleted: that it is gone doesn't mean that it never was.
pub(crate) async fn find(cx: &Context, kind: &str) -> Result<Finding<RecordReceipt>, Fault> {
    let read = |key: &str| Request::get(format!("/crm/v3/objects/{kind}/{key}")).query("idProperty", KEY);
    Ok(read_twice(cx, read(&cx.names().mark())).await?.map_or(Finding::Absent, Finding::Happened))
}

/// Reads by HubSpot's id.
pub(crate) async fn fetch(cx: &Context, kind: &str, id: &str) -> Result<Option<RecordReceipt>, Fault> {
    if !wire::is_id(id) {
        return Err(Fault::Unread("a record is named by its id, a number".to_owned()));
    }
    read_twice(cx, Request::get(format!("/crm/v3/objects/{kind}/{id}"))).await
}

async fn read_twice(cx: &Context, read: Request) -> Result<Option<RecordReceipt>, Fault> {
    let read = read.query("properties", KEY);
    for archived in ["false", "true"] {
        if let Some(record) = cx.get::<Record>(read.clone().query("archived", archived)).await? {
            return receipt(record, &cx.names().mark()).map(Some);
        }
    }
    Ok(None)
}

/// The receipt, if the record carries our key.
fn receipt(record: Record, key: &str) -> Result<RecordReceipt, Fault> {
    match record.value(KEY) {
        Some(value) if value == key => Ok(RecordReceipt { id: record.id, deleted: record.archived }),
        Some(_) => Err(Fault::Echo(KEY.to_owned())),
        None => Err(Fault::Unread(format!("the record doesn't show {KEY}"))),
    }
}

impl Association {
    /// A tie of a kind that HubSpot defined.
    pub fn of(to: impl Into<String>, type_id: u32) -> Self {
        Self { to: to.into(), type_id, category: AssociationCategory::default() }
    }

    fn written(&self) -> Value {
        let kind = json!({ "associationCategory": self.category, "associationTypeId": self.type_id });
        json!({ "to": { "id": self.to }, "types": [kind] })
    }
}

/// Whether properties and associations can be sent; `own` are the properties that have fields of their own.
///
/// # Errors
/// A sentence that names the field and says what to do.
pub(crate) fn check(
    properties: &BTreeMap<String, String>,
    own: &[&str],
    associations: &[Association],
) -> Result<(), String> {
    for name in properties.keys() {
        wire::check_property("properties", name)?;
        if name == KEY {
            return Err(format!("properties: {KEY} is hapax's own; leave it out"));
        }
        if own.contains(&name.as_str()) {
            return Err(format!("properties: {name} has a field of its own"));
        }
    }
    match associations.iter().find(|one| !wire::is_id(&one.to) || one.type_id == 0) {
        Some(_) => Err("associations: give the id of a record and the number of a kind".to_owned()),
        None => Ok(()),
    }
}
