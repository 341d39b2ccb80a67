//! Which numbers and senders are taken, with the codes of Twilio's test credentials for those that are not.

use super::fail::Fail;
use crate::address::{Address, Sender};
use hapax_standin::AllowList;

/// What a message's recipient leads to.
pub(super) fn message_to(to: &str) -> Result<(), Fail> {
    match plain(to) {
        "+15005550001" => Err(invalid_to(to)),
        "+15005550002" => Err(Fail::invalid(21612, format!("The 'To' phone number {to} is not reachable"))),
        "+15005550003" => Err(Fail::invalid(21408, "Permission to send to this region has not been enabled")),
        "+15005550004" => Err(Fail::invalid(21610, "Attempt to send to unsubscribed recipient")),
        "+15005550009" => Err(Fail::invalid(21614, format!("'To' number {to} is not a valid mobile number"))),
        _ if Address::new(to).is_err() => Err(invalid_to(to)),
        _ => Ok(()),
    }
}

/// What a call's recipient leads to.
pub(super) fn call_to(to: &str) -> Result<(), Fail> {
    match to {
        "+15005550001" => Err(Fail::invalid(21217, format!("Phone number {to} does not appear to be valid"))),
        "+15005550002" => Err(Fail::invalid(21214, format!("'To' number {to} cannot be reached"))),
        "+15005550003" => Err(Fail::invalid(21215, "Account not authorized to call this number")),
        "+15005550004" => Err(Fail::invalid(21216, "Call blocked by Twilio blocklist")),
        _ if Address::new(to).is_err() || to.starts_with("whatsapp:") => {
            Err(Fail::invalid(21217, "The number does not appear to be valid"))
        }
        _ => Ok(()),
    }
}

/// Whether the account may send from this sender.
pub(super) fn message_from(from: &str, owned: &AllowList<String>) -> Result<(), Fail> {
    match plain(from) {
        "+15005550001" => Err(Fail::invalid(21212, format!("The 'From' number {from} is not a valid number"))),
        "+15005550007" => Err(not_owned(from)),
        "+15005550008" => Err(Fail::invalid(21611, format!("'From' number {from} has exceeded its queue size"))),
        _ if Sender::new(from).is_err() => Err(Fail::invalid(21212, "The 'From' number is not valid")),
        _ if !owned.allows(from) => Err(not_owned(from)),
        _ => Ok(()),
    }
}

/// Whether the account may call from this number.
pub(super) fn call_from(from: &str, owned: &AllowList<String>) -> Result<(), Fail> {
    match from {
        "+15005550001" => Err(Fail::invalid(21212, format!("Invalid 'From' number {from}"))),
        _ if Address::new(from).is_err() => Err(Fail::invalid(21212, "Invalid 'From' number")),
        _ if !owned.allows(from) => Err(Fail::invalid(21210, "'From' phone number not verified")),
        _ => Ok(()),
    }
}

/// What becomes of a message to this number.
pub(super) fn fate_of_message(to: &str) -> &'static str {
    if plain(to) == "+15005550030" { "undelivered" } else { "delivered" }
}

/// What becomes of a call to this number.
pub(super) fn fate_of_call(to: &str) -> &'static str {
    if to == "+15005550031" { "busy" } else { "completed" }
}

fn plain(address: &str) -> &str {
    address.strip_prefix("whatsapp:").unwrap_or(address)
}

fn invalid_to(to: &str) -> Fail {
    Fail::invalid(21211, format!("The 'To' number {to} is not a valid phone number."))
}

fn not_owned(from: &str) -> Fail {
    Fail::invalid(21606, format!("The 'From' phone number {from} is not a valid sender of this account"))
}
