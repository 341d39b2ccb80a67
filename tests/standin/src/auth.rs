use crate::ids::Ids;
use crate::request::Request;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::HashMap;

impl Request {
    /// The token of `Authorization: Bearer`.
    pub fn bearer(&self) -> Option<&str> {
        self.credentials("bearer")
    }

    /// User and password of `Authorization: Basic`. Where a key is the user, the password is often empty.
    pub fn basic(&self) -> Option<(String, String)> {
        let text = String::from_utf8(STANDARD.decode(self.credentials("basic")?).ok()?).ok()?;
        text.split_once(':').map(|(user, password)| (user.to_owned(), password.to_owned()))
    }

    fn credentials(&self, wanted: &str) -> Option<&str> {
        let (scheme, rest) = self.header("authorization")?.split_once(' ')?;
        scheme.eq_ignore_ascii_case(wanted).then_some(rest.trim())
    }
}

/// What is let in: everything, until something is named; from then on only what was named.
#[derive(Clone, Debug)]
pub struct AllowList<T>(Vec<T>);

impl<T> AllowList<T> {
    /// Lets this in.
    pub fn allow(&mut self, one: T) {
        self.0.push(one);
    }

    /// Whether this is let in.
    pub fn allows<Q: ?Sized>(&self, one: &Q) -> bool
    where
        T: PartialEq<Q>,
    {
        self.0.is_empty() || self.0.iter().any(|known| known == one)
    }
}

impl<T> Default for AllowList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// Access tokens that a provider issued: for whom, and until when.
#[derive(Clone, Debug, Default)]
pub struct IssuedTokens(HashMap<String, (String, i64)>);

impl IssuedTokens {
    /// Issues a token that begins with `prefix`, for whoever it is to speak for, good until `until_ms`.
    pub fn issue(&mut self, ids: &Ids, prefix: &str, holder: &str, until_ms: i64) -> String {
        let token = ids.next(prefix, 24);
        self.0.insert(token.clone(), (holder.to_owned(), until_ms));
        token
    }

    /// For whom a token speaks; none if it was not issued here, has ended or was revoked.
    pub fn holder(&self, token: &str, now_ms: i64) -> Option<&str> {
        self.0.get(token).filter(|(_, until_ms)| now_ms < *until_ms).map(|(holder, _)| holder.as_str())
    }

    /// Takes all tokens back.
    pub fn revoke_all(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(header: &str) -> Request {
        Request::parse("GET", "/", vec![("Authorization".to_owned(), header.to_owned())], Vec::new())
    }

    #[test]
    fn credentials_come_as_bearer_or_as_basic() {
        assert_eq!(with("Bearer abc").bearer(), Some("abc"));
        assert_eq!(with("bearer  abc ").bearer(), Some("abc"));
        assert_eq!(with("Basic abc").bearer(), None);
        assert_eq!(with("Basic c2tfdGVzdF8xOg==").basic(), Some(("sk_test_1".to_owned(), String::new())));
        assert_eq!(with("Basic c2tfdGVzdF8x").basic(), None);
        assert_eq!(with("Basic ?").basic(), None);
        assert_eq!(Request::default().bearer(), None);
    }

    #[test]
    fn an_allow_list_closes_with_its_first_name() {
        let mut list = AllowList::default();
        assert!(list.allows(&"b"));
        list.allow("a");
        assert!(list.allows(&"a") && !list.allows(&"b"));
    }

    #[test]
    fn a_token_speaks_for_its_holder_until_it_ends_or_is_revoked() {
        let mut tokens = IssuedTokens::default();
        let token = tokens.issue(&Ids::new(1), "tok", "somebody", 1_000);
        assert_eq!(tokens.holder(&token, 999), Some("somebody"));
        assert_eq!(tokens.holder(&token, 1_000), None);
        assert_eq!(tokens.holder("tok_other", 0), None);
        tokens.revoke_all();
        assert_eq!(tokens.holder(&token, 0), None);
    }
}
