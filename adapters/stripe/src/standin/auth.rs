use super::fail::Fail;
use hapax_standin::Request;

/// The account that a key belongs to when no connected account is named.
pub(super) const OWN_ACCOUNT: &str = "acct_standin";

/// The account that a request acts in, or 401.
///
/// A live key is refused: it has no business in a test, and whoever sends one should find out.
pub(super) fn account(request: &Request, accepted: &[String]) -> Result<String, Fail> {
    let Some(key) = secret(request) else {
        return Err(Fail::new(401, "invalid_request_error", "You did not provide an API key."));
    };
    let is_test = key.starts_with("sk_test_") || key.starts_with("rk_test_");
    if !is_test || !(accepted.is_empty() || accepted.contains(&key)) {
        return Err(Fail::new(401, "invalid_request_error", "Invalid API Key provided: ****"));
    }
    Ok(request.header("stripe-account").unwrap_or(OWN_ACCOUNT).to_owned())
}

/// The secret out of `Bearer secret` or `Basic base64(secret:)`.
fn secret(request: &Request) -> Option<String> {
    request.bearer().map(str::to_owned).or_else(|| request.basic().map(|(user, _)| user))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_comes_as_bearer_or_as_the_user_of_basic() {
        let of = |header: &str| {
            let headers = vec![("authorization".to_owned(), header.to_owned())];
            secret(&Request::parse("GET", "/", headers, Vec::new()))
        };
        assert_eq!(of("Bearer sk_test_1").as_deref(), Some("sk_test_1"));
        assert_eq!(of("Basic c2tfdGVzdF8xOg==").as_deref(), Some("sk_test_1"));
        assert_eq!(of("Digest x"), None);
    }
}
