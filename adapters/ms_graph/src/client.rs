//! Address, authentication, and where Graph puts its errors.

use async_trait::async_trait;
use hapax_core::capability::{Code, Need};
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::oauth::Tokens;
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use serde::Deserialize;
use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};

use crate::facts::{READS_CHATS, READS_MAIL};
use crate::grant::{CLIENT_ID, FIELDS, USER, grant_of, text};
use crate::wire::{MAILBOX, is_user};
use crate::{CreateEventCell, PostChatMessageCell, SendMailCell};

/// Microsoft Graph, v1.0.
#[derive(Debug, Default)]
pub struct MsGraph {
    tokens: Tokens,
}

#[async_trait]
impl Integration for MsGraph {
    fn name(&self) -> &'static str {
        "ms_graph"
    }

    fn base_url(&self) -> &'static str {
        "https://graph.microsoft.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        FIELDS
    }

    /// Cells don't know whose mailbox it is, so it is put into the path here.
    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let mailbox = match text(connection, USER) {
            None => "me".to_owned(),
            Some(user) if is_user(user) => format!("users/{user}"),
            Some(_) => return Err(Fault::NotSent(format!("{} is no id or user principal name", USER.name))),
        };
        request.path = request.path.replace(MAILBOX, &mailbox);
        self.tokens.authorize(&grant_of(connection)?, request)
    }

    fn code(&self, response: &Response) -> Option<Code> {
        let error = serde_json::from_slice::<Envelope>(&response.body).ok()?.error;
        Some(Code::new("", error.code, &Code::nameless(&unquoted(&error.message))))
    }

    /// A mailbox or a chat that is none has other codes.
    fn is_absent(&self, response: &Response) -> bool {
        let is_item = |code: Code| matches!(code.code.as_str(), "ErrorItemNotFound" | "itemNotFound");
        response.status == 404 && self.code(response).is_some_and(is_item)
    }

    /// The mailbox as a digest, since a scope is journaled and printed, and the app.
    fn scope(&self, connection: &Connection) -> String {
        let user = text(connection, USER).map(|user| {
            let digest = Sha256::digest(user.to_ascii_lowercase());
            digest[..6].iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        });
        let app = text(connection, CLIENT_ID).unwrap_or("unnamed");
        format!("user={} app={app}", user.as_deref().unwrap_or("own"))
    }

    /// 10,000 requests in ten minutes for an app at a mailbox (F17).
    fn requests_per_second(&self) -> Option<u32> {
        Some(16)
    }

    async fn refresh(&self, wire: &Wire) -> Result<(), Fault> {
        self.tokens.refresh(wire, &grant_of(wire.connection())?).await
    }

    fn reject(&self, wire: &Wire) -> bool {
        grant_of(wire.connection()).is_ok_and(|grant| self.tokens.reject(&grant))
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let profile = Request::get(format!("/v1.0/{MAILBOX}")).query("$select", "id,mail,userPrincipalName");
        match wire.try_call::<Profile>(profile).await? {
            Ok(Profile { mail, user_principal_name }) => {
                let name = mail.or(user_principal_name).unwrap_or_default();
                Ok(format!("Microsoft Graph, mailbox {}", shortened(&name)))
            }
            // A token for mail or calendars alone may not read the profile, but it was accepted.
            Err((403, _)) => Ok("Microsoft Graph; the mailbox's name may not be read here".to_owned()),
            Err((status, code)) => Err(Fault::Status(status, format!("{} {}", code.name(), code.message))),
        }
    }

    async fn probe(&self, wire: &Wire, need: Need) -> Result<Option<bool>, Fault> {
        let list = |what: &str| Request::get(format!("/v1.0/{MAILBOX}/{what}")).query("$top", "1");
        // A list of chats takes less than reading their messages, so only a refusal says something.
        let (ask, allowed) = match need {
            READS_MAIL => (list("messages").query("$select", "id"), Some(true)),
            READS_CHATS => (list("chats"), None),
            _ => return Ok(None),
        };
        match wire.try_call::<IgnoredAny>(ask).await? {
            Ok(_) => Ok(allowed),
            Err((403, _)) => Ok(Some(false)),
            Err((status, code)) => Err(Fault::Status(status, format!("{} {}", code.name(), code.message))),
        }
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(SendMailCell), erase(CreateEventCell), erase(PostChatMessageCell)]
    }
}

#[derive(Deserialize)]
struct Envelope {
    error: GraphError,
}

#[derive(Deserialize)]
struct GraphError {
    code: String,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    mail: Option<String>,
    user_principal_name: Option<String>,
}

/// Microsoft's words without what they quote: "Recipient 'Jane Doe' isn't resolved" names a person. A quote begins
/// behind a letter of no word, and ends before one, so an apostrophe is none; one without an end is cut to the end.
fn unquoted(words: &str) -> String {
    let mut kept = String::new();
    let mut quote = None;
    let mut before = None;
    let mut letters = words.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_edge = |side: Option<char>| side.is_none_or(|side| !side.is_alphanumeric());
        match quote {
            None if matches!(letter, '\'' | '"' | '\u{2018}' | '\u{201c}') && is_edge(before) => {
                kept.push_str("...");
                quote = Some(match letter {
                    '\u{2018}' => '\u{2019}',
                    '\u{201c}' => '\u{201d}',
                    same => same,
                });
            }
            None => kept.push(letter),
            Some(end) if letter == end && is_edge(letters.peek().copied()) => quote = None,
            Some(_) => {}
        }
        before = Some(letter);
    }
    kept
}

/// An address that its owner recognises and a log doesn't give away: `a...@example.com`.
fn shortened(address: &str) -> String {
    match address.split_once('@') {
        Some((user, domain)) => format!("{}...@{domain}", user.chars().take(1).collect::<String>()),
        None => "(unnamed)".to_owned(),
    }
}

#[cfg(test)]
mod tests;
