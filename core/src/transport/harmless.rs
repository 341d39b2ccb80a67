use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

use super::outgoing::Outgoing;
use super::tls::{self, Tls};
use super::{Response, answer};
use crate::words::Fault;

/// Sends requests that may be sent twice. Through `reqwest`, with everything off that it does
/// without being asked.
#[derive(Default)]
pub(super) struct Harmless {
    client: OnceLock<Result<reqwest::Client, Fault>>,
}

impl Harmless {
    const CONNECT_WITHIN: Duration = Duration::from_secs(10);
    const IDLE_WITHIN: Duration = Duration::from_secs(15);

    pub(super) async fn ask(&self, outgoing: Outgoing, within: Duration, tls: &Tls) -> Result<Response, Fault> {
        if outgoing.url.scheme() == "https" {
            // Says why, where the client could only refuse.
            tls.config()?;
        }
        let client = self.client.get_or_init(|| client(tls)).as_ref().map_err(Clone::clone)?;
        let method = reqwest::Method::from_bytes(outgoing.method.as_str().as_bytes())
            .map_err(|_| Fault::NotSent("a method that can't be written".to_owned()))?;
        let mut request = reqwest::Request::new(method, outgoing.url);
        *request.headers_mut() = outgoing.headers;
        *request.timeout_mut() = Some(within);
        if !outgoing.body.is_empty() {
            *request.body_mut() = Some(outgoing.body.into());
        }
        // The wrapper that `clippy.toml` sends everybody else to.
        #[allow(clippy::disallowed_methods)]
        let mut response = client.execute(request).await.map_err(fault)?;
        let status = response.status().as_u16();
        let headers = answer::headers(response.headers());
        let mut body = Vec::new();
        while let Some(data) = response.chunk().await.map_err(|error| answer::after(status, unread(error)))? {
            answer::append(&mut body, &data, status)?;
        }
        Ok(Response { status, headers, body })
    }
}

fn client(tls: &Tls) -> Result<reqwest::Client, Fault> {
    let config = match tls.config() {
        Ok(config) => rustls::ClientConfig::clone(&config),
        Err(_) => tls::refusing()?,
    };
    reqwest::Client::builder()
        .tls_backend_preconfigured(config)
        .http1_only()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(Harmless::CONNECT_WITHIN)
        .pool_idle_timeout(Harmless::IDLE_WITHIN)
        .build()
        .map_err(|error| Fault::NotSent(answer::reasons(&error)))
}

/// What a failed request says. The URL is left out, since its query may hold personal data.
fn fault(error: reqwest::Error) -> Fault {
    let error = error.without_url();
    let why = answer::reasons(&error);
    match (error.is_connect() || error.is_builder(), parser(&error)) {
        (true, _) => Fault::NotSent(why),
        (false, true) => Fault::Unread(why),
        (false, false) => Fault::Lost(why),
    }
}

fn unread(error: reqwest::Error) -> Fault {
    Fault::Unread(answer::reasons(&error.without_url()))
}

/// Whether it was the reading of the answer that failed.
fn parser(error: &reqwest::Error) -> bool {
    let mut under = error.source();
    while let Some(source) = under {
        if source.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse) {
            return true;
        }
        under = source.source();
    }
    false
}
