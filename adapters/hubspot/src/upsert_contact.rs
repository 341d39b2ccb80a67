//! `hubspot.upsert_contact`: see to it that a contact has these values.
//!
//! Be so: HubSpot finds the contact by a unique value and puts values in the place of values, so a repeat changes nothing
//! more. The last writer wins.

use std::collections::BTreeMap;
use std::fmt;

use hapax_core::capability::{CellSpec, Human, Rung, Stakes};
use hapax_core::cell::{Cell, CellArgs, CellReceipt, Context, Echo, Shot};
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Doer, Fault, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::client::NOT_FOUND;
use crate::facts;
use crate::wire::{self, Record};

/// Creates the contact with this unique value, or changes the one that has it.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpsertContact {
    /// The property that it is found by: `email`, or one of your own whose values are unique. With `email` name all
    /// values that you care for: HubSpot doesn't say that it keeps the others.
    pub id_property: String,
    /// The value of that property.
    pub id: String,
    /// Other properties by their internal names, as HubSpot writes them. An empty text clears one.
    pub properties: BTreeMap<String, String>,
}

/// A contact that has these values.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContactReceipt {
    /// HubSpot's id of it.
    pub id: String,
    /// The property that it was found by.
    pub id_property: String,
    /// The value of that property.
    pub value: String,
    /// Whether it was created; unknown where it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<bool>,
    /// Who wrote the values.
    pub doer: Doer,
}

/// The cell `hubspot.upsert_contact`.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpsertContactCell;

const CONTACTS: &str = "/crm/v3/objects/contacts/batch";
const EMAIL: &str = "email";

const SPEC: CellSpec = CellSpec::new(
    "hubspot.upsert_contact",
    "Creates a contact, or changes the one with this unique value",
    &[
        Rung::Native(facts::SAME_VALUES),
        Rung::Query(facts::CONTACT),
        Rung::Human(Human { place: "HubSpot, CRM > Contacts: the one whose {id_property} is {id}" }),
    ],
)
.be_so()
.stakes(Stakes::Low)
.answers(&[facts::UNAUTHORIZED, facts::VALUE_TAKEN])
.reversal("hubspot.upsert_contact with the earlier values; a created contact by deleting it")
.residual("what somebody else wrote into the contact while an answer was missing is overwritten: the last writer wins; found by email, values that are not named may be lost");

/// The answer to a batch of one input.
#[derive(Deserialize)]
struct Batch {
    status: String,
    results: Vec<Upserted>,
}

#[derive(Deserialize)]
struct Upserted {
    new: Option<bool>,
    #[serde(flatten)]
    record: Record,
}

impl Cell for UpsertContactCell {
    const SPEC: &'static CellSpec = &SPEC;
    type Args = UpsertContact;
    type Receipt = ContactReceipt;

    async fn attempt(&self, shot: Shot<'_>, args: &UpsertContact) -> Answer<ContactReceipt> {
        let input = json!({ "idProperty": args.id_property, "id": args.id, "properties": args.properties });
        let request = Request::post(format!("{CONTACTS}/upsert")).json(json!({ "inputs": [input] }));
        shot.send(request, |batch: Batch| match args.only(batch) {
            Ok(Some(one)) => Answer::Happened(args.receipt(one.record.id, one.new, Doer::Us)),
            Ok(None) => Answer::Unclear(Fault::Unread("a batch of one input without a result".to_owned())),
            Err(fault) => Answer::Unclear(fault),
        })
        .await
    }

    async fn find(&self, cx: &Context, args: &UpsertContact) -> Result<Finding<ContactReceipt>, Fault> {
        Ok(match args.read(cx).await? {
            Some(record) if args.is_so(&record) => Finding::Happened(args.receipt(record.id, None, Doer::CannotTell)),
            _ => Finding::Absent,
        })
    }

    async fn fetch(&self, cx: &Context, args: &UpsertContact, id: &str) -> Result<Option<ContactReceipt>, Fault> {
        match args.read(cx).await? {
            Some(record) if record.id != id => Err(Fault::Echo("contact".to_owned())),
            Some(record) if args.is_so(&record) => Ok(Some(args.receipt(record.id, None, Doer::CannotTell))),
            Some(_) => Err(Fault::Unread("the contact has other values".to_owned())),
            None => Ok(None),
        }
    }
}

impl UpsertContact {
    /// The contact with this address and these values.
    pub fn by_email<'a>(address: impl Into<String>, properties: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let properties = properties.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { id_property: EMAIL.to_owned(), id: address.into(), properties }
    }

    /// Reads the contact. By a batch, because HubSpot doesn't find addresses that stand encoded in a path, and because
    /// paths are logged.
    async fn read(&self, cx: &Context) -> Result<Option<Record>, Fault> {
        let mut names: Vec<&str> = self.properties.keys().map(String::as_str).collect();
        names.push(&self.id_property);
        let request = Request::post(format!("{CONTACTS}/read")).json(json!({
            "idProperty": self.id_property, "inputs": [{ "id": self.id }], "properties": names,
            "propertiesWithHistory": Value::Array(Vec::new()),
        }));
        match cx.try_call::<Batch>(request).await? {
            // What isn't there is an error in the batch, so one that shows neither is no absence.
            Ok(batch) => match self.only(batch)? {
                Some(one) => Ok(Some(one.record)),
                None => Err(Fault::Unread("a read of one contact without a result and without an error".to_owned())),
            },
            Err((207, code)) if code.kind == NOT_FOUND => Ok(None),
            Err((status, code)) => Err(Fault::Status(status, code.message)),
        }
    }

    /// The one result, if it is about this contact; none if there is no result.
    fn only(&self, batch: Batch) -> Result<Option<Upserted>, Fault> {
        if batch.status != "COMPLETE" {
            return Err(Fault::Unread("a batch that is not complete".to_owned()));
        }
        let mut results = batch.results.into_iter();
        match (results.next(), results.next()) {
            (None, _) => Ok(None),
            (Some(one), None) => self.about_this(&one.record).map(|()| Some(one)),
            _ => Err(Fault::Unread("a batch of one input with several results".to_owned())),
        }
    }

    fn about_this(&self, record: &Record) -> Result<(), Fault> {
        match record.value(&self.id_property) {
            Some(value) if self.is_id(value) => Ok(()),
            Some(_) => Err(Fault::Echo(self.id_property.clone())),
            None => Err(Fault::Unread(format!("the contact doesn't show {}", self.id_property))),
        }
    }

    /// HubSpot keeps addresses in lower case.
    fn is_id(&self, value: &str) -> bool {
        if self.id_property == EMAIL { value.eq_ignore_ascii_case(&self.id) } else { value == self.id }
    }

    fn is_so(&self, record: &Record) -> bool {
        self.properties.iter().all(|(name, wanted)| record.value(name).unwrap_or_default() == wanted)
    }

    fn receipt(&self, id: String, created: Option<bool>, doer: Doer) -> ContactReceipt {
        ContactReceipt { id, id_property: self.id_property.clone(), value: self.id.clone(), created, doer }
    }
}

/// The contact is a person's, so neither what it is found by nor its values are shown.
impl fmt::Debug for UpsertContact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpsertContact").field("id_property", &self.id_property).finish_non_exhaustive()
    }
}

/// Likewise.
impl fmt::Debug for ContactReceipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContactReceipt").field("id", &self.id).field("doer", &self.doer).finish_non_exhaustive()
    }
}

impl CellArgs for UpsertContact {
    fn check(&self) -> Result<(), String> {
        wire::check_property("id_property", &self.id_property)?;
        if self.id_property == "hs_object_id" {
            return Err("id_property: HubSpot gives the record's own id itself; take a unique property".to_owned());
        }
        wire::check_text("id", &self.id)?;
        if self.id_property == EMAIL && !wire::is_address(&self.id) {
            return Err("id: give a mail address".to_owned());
        }
        if self.properties.contains_key(&self.id_property) {
            return Err(format!("properties: {} is what the contact is found by; leave it out", self.id_property));
        }
        self.properties.keys().try_for_each(|name| wire::check_property("properties", name))
    }

    fn echo(&self) -> Echo {
        vec![("id_property", self.id_property.clone()), ("contact", self.id.clone())]
    }
}

impl CellReceipt for ContactReceipt {
    /// Nothing is claimed: anybody's doing satisfies, and one contact is written many times.
    fn id(&self) -> &str {
        ""
    }

    fn echo(&self) -> Echo {
        vec![("id_property", self.id_property.clone()), ("contact", self.value.clone())]
    }
}

#[cfg(test)]
mod tests;
