//! What became of a send, in the words of HubSpot's list of results. What a result means beyond its name is not written.

/// Results whose names say that nobody got the mail, of the list in the API description. Left out is what may still be
/// sent later or was sent before: `ATTACHMENT_DOWNLOAD_QUEUE_FULL`, `IDEMPOTENT_FAIL`, `IDEMPOTENT_IGNORE`,
/// `MTA_IGNORE`, `QUEUED`, `SENT`, `THROTTLED`.
const NOT_SENT: [&str; 44] = [
    "ADDRESS_LIST_BOMBED",
    "ADDRESS_ONLY_ACCEPTED_ON_PROD",
    "ADDRESS_OPTED_OUT",
    "BLOCKED_ADDRESS",
    "BLOCKED_DOMAIN",
    "BRAND_RECIPIENT_FATIGUE_SUPPRESSED",
    "CAMPAIGN_CANCELLED",
    "CANCELLED_ABUSE",
    "CONTACT_VIEW_PERMISSION",
    "CORRUPT_INPUT",
    "EMAIL_DISABLED",
    "EMAIL_UNCONFIRMED",
    "GDPR_DOI_ENABLED",
    "GRAYMAIL_SUPPRESSED",
    "HUBL_LIMIT_EXCEEDED",
    "INVALID_APP_ID_ATTRIBUTION",
    "INVALID_FROM_ADDRESS",
    "INVALID_TO_ADDRESS",
    "LOW_CONTACT_QUALITY_SCORE",
    "MARKETING_ACTIVATION_DISALLOWED",
    "MISSING_CONTENT",
    "MISSING_REQUIRED_PARAMETER",
    "MISSING_TEMPLATE_PROPERTIES",
    "NON_MARKETABLE_CONTACT",
    "PORTAL_AUTHENTICATION_FAILURE",
    "PORTAL_EXPIRED",
    "PORTAL_MISSING_MARKETING_SCOPE",
    "PORTAL_NOT_AUTHORIZED_FOR_APPLICATION",
    "PORTAL_OVER_LIMIT",
    "PORTAL_SUSPENDED",
    "PREVIOUS_SPAM",
    "PREVIOUSLY_BOUNCED",
    "PREVIOUSLY_UNSUBSCRIBED_BRAND",
    "PREVIOUSLY_UNSUBSCRIBED_BUSINESS_UNIT",
    "PREVIOUSLY_UNSUBSCRIBED_MESSAGE",
    "PREVIOUSLY_UNSUBSCRIBED_PORTAL",
    "QUARANTINED_ADDRESS",
    "RECIPIENT_FATIGUE_SUPPRESSED",
    "TEMPLATE_RENDER_EXCEPTION",
    "TOO_MANY_RECIPIENTS",
    "UBB_GOVERNANCE_MISSING",
    "UNCONFIGURED_SENDING_DOMAIN",
    "UNDELIVERABLE",
    "VALIDATION_FAILED",
];

/// The fate of a send with this status and result; none while it is under way. Failed only where nobody got the mail:
/// what has failed may be tried again, and that would be a second one.
pub(super) fn fate(status: &str, result: Option<&str>) -> Option<(String, bool)> {
    let is_under_way = matches!(status, "PENDING" | "PROCESSING");
    let (words, failed) = match result {
        None | Some("QUEUED") if is_under_way => return None,
        None if status == "CANCELED" => ("canceled".to_owned(), true),
        None => (status.to_lowercase(), false),
        Some("SENT") => ("sent".to_owned(), false),
        Some("QUEUED") => ("queued for delivery".to_owned(), false),
        Some("IDEMPOTENT_IGNORE") => ("dropped as a repeat of an earlier request".to_owned(), false),
        Some("IDEMPOTENT_FAIL") => {
            ("dropped as a repeat (IDEMPOTENT_FAIL): an earlier request may have sent it".to_owned(), false)
        }
        Some(known) if NOT_SENT.contains(&known) => (format!("not sent: {known}"), true),
        Some(other) => (format!("{other}, of which nobody says whether it was sent"), false),
    };
    Some((words, failed))
}
