use hapax_standin::{Context, Reply, Request};
use serde_json::{Value, json};

use super::Amadeus;
use super::fail::Fail;

/// How long a token lives, in seconds.
const LIVES_S: i64 = 1799;

/// Gives a token, or refuses in the form that only this endpoint has.
pub(super) fn issue(context: &mut Context<'_, Amadeus>) -> Result<Value, Reply> {
    let request = context.request;
    let refused = |status: u16, error: &str| {
        Reply::json(status, &json!({ "error": error, "code": 38187, "title": "Invalid parameters" }))
    };
    if request.method != "POST" || request.field("grant_type") != Some("client_credentials") {
        return Err(refused(400, "unsupported_grant_type"));
    }
    let (Some(id), Some(secret)) = (request.field("client_id"), request.field("client_secret")) else {
        return Err(refused(401, "invalid_client"));
    };
    if secret == "wrong" {
        return Err(refused(401, "invalid_client"));
    }
    let office = request.field("guest_office_id").unwrap_or("own");
    let until_ms = context.now_ms + LIVES_S * 1000;
    let token = context.state.tokens.issue(&context.world.ids, "token", office, until_ms);
    Ok(json!({
        "type": "amadeusOAuth2Token", "username": "somebody@example.com", "application_name": "Stand-in",
        "client_id": id, "token_type": "Bearer", "access_token": token, "expires_in": LIVES_S,
        "state": "approved", "scope": "",
    }))
}

impl Amadeus {
    /// The office that a request acts for, or 401.
    pub(super) fn office(&self, request: &Request, now_ms: i64) -> Result<String, Fail> {
        let office = request.bearer().and_then(|token| self.tokens.holder(token, now_ms));
        office.map(str::to_owned).ok_or_else(|| Fail::new(401, 38190, "Invalid access token"))
    }
}
