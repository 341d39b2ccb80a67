//! The token endpoint, and which tokens are good.

use hapax_standin::{Context, Reply, Request};
use serde_json::{Value, json};

use super::MsGraph;

/// How long a token lives.
const LIFE_MS: i64 = 3_600_000;
/// How tokens begin that were issued here.
const ISSUED: &str = "EwB.issued";

/// Exchanges a refresh token, or an app's secret. A refresh token that says `revoked` is.
pub(super) fn issue(context: &mut Context<'_, MsGraph>) -> Result<Value, Reply> {
    let field = |name: &str| context.request.field(name).unwrap_or_default().to_owned();
    let is_known = !field("client_id").is_empty();
    let is_good = match field("grant_type").as_str() {
        "refresh_token" => {
            is_known && !field("refresh_token").is_empty() && !field("refresh_token").contains("revoked")
        }
        "client_credentials" => is_known && !field("client_secret").is_empty() && field("scope").ends_with("/.default"),
        _ => return Err((400, json!({ "error": "unsupported_grant_type" })).into()),
    };
    if !is_good {
        return Err((400, json!({ "error": "invalid_grant", "error_description": "AADSTS70008" })).into());
    }
    let until_ms = context.now_ms + LIFE_MS;
    let token = context.state.tokens.issue(&context.world.ids, ISSUED, "me", until_ms);
    Ok(json!({ "access_token": token, "expires_in": LIFE_MS / 1000, "token_type": "Bearer" }))
}

impl MsGraph {
    /// A token that was issued is good until its end; one that a test made up always is.
    pub(super) fn knows(&self, request: &Request, now_ms: i64) -> bool {
        request.bearer().is_some_and(|token| match token.starts_with(ISSUED) {
            true => self.tokens.holder(token, now_ms).is_some(),
            false => token.starts_with("EwB."),
        })
    }
}
