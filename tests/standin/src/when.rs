use serde::{Deserialize, Serialize};

/// Which requests something applies to: those that match a method and a path, from the n-th on, so many times.
///
/// In a path `*` stands for any run of characters. A path with a `?` in it is compared with path and query, any other
/// with the path alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct When {
    /// The method, or any.
    pub method: Option<String>,
    /// The path, or any.
    pub path: Option<String>,
    /// The first match that counts; matches are counted from 1.
    pub nth: u32,
    /// How many matches from there on; zero means for ever.
    pub times: u32,
}

impl Default for When {
    fn default() -> Self {
        Self { method: None, path: None, nth: 1, times: 1 }
    }
}

impl When {
    /// The next request, whatever it is.
    pub fn next() -> Self {
        Self::default()
    }

    /// The next request with this method and path.
    pub fn on(method: &str, path: &str) -> Self {
        Self { method: Some(method.to_owned()), path: Some(path.to_owned()), ..Self::default() }
    }

    /// The n-th match from now on instead of the first.
    pub fn nth(self, nth: u32) -> Self {
        Self { nth, ..self }
    }

    /// So many matches instead of one.
    pub fn times(self, times: u32) -> Self {
        Self { times, ..self }
    }

    /// Every match from the first one on.
    pub fn always(self) -> Self {
        Self { times: 0, ..self }
    }

    /// Whether a request with this method and target (path and query) matches, however often it came.
    pub fn matches(&self, method: &str, target: &str) -> bool {
        self.method.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(method))
            && self.path.as_deref().is_none_or(|pattern| path_matches(pattern, target))
    }
}

fn path_matches(pattern: &str, target: &str) -> bool {
    let path = if pattern.contains('?') { target } else { target.split('?').next().unwrap_or(target) };
    glob(pattern.as_bytes(), path.as_bytes())
}

/// Compares with `*` as the only special character.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((b'*', rest)) => (0..=text.len()).any(|skipped| glob(rest, &text[skipped..])),
        Some((first, rest)) => text.split_first().is_some_and(|(head, tail)| head == first && glob(rest, tail)),
    }
}

/// A [`When`] together with the number of matches so far.
#[derive(Clone, Debug)]
pub(crate) struct Armed {
    pub(crate) when: When,
    seen: u32,
}

impl Armed {
    pub(crate) fn new(when: When) -> Self {
        Self { when, seen: 0 }
    }

    /// Counts the request if it matches, and says whether this is a match that counts.
    pub(crate) fn hit(&mut self, method: &str, target: &str) -> bool {
        if !self.when.matches(method, target) {
            return false;
        }
        self.seen += 1;
        self.seen >= self.when.nth && !self.is_over(self.seen)
    }

    fn is_over(&self, number: u32) -> bool {
        self.when.times != 0 && number >= self.when.nth.saturating_add(self.when.times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        #[track_caller]
        fn check(pattern: &str, target: &str, expected: bool) {
            assert_eq!(When::on("POST", pattern).matches("POST", target), expected, "{pattern} {target}");
        }
        check("/v1/refunds", "/v1/refunds", true);
        check("/v1/refunds", "/v1/refunds?limit=1", true);
        check("/v1/refunds", "/v1/refunds/re_1", false);
        check("/v1/payment_intents/*/confirm", "/v1/payment_intents/pi_1/confirm", true);
        check("/v1/payment_intents/*/confirm", "/v1/payment_intents/pi_1/capture", false);
        check("/v1/refunds?*starting_after=*", "/v1/refunds?limit=1&starting_after=re_1", true);
        check("/v1/refunds?*starting_after=*", "/v1/refunds?limit=1", false);
    }

    #[test]
    fn the_second_and_third_match_and_no_other() {
        let mut armed = Armed::new(When::on("POST", "/a").nth(2).times(2));
        let hits: Vec<bool> = (0..5).map(|_| armed.hit("POST", "/a")).collect();
        assert_eq!(hits, [false, true, true, false, false]);
        let mut other = Armed::new(When::on("POST", "/a"));
        assert!(!other.hit("GET", "/a"));
        assert!(other.hit("POST", "/a"));
    }
}
