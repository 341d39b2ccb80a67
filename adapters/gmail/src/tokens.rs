//! Access tokens: got before they are needed, kept until shortly before their end, never shown.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hapax_core::cell::Credentials;
use hapax_core::clock::SharedClock;
use hapax_core::protocol::{Elapsed, Stamp};
use hapax_core::transport::{Body, Request, Response, SharedTransport};
use hapax_core::words::Fault;
use oauth2::basic::{BasicClient, BasicErrorResponse, BasicTokenResponse};
use oauth2::{
    AsyncHttpClient, AuthType, ClientId, ClientSecret, HttpRequest, HttpResponse, RefreshToken, RequestTokenError,
    TokenResponse, TokenUrl,
};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use crate::grant::Grant;

/// Real time that a token request may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A token is renewed so long before its end that an attempt's deadline fits in between; a short one
/// at half its life.
const MARGIN_MS: u64 = 300_000;

/// How long a token lives if nobody says.
const PRESUMED_LIFE_MS: u64 = 3_600_000;

/// The tokens of all connections of one integration.
pub(crate) struct Tokens {
    transport: SharedTransport,
    clock: SharedClock,
    held: Mutex<HashMap<[u8; 32], Held>>,
    /// Held while a token is asked for, so that many who need one ask once.
    asking: tokio::sync::Mutex<()>,
}

struct Held {
    grant: Grant,
    token: Option<Token>,
}

#[derive(Clone)]
struct Token {
    secret: SecretString,
    taken: Stamp,
    life_ms: u64,
}

impl Tokens {
    pub(crate) fn new(transport: SharedTransport, clock: SharedClock) -> Self {
        Self { transport, clock, held: Mutex::default(), asking: tokio::sync::Mutex::default() }
    }

    /// The token for these credentials. Without one it is noted as wanted, for [`Tokens::renew`].
    ///
    /// # Errors
    /// [`Fault::NotSent`].
    pub(crate) fn bearer(&self, credentials: &Credentials) -> Result<SecretString, Fault> {
        let grant = Grant::of(credentials)?;
        if let Grant::Given(token) = grant {
            return Ok(token);
        }
        let mut held = self.held();
        let known = held.entry(grant.identity()).or_insert(Held { grant, token: None });
        match &known.token {
            Some(token) if self.left_ms(token) > 0 => Ok(token.secret.clone()),
            _ => Err(Fault::NotSent("there is no access token yet".to_owned())),
        }
    }

    /// Sees to it that these credentials have a token that lasts.
    ///
    /// # Errors
    /// [`Fault::NotSent`] names what is missing; otherwise why no token came.
    pub(crate) async fn refresh(&self, credentials: &Credentials) -> Result<(), Fault> {
        let grant = Grant::of(credentials)?;
        if matches!(grant, Grant::Given(_)) {
            return Ok(());
        }
        let identity = grant.identity();
        self.held().entry(identity).or_insert(Held { grant, token: None });
        self.renew_where(|known| *known == identity).await.map(|_| ())
    }

    /// Gets a token for whoever lacks one that lasts. False: nobody did, or nobody can.
    ///
    /// # Errors
    /// Why no token came.
    pub(crate) async fn renew(&self) -> Result<bool, Fault> {
        self.renew_where(|_| true).await
    }

    async fn renew_where(&self, concerned: impl Fn(&[u8; 32]) -> bool) -> Result<bool, Fault> {
        let _alone = self.asking.lock().await;
        let lasts = |token: &Token| self.left_ms(token) > MARGIN_MS.min(token.life_ms / 2);
        let wanting: Vec<([u8; 32], Grant)> = self
            .held()
            .iter()
            .filter(|(identity, held)| concerned(identity) && !held.token.as_ref().is_some_and(lasts))
            .map(|(identity, held)| (*identity, held.grant.clone()))
            .collect();
        let (mut renewed, mut failed) = (false, None);
        for (identity, grant) in wanting {
            match self.ask(&grant).await {
                Ok(token) => {
                    renewed = true;
                    if let Some(held) = self.held().get_mut(&identity) {
                        held.token = Some(token);
                    }
                }
                // Another connection's trouble is not this one's.
                Err(fault) => failed = Some(fault),
            }
        }
        match failed {
            Some(fault) if !renewed => Err(fault),
            _ => Ok(renewed),
        }
    }

    /// A token was not accepted. Which one isn't told, so all are taken for stale.
    pub(crate) fn reject(&self) {
        for held in self.held().values_mut() {
            held.token = None;
        }
    }

    async fn ask(&self, grant: &Grant) -> Result<Token, Fault> {
        let taken = self.clock.now();
        let answer = match grant {
            Grant::Given(secret) => {
                return Ok(Token { secret: secret.clone(), taken, life_ms: u64::MAX });
            }
            Grant::Refresh { client_id, client_secret, refresh_token, url } => {
                let url = TokenUrl::new(url.clone()).map_err(|_| no_url())?;
                let mut client = BasicClient::new(ClientId::new(client_id.clone()))
                    .set_auth_type(AuthType::RequestBody)
                    .set_token_uri(url);
                if let Some(secret) = client_secret {
                    client = client.set_client_secret(ClientSecret::new(secret.expose_secret().to_owned()));
                }
                let refresh_token = RefreshToken::new(refresh_token.expose_secret().to_owned());
                let carrier = Carrier(self.transport.clone());
                client.exchange_refresh_token(&refresh_token).request_async(&carrier).await.map_err(said)?
            }
            Grant::Delegated { account, subject, scopes, url } => {
                let assertion = account.assertion(subject, scopes, url, taken.wall_ms / 1000)?;
                let request = Request::post("").form([
                    ("grant_type", Some("urn:ietf:params:oauth:grant-type:jwt-bearer".to_owned())),
                    ("assertion", Some(assertion)),
                ]);
                read(&post(&self.transport, url, request).await?)?
            }
        };
        let life_ms = answer.expires_in().map_or(PRESUMED_LIFE_MS, |life| u64::try_from(life.as_millis()).unwrap_or(0));
        Ok(Token { secret: answer.access_token().secret().clone().into(), taken, life_ms })
    }

    /// Milliseconds until a token's end, by the clock that ran furthest.
    fn left_ms(&self, token: &Token) -> u64 {
        token.life_ms.saturating_sub(Elapsed::between(token.taken, self.clock.now()).at_most_ms)
    }

    fn held(&self) -> MutexGuard<'_, HashMap<[u8; 32], Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Carries a request of the OAuth library over our own transport, once.
struct Carrier(SharedTransport);

impl<'c> AsyncHttpClient<'c> for Carrier {
    type Error = Fault;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Fault>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let mut form = Request::post("");
            form.body = Body::Bytes("application/x-www-form-urlencoded".to_owned(), body);
            let answer = post(&self.0, &head.uri.to_string(), form).await?;
            let mut response = HttpResponse::new(answer.body);
            *response.status_mut() = oauth2::http::StatusCode::from_u16(answer.status).map_err(|_| unread())?;
            Ok(response)
        })
    }
}

async fn post(transport: &SharedTransport, url: &str, mut request: Request) -> Result<Response, Fault> {
    let mut base = Url::parse(url).map_err(|_| no_url())?;
    base.path().clone_into(&mut request.path);
    base.set_path("/");
    transport.ask(&base, request, PATIENCE).await
}

fn no_url() -> Fault {
    Fault::NotSent("token_url is no URL".to_owned())
}

fn read(response: &Response) -> Result<BasicTokenResponse, Fault> {
    if response.is_success() {
        return serde_json::from_slice(&response.body).map_err(|_| unread());
    }
    match serde_json::from_slice::<BasicErrorResponse>(&response.body) {
        Ok(error) => Err(refused(&error)),
        Err(_) => Err(Fault::Status(response.status, "not from a token endpoint; is token_url right?".to_owned())),
    }
}

fn said(error: RequestTokenError<Fault, BasicErrorResponse>) -> Fault {
    match error {
        RequestTokenError::ServerResponse(error) => refused(&error),
        RequestTokenError::Request(fault) => fault,
        // The parser's own words may quote the token.
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => unread(),
    }
}

/// The code alone: the description may quote an address.
fn refused(error: &BasicErrorResponse) -> Fault {
    Fault::NotSent(format!("the token endpoint refuses: {}", error.error()))
}

fn unread() -> Fault {
    Fault::Unread("the token endpoint's answer".to_owned())
}

/// The tokens that an integration and its cells share.
pub(crate) type SharedTokens = Arc<Tokens>;

#[cfg(test)]
mod tests;
