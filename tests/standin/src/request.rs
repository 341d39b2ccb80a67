use serde_json::Value;

/// A request as a provider sees it.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The method, in capitals.
    pub method: String,
    /// The path, still percent-encoded.
    pub path: String,
    /// The parameters of the query, decoded.
    pub query: Vec<(String, String)>,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The fields of a form, decoded; nested names keep their brackets (`metadata[order]`).
    pub form: Vec<(String, String)>,
    /// The body, if it is JSON.
    pub json: Option<Value>,
    /// The body as it came.
    pub body: Vec<u8>,
}

impl Request {
    /// Reads query, form and JSON out of the raw parts.
    pub fn parse(method: &str, target: &str, headers: Vec<(String, String)>, body: Vec<u8>) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut request = Self {
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            query: pairs(query.as_bytes()),
            headers: headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect(),
            ..Self::default()
        };
        let kind = request.header("content-type").unwrap_or_default().to_ascii_lowercase();
        if kind.starts_with("application/x-www-form-urlencoded") {
            request.form = pairs(&body);
        } else if kind.contains("json") {
            request.json = serde_json::from_slice(&body).ok();
        }
        request.body = body;
        request
    }

    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        first(&self.headers, &name.to_ascii_lowercase())
    }

    /// The first query parameter of this name.
    pub fn param(&self, name: &str) -> Option<&str> {
        first(&self.query, name)
    }

    /// The first form field of this name.
    pub fn field(&self, name: &str) -> Option<&str> {
        first(&self.form, name)
    }

    /// The fields under a name: `metadata[order]=1` gives `("order", "1")` for `metadata`.
    pub fn fields_under<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.form.iter().filter_map(move |(field, value)| {
            let inner = field.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?;
            Some((inner, value.as_str()))
        })
    }

    /// What a JSON pointer (RFC 6901) leads to in the body; `Null` if nothing is there.
    pub fn json_at(&self, pointer: &str) -> &Value {
        self.json.as_ref().and_then(|json| json.pointer(pointer)).unwrap_or(&Value::Null)
    }

    /// Everything that a request asks for (query, form, JSON or another body) in an order of its own, to be compared with
    /// another one's. JSON is compared by its values.
    pub fn parameters(&self) -> String {
        let mut pairs: Vec<_> = self.form.iter().chain(&self.query).collect();
        pairs.sort();
        match &self.json {
            Some(json) => format!("{pairs:?} {json}"),
            None if self.form.is_empty() => format!("{pairs:?} {:?}", self.body),
            None => format!("{pairs:?}"),
        }
    }

    /// Path and query, encoded, with some parameters taken out and those that have a value put at the end.
    pub fn target_with(&self, changed: &[(&str, Option<&str>)]) -> String {
        let kept = self.query.iter().filter(|(name, _)| changed.iter().all(|(other, _)| other != name));
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(kept);
        query.extend_pairs(changed.iter().filter_map(|(name, value)| Some((name, (*value)?))));
        let query = query.finish();
        if query.is_empty() { self.path.clone() } else { format!("{}?{query}", self.path) }
    }

    /// The path without its slashes, cut into its parts.
    pub fn segments(&self) -> Vec<&str> {
        self.path.split('/').filter(|part| !part.is_empty()).collect()
    }

    /// Path and query, as far as they matter for matching.
    pub(crate) fn target(&self) -> String {
        if self.query.is_empty() {
            return self.path.clone();
        }
        let query: Vec<String> = self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{}?{}", self.path, query.join("&"))
    }
}

fn pairs(encoded: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(encoded).map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

fn first<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_with_brackets_is_flat_pairs() {
        let headers = vec![("Content-Type".to_owned(), "application/x-www-form-urlencoded; charset=utf-8".to_owned())];
        let body = b"amount=100&metadata%5Border%5D=a%26b&metadata[line]=2&metadatax[no]=3".to_vec();
        let request = Request::parse("post", "/v1/x?created[gte]=5", headers, body);
        assert_eq!(request.method, "POST");
        assert_eq!(request.param("created[gte]"), Some("5"));
        assert_eq!(request.field("amount"), Some("100"));
        let metadata: Vec<_> = request.fields_under("metadata").collect();
        assert_eq!(metadata, [("order", "a&b"), ("line", "2")]);
    }

    #[test]
    fn a_target_is_written_anew_with_other_parameters() {
        let request = Request::parse("GET", "/list?to=%2B1&page=1&size=5", Vec::new(), Vec::new());
        let changed = request.target_with(&[("size", None), ("page", Some("2")), ("token", Some("a&b"))]);
        assert_eq!(changed, "/list?to=%2B1&page=2&token=a%26b");
        assert_eq!(request.target_with(&[("to", None), ("page", None), ("size", None)]), "/list");
    }

    #[test]
    fn parameters_are_compared_without_their_order() {
        let parameters = |kind: &str, target: &str, body: &str| {
            let headers = vec![("content-type".to_owned(), kind.to_owned())];
            Request::parse("POST", target, headers, body.as_bytes().to_vec()).parameters()
        };
        let form = |body: &str| parameters("application/x-www-form-urlencoded", "/", body);
        assert_eq!(form("a=1&b=2"), form("b=2&a=1"));
        assert_ne!(form("a=1&b=2"), form("a=2&b=1"));
        let json = |body: &str| parameters("application/json", "/?x=1", body);
        assert_eq!(json(r#"{"a":1,"b":2}"#), json(r#"{ "b": 2, "a": 1 }"#));
        assert_ne!(json(r#"{"a":1}"#), json(r#"{"a":2}"#));
        assert_ne!(parameters("text/plain", "/", "a"), parameters("text/plain", "/", "b"));
        assert_ne!(json("{}"), parameters("application/json", "/?x=2", "{}"));
    }

    #[test]
    fn a_pointer_leads_into_the_body_or_nowhere() {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        let request = Request::parse("POST", "/", headers, br#"{"data":[{"id":"x"}]}"#.to_vec());
        assert_eq!(request.json_at("/data/0/id"), "x");
        assert!(request.json_at("/data/1/id").is_null() && Request::default().json_at("/data").is_null());
    }

    #[test]
    fn json_that_cannot_be_read_is_none_and_the_bytes_stay() {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        let request = Request::parse("POST", "/", headers, b"{\"a\":".to_vec());
        assert_eq!(request.json, None);
        assert_eq!(request.body, b"{\"a\":");
    }
}
