//! HubSpot's cells.

use serde_json::json;

use super::{Intent, Job, Site};

pub(super) const JOBS: &[Job] = &[
    Job { cell: "hubspot.upsert_contact", effect: "contact", shot: ("POST", "/crm/v3/objects/contacts/batch/upsert") },
    Job { cell: "hubspot.create_deal", effect: "deal", shot: ("POST", "/crm/v3/objects/deals") },
    Job { cell: "hubspot.create_ticket", effect: "ticket", shot: ("POST", "/crm/v3/objects/tickets") },
    Job { cell: "hubspot.create_note", effect: "note", shot: ("POST", "/crm/v3/objects/notes") },
    Job {
        cell: "hubspot.send_single_email",
        effect: "mail",
        shot: ("POST", "/marketing/v3/transactional/single-email/send"),
    },
];

pub(super) async fn intent(cell: &str, _site: &Site, number: u64) -> Intent {
    let address = format!("jane{number}@example.com");
    match cell {
        "hubspot.upsert_contact" => {
            let args = json!({ "id_property": "email", "id": address, "properties": { "firstname": "Jané" } });
            Intent::known_by(&address, args)
        }
        "hubspot.create_deal" => Intent::marked(json!({ "name": format!("Deal {number}"), "stage": "contractsent" })),
        "hubspot.create_ticket" => Intent::marked(json!({ "subject": format!("Ticket {number}"), "stage": "1" })),
        "hubspot.create_note" => {
            let ties = json!([{ "to": "201", "type_id": 202 }]);
            let body = format!("Note {number}");
            Intent::marked(json!({ "body": body, "at": "2026-09-21T14:13:20Z", "associations": ties }))
        }
        "hubspot.send_single_email" => Intent::known_by(&address, json!({ "email_id": 1042, "to": address })),
        other => panic!("no intent of {other}"),
    }
}
