//! Address, authentication, and where Slack puts its errors.

use async_trait::async_trait;
use hapax_core::capability::{Code, Need};
use hapax_core::cell::{Connection, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use crate::facts;
use crate::{DeleteCell, DeleteScheduledCell, PostCell, ScheduleCell, UpdateCell};

/// Slack's Web API.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slack;

const TOKEN: CredentialField = CredentialField {
    name: "token",
    variable: "SLACK_BOT_TOKEN",
    optional: false,
    what: "a bot's token, xoxb-..., or a user's, xoxp-...",
};

const HISTORY_SCOPES: [&str; 4] = ["channels:history", "groups:history", "im:history", "mpim:history"];

#[async_trait]
impl Integration for Slack {
    fn name(&self) -> &'static str {
        "slack"
    }

    fn base_url(&self) -> &'static str {
        "https://slack.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[TOKEN]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let token = connection
            .credentials
            .get(TOKEN.name)
            .map(|token| token.expose_secret().trim())
            .ok_or_else(|| Fault::NotSent(format!("no Slack token; set {}", TOKEN.variable)))?;
        // Webhook addresses and signing secrets are what is pasted here by mistake.
        if !token.starts_with("xox") {
            return Err(Fault::NotSent(format!("{} is no Slack token; give {}", TOKEN.name, TOKEN.what)));
        }
        let bearer = SecretString::from(format!("Bearer {token}"));
        request.secrets.push(("Authorization".to_owned(), bearer));
        Ok(())
    }

    /// Slack refuses inside a 200. What it adds in words may quote what was sent, so it is left out.
    fn code(&self, response: &Response) -> Option<Code> {
        let Envelope { ok: false, error: Some(error), needed } = serde_json::from_slice(&response.body).ok()? else {
            return None;
        };
        let needed = needed.map(|scopes| format!("; it needs {scopes}")).unwrap_or_default();
        let message = format!("Slack answers {error}{needed}");
        Some(Code::new("", error, &message))
    }

    /// What is absent has a code of its own at each method; none of Slack's statuses says so.
    fn is_absent(&self, _: &Response) -> bool {
        false
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let who: Who = wire.call(Request::post("/api/auth.test").form([])).await?;
        let as_what = if who.bot_id.is_some() { "bot" } else { "user" };
        Ok(format!("Slack workspace {} ({}), {as_what} {}", who.team, who.team_id, who.user))
    }

    async fn probe(&self, wire: &Wire, need: Need) -> Result<Option<bool>, Fault> {
        if need != facts::READS_HISTORY {
            return Ok(None);
        }
        let response = wire.ask(Request::post("/api/auth.test").form([])).await?;
        if let Some(code) = self.code(&response) {
            return Err(Fault::Status(response.status, code.message));
        }
        let Some(scopes) = response.header("x-oauth-scopes") else { return Ok(None) };
        let has = |scope: &&&str| scopes.split(',').any(|granted| granted.trim() == **scope);
        Ok(match HISTORY_SCOPES.iter().filter(has).count() {
            0 => Some(false),
            4 => Some(true),
            // Whether the others are ever needed is known to whoever chose the conversations.
            _ => None,
        })
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(PostCell), erase(ScheduleCell), erase(DeleteScheduledCell), erase(UpdateCell), erase(DeleteCell)]
    }
}

#[derive(Deserialize)]
struct Envelope {
    ok: bool,
    error: Option<String>,
    needed: Option<String>,
}

#[derive(Deserialize)]
struct Who {
    team: String,
    team_id: String,
    user: String,
    bot_id: Option<String>,
}

#[cfg(test)]
mod tests;
