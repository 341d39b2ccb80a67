use std::pin::Pin;

use oauth2::basic::{BasicErrorResponse, BasicTokenType};
use oauth2::{AsyncHttpClient, ExtraTokenFields, HttpRequest, HttpResponse, RequestTokenError, StandardTokenResponse};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use crate::cell::Wire;
use crate::transport::{Body, Request, Response};
use crate::words::Fault;

/// Carries a request of the OAuth library over our own transport, once.
pub(super) struct Carrier<'w>(pub(super) &'w Wire);

impl<'c> AsyncHttpClient<'c> for Carrier<'_> {
    type Error = Fault;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Fault>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let mut form = Request::post("");
            if let Some(basic) = head.headers.get(oauth2::http::header::AUTHORIZATION) {
                let basic = basic.to_str().map_err(|_| unread())?;
                form = form.secret_header("Authorization", SecretString::from(basic));
            }
            form.body = Body::Bytes("application/x-www-form-urlencoded".to_owned(), body);
            let answer = self.0.ask_elsewhere(&address(&head.uri.to_string())?, form).await?;
            let mut response = HttpResponse::new(answer.body);
            *response.status_mut() = oauth2::http::StatusCode::from_u16(answer.status).map_err(|_| unread())?;
            Ok(response)
        })
    }
}

/// A token endpoint's answer, with what the provider adds to the standard.
pub(super) type Answered = StandardTokenResponse<Extra, BasicTokenType>;

/// What a provider adds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Extra {
    #[serde(flatten)]
    pub(super) fields: Map<String, Value>,
}

impl ExtraTokenFields for Extra {}

pub(super) fn address(url: &str) -> Result<Url, Fault> {
    Url::parse(url).map_err(|_| Fault::NotSent("token_url is no URL".to_owned()))
}

pub(super) fn read(response: &Response) -> Result<Answered, Fault> {
    if response.is_success() {
        return serde_json::from_slice(&response.body).map_err(|_| unread());
    }
    match serde_json::from_slice::<BasicErrorResponse>(&response.body) {
        Ok(error) => Err(refused(&error)),
        Err(_) => Err(Fault::Status(response.status, "not from a token endpoint; is token_url right?".to_owned())),
    }
}

pub(super) fn said(error: RequestTokenError<Fault, BasicErrorResponse>) -> Fault {
    match error {
        RequestTokenError::ServerResponse(error) => refused(&error),
        RequestTokenError::Request(fault) => fault,
        // The parser's own words may quote the token.
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => unread(),
    }
}

/// The code alone: the description may quote an address or a secret.
fn refused(error: &BasicErrorResponse) -> Fault {
    Fault::NotSent(format!("the token endpoint refuses: {}", error.error()))
}

fn unread() -> Fault {
    Fault::Unread("the token endpoint's answer".to_owned())
}
