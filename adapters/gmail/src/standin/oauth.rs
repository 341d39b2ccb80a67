//! The token endpoint, and which tokens are good.

use std::collections::HashMap;

use hapax_standin::{Reply, Request};
use serde_json::json;

use super::fail::Fail;

/// How long a token lives.
const LIFE_MS: i64 = 3_600_000;

/// Tokens that were issued, with their ends.
#[derive(Default)]
pub(super) struct Tokens {
    issued: HashMap<String, i64>,
    count: u32,
}

impl Tokens {
    /// Exchanges a refresh token, or a service account's assertion. A refresh token that says `revoked` is.
    pub(super) fn issue(&mut self, request: &Request, now_ms: i64) -> Result<Reply, Fail> {
        let field = |name: &str| request.field(name).unwrap_or_default().to_owned();
        let is_good = match field("grant_type").as_str() {
            "refresh_token" => {
                let token = field("refresh_token");
                !field("client_id").is_empty() && token.starts_with("1//") && !token.contains("revoked")
            }
            // Whether the signature is right is for unit tests: there is no public key here.
            "urn:ietf:params:oauth:grant-type:jwt-bearer" => field("assertion").split('.').count() == 3,
            _ => return Ok(Reply::json(400, &json!({ "error": "unsupported_grant_type" }))),
        };
        if !is_good {
            let error = json!({ "error": "invalid_grant", "error_description": "Token has been expired or revoked." });
            return Ok(Reply::json(400, &error));
        }
        self.count += 1;
        let token = format!("ya29.issued-{}", self.count);
        self.issued.insert(token.clone(), now_ms + LIFE_MS);
        Ok(Reply::json(200, &json!({ "access_token": token, "expires_in": LIFE_MS / 1000, "token_type": "Bearer" })))
    }

    /// A token that was issued is good until its end; one that a test made up always is.
    pub(super) fn check(&self, request: &Request, now_ms: i64) -> Result<(), Fail> {
        let token = request.header("authorization").and_then(|header| header.strip_prefix("Bearer "));
        let is_good = token.is_some_and(|token| match token.strip_prefix("ya29.") {
            Some(name) if name.starts_with("issued-") => self.issued.get(token).is_some_and(|end| now_ms < *end),
            Some(_) => true,
            None => false,
        });
        if is_good { Ok(()) } else { Err(Fail::usual(401, None)) }
    }

    pub(super) fn revoke(&mut self) {
        self.issued.clear();
    }
}
