use hapax_standin::{Reply, Request};
use serde_json::json;

use super::StandIn;
use super::fail::Fail;

/// How long a token lives, in seconds.
const LIVES_S: i64 = 1799;

impl StandIn {
    /// Gives a token, or refuses in the form that only this endpoint has.
    pub(super) fn token(&self, request: &Request) -> Reply {
        let refused = |status: u16, error: &str| {
            Reply::json(status, &json!({ "error": error, "code": 38187, "title": "Invalid parameters" }))
        };
        if request.method != "POST" || request.field("grant_type") != Some("client_credentials") {
            return refused(400, "unsupported_grant_type");
        }
        let (Some(id), Some(secret)) = (request.field("client_id"), request.field("client_secret")) else {
            return refused(401, "invalid_client");
        };
        if secret == "wrong" {
            return refused(401, "invalid_client");
        }
        let token = self.world.ids.next("token", 24);
        let office = request.field("guest_office_id").unwrap_or("own").to_owned();
        self.state().tokens.insert(token.clone(), (self.world.now_ms() + LIVES_S * 1000, office));
        Reply::json(
            200,
            &json!({
                "type": "amadeusOAuth2Token", "username": "somebody@example.com", "application_name": "Stand-in",
                "client_id": id, "token_type": "Bearer", "access_token": token, "expires_in": LIVES_S,
                "state": "approved", "scope": "",
            }),
        )
    }

    /// The office that a request acts for, or 401.
    pub(super) fn office(&self, request: &Request) -> Result<String, Fail> {
        let token = request.header("authorization").and_then(|header| header.strip_prefix("Bearer "));
        let state = self.state();
        let known = token.and_then(|token| state.tokens.get(token));
        let valid = known.filter(|(until, _)| *until > self.world.now_ms());
        valid.map(|(_, office)| office.clone()).ok_or_else(|| Fail::new(401, 38190, "Invalid access token"))
    }
}
