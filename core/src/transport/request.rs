use std::fmt;

use secrecy::SecretString;
use serde_json::Value;

/// An HTTP request, relative to the connection's base URL.
#[derive(Clone)]
pub struct Request {
    /// Its method.
    pub method: Method,
    /// Path below the base URL, beginning with a slash.
    pub path: String,
    /// Query pairs, encoded when it is sent.
    pub query: Vec<(String, String)>,
    /// Headers without secrets.
    pub headers: Vec<(String, String)>,
    /// Headers with secrets; never shown.
    pub secrets: Vec<(String, SecretString)>,
    /// Its body.
    pub body: Body,
}

/// The methods that we use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Reads.
    Get,
    /// Creates or acts.
    Post,
    /// Replaces.
    Put,
    /// Changes.
    Patch,
    /// Removes.
    Delete,
}

impl Method {
    /// As written on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// What a request carries.
#[derive(Clone, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    Empty,
    /// `application/x-www-form-urlencoded` pairs.
    Form(Vec<(String, String)>),
    /// JSON.
    Json(Value),
    /// Other bytes, with their content type.
    Bytes(String, Vec<u8>),
}

impl Request {
    /// A request without query, headers and body.
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        let (query, headers, secrets) = (Vec::new(), Vec::new(), Vec::new());
        Self { method, path: path.into(), query, headers, secrets, body: Body::Empty }
    }

    /// A read.
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::Get, path)
    }

    /// A request that creates or acts.
    pub fn post(path: impl Into<String>) -> Self {
        Self::new(Method::Post, path)
    }

    /// Adds a query pair.
    pub fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.query.push((name.into(), value.into()));
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Adds a header that is never shown.
    pub fn secret_header(mut self, name: impl Into<String>, value: SecretString) -> Self {
        self.secrets.push((name.into(), value));
        self
    }

    /// Form pairs; pairs without a value are left out.
    pub fn form<'a>(mut self, pairs: impl IntoIterator<Item = (&'a str, Option<String>)>) -> Self {
        let kept = pairs.into_iter().filter_map(|(name, value)| value.map(|value| (name.to_owned(), value)));
        self.body = Body::Form(kept.collect());
        self
    }

    /// A JSON body.
    pub fn json(mut self, body: Value) -> Self {
        self.body = Body::Json(body);
        self
    }

    /// The body as bytes, with its content type.
    pub fn encoded(&self) -> Option<(String, Vec<u8>)> {
        match &self.body {
            Body::Empty => None,
            Body::Form(pairs) => {
                let text = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
                Some(("application/x-www-form-urlencoded".to_owned(), text.into_bytes()))
            }
            Body::Json(value) => Some(("application/json".to_owned(), value.to_string().into_bytes())),
            Body::Bytes(kind, bytes) => Some((kind.clone(), bytes.clone())),
        }
    }

    /// Path and query as they stand in the request line.
    pub fn target(&self) -> String {
        if self.query.is_empty() {
            return self.path.clone();
        }
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.query).finish();
        format!("{}?{query}", self.path)
    }
}

impl fmt::Debug for Request {
    /// Method and path only: queries, headers and bodies may hold personal data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method.as_str(), self.path)
    }
}

/// Whether a text can stand in a path as one segment without being encoded: ASCII letters and
/// digits, `-` and `_`, fewer than 250 of them. Ids come from callers, so nothing else may stand there.
///
/// ```
/// # use hapax_core::transport::is_plain_segment;
/// assert!(is_plain_segment("pi_3Nx-1"));
/// assert!(!is_plain_segment("../refunds") && !is_plain_segment("a?b") && !is_plain_segment(""));
/// ```
pub fn is_plain_segment(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !text.is_empty() && text.len() < 250 && text.bytes().all(is_plain)
}

/// A whole HTTP response.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// Its status.
    pub status: u16,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Response {
    /// Most bytes that a body may have; a longer one is Unread.
    pub const MAX_BODY: usize = 8 * 1024 * 1024;

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Whether the status says success.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body as JSON, if it is.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Milliseconds to wait, if the `Retry-After` header gives seconds. Some providers give a fraction, which
    /// rounds up to a whole second: coming too early is what the header is to prevent.
    pub fn retry_after_ms(&self) -> Option<u64> {
        let given = self.header("retry-after")?.trim();
        let (whole, part) = given.split_once('.').unwrap_or((given, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(part) {
            return None;
        }
        let more = u64::from(part.bytes().any(|digit| digit != b'0'));
        whole.parse::<u64>().ok().map(|seconds| seconds.saturating_add(more).saturating_mul(1000))
    }
}

impl fmt::Debug for Response {
    /// Status and length only: a body may hold personal data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "status {} with {} bytes", self.status, self.body.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(given: &str) -> Option<u64> {
        let headers = vec![("retry-after".to_owned(), given.to_owned())];
        Response { status: 429, headers, body: Vec::new() }.retry_after_ms()
    }

    #[test]
    fn seconds_to_wait_are_whole_or_round_up() {
        for (given, ms) in [("0", 0), ("30", 30_000), (" 7 ", 7_000), ("2.128", 3_000), ("0.2", 1_000), ("5.0", 5_000)]
        {
            assert_eq!(waits(given), Some(ms), "{given}");
        }
        assert_eq!(waits("18446744073709551615.5"), Some(u64::MAX));
        for other in ["", "-1", ".5", "1.", "1e3", "inf", "Sat, 28 Nov 2026 16:00:00 GMT", "99999999999999999999"] {
            assert_eq!(waits(other), None, "{other}");
        }
    }
}
