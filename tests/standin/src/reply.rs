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

    /// The page of a gateway that stands before a provider and does not know its envelope: 502, 503 and 504.
    pub fn gateway(status: u16) -> Self {
        let title = match status {
            502 => "502 Bad Gateway".to_owned(),
            503 => "503 Service Unavailable".to_owned(),
            504 => "504 Gateway Time-out".to_owned(),
            _ => format!("{status} Error"),
        };
        Self::html(status, &title)
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

/// JSON with status 200.
impl From<Value> for Reply {
    fn from(body: Value) -> Self {
        Self::json(200, &body)
    }
}

/// JSON with this status.
impl From<(u16, Value)> for Reply {
    fn from((status, body): (u16, Value)) -> Self {
        Self::json(status, &body)
    }
}
