use hapax_standin::{Context, Reply, Request};
use serde_json::{Value, json};

use super::Paypal;
use super::fail::Fail;

/// How long a token lives, in seconds.
const LIVES_S: i64 = 32_400;

/// Gives a token, or refuses in the form that only this endpoint has.
pub(super) fn issue(context: &mut Context<'_, Paypal>) -> Result<Value, Reply> {
    let request = context.request;
    let refused = |status: u16, error: &str| {
        Reply::json(status, &json!({ "error": error, "error_description": "Client Authentication failed" }))
    };
    if request.method != "POST" || request.field("grant_type") != Some("client_credentials") {
        return Err(refused(400, "unsupported_grant_type"));
    }
    if request.basic().is_none_or(|(id, secret)| id.is_empty() || secret == "wrong") {
        return Err(refused(401, "invalid_client"));
    }
    let until_ms = context.now_ms + LIVES_S * 1000;
    let token = context.state.tokens.issue(&context.world.ids, "A21AA", "merchant", until_ms);
    Ok(json!({
        "scope": "https://uri.paypal.com/services/payments/payment", "access_token": token, "token_type": "Bearer",
        "app_id": "APP-80W284485P519543T", "expires_in": LIVES_S,
    }))
}

impl Paypal {
    /// The account that a request acts for, or 401.
    pub(super) fn account(&self, request: &Request, now_ms: i64) -> Result<String, Fail> {
        let holder = request.bearer().and_then(|token| self.tokens.holder(token, now_ms));
        holder.map(str::to_owned).ok_or_else(Fail::unauthorized)
    }
}
