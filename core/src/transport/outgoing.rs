use http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue};
use http_body_util::Full;
use hyper::body::Bytes;
use secrecy::ExposeSecret;
use url::{Host, Url};

use super::{Method, Request};
use crate::words::Fault;

/// A request as it will stand on the wire, checked before anything is opened.
#[derive(Clone)]
pub(super) struct Outgoing {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Where a connection leads.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) encrypted: bool,
    pub(super) host: Host<String>,
    pub(super) port: u16,
}

impl Place {
    /// The host of an address of another scheme than HTTP's; its protocol encrypts by itself.
    pub(super) fn of(base: &Url, port: u16) -> Result<Self, Fault> {
        let named = base.host_str().ok_or_else(|| Fault::NotSent("the base URL names no host".to_owned()))?;
        // In addresses of other schemes a number is not read as one.
        let host = Host::parse(named).map_err(|_| Fault::NotSent("the base URL's host is none".to_owned()))?;
        Ok(Self { encrypted: false, host, port: base.port().unwrap_or(port) })
    }
}

/// Headers that frame the message or belong to the connection. An adapter that set one could make
/// the server see another request than the one whose bytes we count.
const OURS: [&str; 9] =
    ["host", "content-length", "transfer-encoding", "connection", "keep-alive", "expect", "upgrade", "te", "trailer"];

impl Outgoing {
    /// Puts a request below a base URL. Everything that is wrong with it is [`Fault::NotSent`].
    pub(super) fn new(base: &Url, request: &Request) -> Result<Self, Fault> {
        let url = address(base, request)?;
        let mut headers = HeaderMap::new();
        for (name, value) in &request.headers {
            headers.append(header_name(name)?, header_value(name, value)?);
        }
        for (name, value) in &request.secrets {
            let mut value = header_value(name, value.expose_secret())?;
            value.set_sensitive(true);
            headers.append(header_name(name)?, value);
        }
        let body = frame(request, &mut headers)?;
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json"));
        headers.entry(USER_AGENT).or_insert(HeaderValue::from_static(concat!("hapax/", env!("CARGO_PKG_VERSION"))));
        Ok(Self { method: request.method, url, headers, body })
    }

    /// Where its connection leads.
    pub(super) fn place(&self) -> Result<Place, Fault> {
        match (self.url.host(), self.url.port_or_known_default()) {
            (Some(host), Some(port)) => {
                Ok(Place { encrypted: self.url.scheme() == "https", host: host.to_owned(), port })
            }
            _ => Err(Fault::NotSent("the base URL names no host".to_owned())),
        }
    }

    /// In the form that is written on a connection of our own.
    pub(super) fn on_the_wire(&self) -> Result<http::Request<Full<Bytes>>, Fault> {
        let unfit = |what: &str| Fault::NotSent(format!("the request has {what} that can't be written"));
        let target = &self.url[url::Position::BeforePath..url::Position::AfterQuery];
        let mut request = http::Request::builder()
            .method(self.method.as_str())
            .uri(target)
            .body(Full::new(self.body.clone()))
            .map_err(|_| unfit("a path"))?;
        let host = match (self.url.host_str(), self.url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        request.headers_mut().insert(HOST, HeaderValue::from_str(&host).map_err(|_| unfit("a host"))?);
        for (name, value) in &self.headers {
            request.headers_mut().append(name, value.clone());
        }
        Ok(request)
    }
}

/// The base URL with the request's path and query appended.
fn address(base: &Url, request: &Request) -> Result<Url, Fault> {
    if !base.username().is_empty() || base.password().is_some() {
        return Err(Fault::NotSent(
            "the base URL holds a user name or password; they belong in credentials".to_owned(),
        ));
    }
    // The rules of URLs resolve such segments, so an id with ".." in it would reach another resource.
    if request.path.split(['/', '\\', '?', '#']).any(is_step) {
        return Err(Fault::NotSent("the path has a segment of dots only".to_owned()));
    }
    let mut url = base.clone();
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    url.set_path(&format!("{}/{}", base.path().trim_end_matches('/'), path.trim_start_matches('/')));
    url.set_fragment(None);
    if !query.is_empty() {
        let joined = base.query().map_or(query.to_owned(), |known| format!("{known}&{query}"));
        url.set_query(Some(&joined));
    }
    if !request.query.is_empty() {
        url.query_pairs_mut().extend_pairs(&request.query);
    }
    Ok(url)
}

fn is_step(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

/// The body, with the headers that say what and how long it is.
fn frame(request: &Request, headers: &mut HeaderMap) -> Result<Bytes, Fault> {
    let Some((kind, bytes)) = request.encoded() else {
        // A server may answer 411 to a request that should have a body and doesn't say how long.
        if matches!(request.method, Method::Post | Method::Put | Method::Patch) {
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        return Ok(Bytes::new());
    };
    if !headers.contains_key(CONTENT_TYPE) {
        headers.insert(CONTENT_TYPE, header_value("content-type", &kind)?);
    }
    headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    Ok(Bytes::from(bytes))
}

fn header_name(name: &str) -> Result<HeaderName, Fault> {
    match HeaderName::from_bytes(name.as_bytes()) {
        Ok(known) if OURS.contains(&known.as_str()) => {
            Err(Fault::NotSent(format!("the header {known} is the transport's to set")))
        }
        Ok(known) => Ok(known),
        Err(_) => Err(Fault::NotSent("a header's name can't be written".to_owned())),
    }
}

/// The value itself is left out of the error: it may be a secret.
fn header_value(name: &str, value: &str) -> Result<HeaderValue, Fault> {
    HeaderValue::from_str(value).map_err(|_| Fault::NotSent(format!("the value of header {name} can't be written")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(base: &str, request: Request) -> Result<String, Fault> {
        let base = Url::parse(base).expect("a base URL");
        Outgoing::new(&base, &request).map(|outgoing| outgoing.url.to_string())
    }

    #[test]
    fn the_path_goes_below_the_base_and_the_query_is_encoded() {
        let read = Request::get("/v1/charges").query("q", "a b&c");
        assert_eq!(
            at("https://api.example/prefix/", read.clone()),
            Ok("https://api.example/prefix/v1/charges?q=a+b%26c".into())
        );
        assert_eq!(at("https://api.example?v=2", read), Ok("https://api.example/v1/charges?v=2&q=a+b%26c".into()));
        let next = Request::get("/v1/list?after=x").query("limit", "2");
        assert_eq!(at("https://api.example", next), Ok("https://api.example/v1/list?after=x&limit=2".into()));
        assert_eq!(
            at("https://api.example", Request::get("//evil.example/x")),
            Ok("https://api.example/evil.example/x".into())
        );
    }

    #[test]
    fn what_would_reach_another_resource_is_not_sent() {
        for path in ["/v1/../refunds", "/v1/%2E%2e/refunds", "/v1/.", "/v1\\..\\refunds"] {
            assert!(matches!(at("https://api.example", Request::get(path)), Err(Fault::NotSent(_))), "{path}");
        }
        assert!(matches!(at("https://me:secret@api.example", Request::get("/")), Err(Fault::NotSent(_))));
    }

    #[test]
    fn framing_belongs_to_the_transport_and_no_value_is_shown() {
        let base = Url::parse("https://api.example").expect("a base URL");
        for name in ["Transfer-Encoding", "content-length", "Expect", "Host", "Connection"] {
            assert!(Outgoing::new(&base, &Request::post("/").header(name, "x")).is_err(), "{name}");
        }
        let broken = Request::post("/").secret_header("authorization", "sk_secret\r\nx: y".to_owned().into());
        let Err(Fault::NotSent(why)) = Outgoing::new(&base, &broken) else { panic!("a line break was let through") };
        assert!(!why.contains("sk_secret"), "{why}");
    }

    #[test]
    fn secrets_are_marked_and_lengths_are_said() {
        let base = Url::parse("https://api.example").expect("a base URL");
        let create = Request::post("/").secret_header("authorization", "sk_secret".to_owned().into());
        let outgoing = Outgoing::new(&base, &create).expect("a request");
        assert!(outgoing.headers["authorization"].is_sensitive());
        assert_eq!(outgoing.headers["content-length"], "0");
        assert!(Outgoing::new(&base, &Request::get("/")).expect("a read").headers.get("content-length").is_none());
    }
}
