//! What the descriptions need, so that their answers can be read.

use hapax_standin::third_party::prism::{self, Edit};
use serde_json::{Value, json};

/// The contact of the examples.
pub(crate) const ADDRESS: &str = "bcooper@biglytics.net";

const NO_NULLS: Edit = Edit {
    why: "nearly everything has the example null, which makes every answer empty",
    make: |description| {
        prism::each_object(description, &mut |object| {
            let is_null = object.get("example").is_some_and(Value::is_null);
            is_null && object.remove("example").is_some()
        })
    },
};

const ERRORS_ARE_JSON: Edit = Edit {
    why: "errors have no media type but */*, and Prism turns a refusal into a failure of its own",
    make: |description| {
        let content = &mut description["components"]["responses"]["Error"]["content"];
        let any = content.as_object_mut().and_then(|content| content.remove("*/*"));
        let is_there = any.is_some();
        content["application/json"] = any.unwrap_or_default();
        is_there
    },
};

/// For `hubspot_contacts_v3.json`.
pub(crate) const CONTACTS: &[Edit] = &[
    NO_NULLS,
    ERRORS_ARE_JSON,
    Edit {
        why: "without the null examples Prism makes up contacts, and batches that were canceled",
        make: |description| {
            let contact = json!({ "email": ADDRESS, "firstname": "Bryan" });
            is_set(description, "SimplePublicUpsertObject/properties/id", "example", "512".into())
                && is_set(description, "SimplePublicUpsertObject/properties/properties", "example", contact.clone())
                && is_set(description, "SimplePublicObject/example", "properties", contact)
                && is_set(description, "BatchResponseSimplePublicUpsertObject/properties/status", "enum", complete())
                && is_set(description, "BatchResponseSimplePublicObject/properties/status", "enum", complete())
        },
    },
];

/// For `hubspot_tickets_v3.json` and `hubspot_notes_v3.json`.
pub(crate) const RECORDS: &[Edit] = &[NO_NULLS, ERRORS_ARE_JSON, ANOTHERS];

/// For `hubspot_deals_v3.json`.
pub(crate) const DEALS: &[Edit] = &[
    NO_NULLS,
    ERRORS_ARE_JSON,
    ANOTHERS,
    Edit {
        why: "deals are named by the number of their kind alone, and HubSpot's guide says deals",
        make: |description| {
            let Some(paths) = description["paths"].as_object_mut() else { return false };
            let named = std::mem::take(paths).into_iter().map(|(path, item)| (path.replace("/0-3", "/deals"), item));
            *paths = named.collect();
            paths.contains_key("/crm/v3/objects/deals")
        },
    },
];

/// For `hubspot_transactional_v3.json`.
pub(crate) const SENDS: &[Edit] = &[
    NO_NULLS,
    Edit {
        why: "values of custom properties are objects without members there, and are to be seen in the mail",
        make: |description| {
            let place = "PublicSingleSendRequestEgg/properties/customProperties";
            is_set(description, place, "additionalProperties", json!({}))
        },
    },
];

const ANOTHERS: Edit = Edit {
    why: "records of the examples carry no key",
    make: |description| {
        let other = json!({ "hapax_key": "somebodyelse" });
        is_set(description, "SimplePublicObject/example", "properties", other.clone())
            && is_set(description, "SimplePublicObjectWithAssociations/properties/properties", "example", other)
    },
};

fn complete() -> Value {
    json!(["COMPLETE"])
}

/// Sets a member of a part of a schema. False if that part is not there.
fn is_set(description: &mut Value, part: &str, member: &str, value: Value) -> bool {
    let part = description["components"]["schemas"].pointer_mut(&format!("/{part}"));
    part.and_then(Value::as_object_mut).map(|part| part.insert(member.to_owned(), value)).is_some()
}
