use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use oauth2::basic::{BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse};
use oauth2::{AuthType, ClientId, ClientSecret, RefreshToken, StandardRevocableToken, TokenResponse, TokenUrl};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

use super::carrier::{Answered, Carrier, address, read, said};
use super::{Client, Grant};
use crate::cell::Wire;
use crate::protocol::{Elapsed, Stamp};
use crate::transport::Request;
use crate::words::Fault;

/// A token is renewed so long before its end that an attempt's deadline fits in between; a short one
/// at half its life.
const MARGIN_MS: u64 = 300_000;

/// How long a token lives if nobody says.
const PRESUMED_LIFE_MS: u64 = 3_600_000;

/// The library's client, which we use for requests alone: this one names what an answer may add.
type Standard = oauth2::Client<
    BasicErrorResponse,
    Answered,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    oauth2::EndpointNotSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointSet,
>;

/// The tokens of all connections of one integration.
#[derive(Default)]
pub struct Tokens {
    held: Mutex<HashMap<[u8; 32], Token>>,
    /// Held while a token is asked for, so that many who need one ask once.
    asking: tokio::sync::Mutex<()>,
}

/// An access token.
#[derive(Clone)]
pub struct Token {
    secret: SecretString,
    taken: Stamp,
    /// How long it lives, in milliseconds from when it was asked for.
    pub life_ms: u64,
    /// What the provider says besides.
    pub extra: Map<String, Value>,
}

impl Tokens {
    /// Sees to it that this grant has a token that lasts.
    ///
    /// # Errors
    /// Why no token came. Nothing that counts was sent.
    pub async fn refresh(&self, wire: &Wire, grant: &Grant) -> Result<(), Fault> {
        let lasts = || self.held().get(&grant.identity()).is_some_and(|token| token.lasts(wire.clock().now()));
        if matches!(grant, Grant::Given(_)) || lasts() {
            return Ok(());
        }
        let _alone = self.asking.lock().await;
        // Somebody else may have asked while this one waited.
        if !lasts() {
            let token = ask(wire, grant).await?;
            self.held().insert(grant.identity(), token);
        }
        Ok(())
    }

    /// Asks for a token, whether there is one or not: for `whoami`, which says what came.
    ///
    /// # Errors
    /// Why no token came.
    pub async fn renew(&self, wire: &Wire, grant: &Grant) -> Result<Token, Fault> {
        let _alone = self.asking.lock().await;
        let token = ask(wire, grant).await?;
        self.held().insert(grant.identity(), token.clone());
        Ok(token)
    }

    /// Puts the token into a request.
    ///
    /// # Errors
    /// [`Fault::NotSent`] without one.
    pub fn authorize(&self, grant: &Grant, request: &mut Request) -> Result<(), Fault> {
        let token = match grant {
            Grant::Given(token) => token.clone(),
            _ => match self.held().get(&grant.identity()) {
                Some(token) => token.secret.clone(),
                None => return Err(Fault::NotSent("there is no access token yet".to_owned())),
            },
        };
        let bearer = SecretString::from(format!("Bearer {}", token.expose_secret()));
        request.secrets.push(("Authorization".to_owned(), bearer));
        Ok(())
    }

    /// The token was not accepted. True: another one can be had.
    pub fn reject(&self, grant: &Grant) -> bool {
        self.held().remove(&grant.identity());
        !matches!(grant, Grant::Given(_))
    }

    fn held(&self) -> MutexGuard<'_, HashMap<[u8; 32], Token>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Token {
    fn of(answer: &Answered, taken: Stamp) -> Self {
        let life_ms = answer.expires_in().map_or(PRESUMED_LIFE_MS, |life| u64::try_from(life.as_millis()).unwrap_or(0));
        let secret = answer.access_token().secret().as_str().into();
        Self { secret, taken, life_ms, extra: answer.extra_fields().fields.clone() }
    }

    /// By the clock that ran furthest, so that neither a sleep nor a step of the wall clock makes an
    /// old token look young.
    fn lasts(&self, now: Stamp) -> bool {
        let left = self.life_ms.saturating_sub(Elapsed::between(self.taken, now).at_most_ms);
        left > MARGIN_MS.min(self.life_ms / 2)
    }
}

async fn ask(wire: &Wire, grant: &Grant) -> Result<Token, Fault> {
    let taken = wire.clock().now();
    let carrier = Carrier(wire);
    let answer = match grant {
        Grant::Given(secret) => {
            return Ok(Token { secret: secret.clone(), taken, life_ms: u64::MAX, extra: Map::new() });
        }
        Grant::RefreshToken { client, refresh_token } => {
            let refresh_token = RefreshToken::new(refresh_token.expose_secret().to_owned());
            let client = standard(client)?;
            client.exchange_refresh_token(&refresh_token).request_async(&carrier).await.map_err(said)?
        }
        Grant::ClientCredentials { client, extra } => {
            let client = standard(client)?;
            let mut request = client.exchange_client_credentials();
            for (name, value) in extra {
                request = request.add_extra_param(*name, value.clone());
            }
            request.request_async(&carrier).await.map_err(said)?
        }
        Grant::ServiceAccount { account, subject, scopes, url } => {
            let assertion = account.assertion(subject, scopes, url, taken.wall_ms / 1000)?;
            let request = Request::post("").form([
                ("grant_type", Some("urn:ietf:params:oauth:grant-type:jwt-bearer".to_owned())),
                ("assertion", Some(assertion)),
            ]);
            read(&wire.ask_elsewhere(&address(url)?, request).await?)?
        }
    };
    Ok(Token::of(&answer, taken))
}

fn standard(client: &Client) -> Result<Standard, Fault> {
    let url = TokenUrl::from_url(address(&client.url)?);
    let how = if client.by_header { AuthType::BasicAuth } else { AuthType::RequestBody };
    let standard = oauth2::Client::new(ClientId::new(client.id.clone())).set_auth_type(how).set_token_uri(url);
    Ok(match &client.secret {
        Some(secret) => standard.set_client_secret(ClientSecret::new(secret.expose_secret().to_owned())),
        None => standard,
    })
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({})", self.held().len())
    }
}
