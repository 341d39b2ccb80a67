use super::fail::Fail;
use hapax_standin::Request;

/// The account that a key belongs to when no connected account is named.
pub(super) const OWN_ACCOUNT: &str = "acct_standin";

/// The account that a request acts in, or 401.
///
/// A live key is refused: it has no business in a test, and whoever sends one should find out.
pub(super) fn account(request: &Request, accepted: &[String]) -> Result<String, Fail> {
    let Some(key) = request.header("authorization").and_then(secret) else {
        return Err(Fail::new(401, "invalid_request_error", "You did not provide an API key."));
    };
    let is_test = key.starts_with("sk_test_") || key.starts_with("rk_test_");
    if !is_test || !(accepted.is_empty() || accepted.contains(&key)) {
        return Err(Fail::new(401, "invalid_request_error", "Invalid API Key provided: ****"));
    }
    Ok(request.header("stripe-account").unwrap_or(OWN_ACCOUNT).to_owned())
}

/// The secret out of `Bearer secret` or `Basic base64(secret:)`.
fn secret(header: &str) -> Option<String> {
    let (scheme, rest) = header.split_once(' ')?;
    match scheme.to_ascii_lowercase().as_str() {
        "bearer" => Some(rest.trim().to_owned()),
        "basic" => {
            let decoded = String::from_utf8(base64(rest.trim())?).ok()?;
            decoded.split(':').next().map(str::to_owned)
        }
        _ => None,
    }
}

fn base64(text: &str) -> Option<Vec<u8>> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = ALPHABET.iter().position(|other| *other == letter)?;
        bits = (bits << 6) | u32::try_from(value).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xFF).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_comes_as_bearer_or_as_the_user_of_basic() {
        assert_eq!(secret("Bearer sk_test_1").as_deref(), Some("sk_test_1"));
        assert_eq!(secret("Basic c2tfdGVzdF8xOg==").as_deref(), Some("sk_test_1"));
        assert_eq!(secret("Digest x"), None);
    }
}
