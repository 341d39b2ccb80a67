//! The token endpoint, and which tokens are good.

use hapax_standin::{Context, Reply, Request};
use serde_json::{Value, json};

use super::GoogleCalendar;

/// How long a token lives.
const LIFE_MS: i64 = 3_600_000;
/// How tokens begin that were issued here.
const ISSUED: &str = "ya29.issued";

/// Exchanges a refresh token, or a service account's assertion. A refresh token that says `revoked` is.
pub(super) fn issue(context: &mut Context<'_, GoogleCalendar>) -> Result<Value, Reply> {
    let field = |name: &str| context.request.field(name).unwrap_or_default().to_owned();
    let is_good = match field("grant_type").as_str() {
        "refresh_token" => {
            let token = field("refresh_token");
            !field("client_id").is_empty() && token.starts_with("1//") && !token.contains("revoked")
        }
        // Whether the signature is right is for unit tests: there is no public key here.
        "urn:ietf:params:oauth:grant-type:jwt-bearer" => field("assertion").split('.').count() == 3,
        _ => return Err((400, json!({ "error": "unsupported_grant_type" })).into()),
    };
    if !is_good {
        let error = json!({ "error": "invalid_grant", "error_description": "Token has been expired or revoked." });
        return Err((400, error).into());
    }
    let until_ms = context.now_ms + LIFE_MS;
    let token = context.state.tokens.issue(&context.world.ids, ISSUED, "me", until_ms);
    Ok(json!({ "access_token": token, "expires_in": LIFE_MS / 1000, "token_type": "Bearer" }))
}

impl GoogleCalendar {
    /// A token that was issued is good until its end; one that a test made up always is.
    pub(super) fn knows(&self, request: &Request, now_ms: i64) -> bool {
        request.bearer().is_some_and(|token| match token.starts_with(ISSUED) {
            true => self.tokens.holder(token, now_ms).is_some(),
            false => token.starts_with("ya29."),
        })
    }
}
