use serde_json::Value;

/// A provider's reply, before it is put on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The headers, without those that the wire needs (length, connection).
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// A reply without a body.
    pub fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    /// A reply in JSON.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::empty(status).with_header("content-type", "application/json").with_body(body.to_string().into_bytes())
    }

    /// A page such as a gateway puts in front of a provider.
    pub fn html(status: u16, title: &str) -> Self {
        let page = format!("<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>\n");
        Self::empty(status).with_header("content-type", "text/html").with_body(page.into_bytes())
    }

    /// Adds a header.
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Puts another body in place of the present one.
    pub fn with_body(mut self, body: Vec<u8>) -> Self {
        self.body = body;
        self
    }

    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON; `Null` if it is none.
    pub fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}
