//! Access tokens: asked for when they are needed, kept in memory until shortly before they expire.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hapax_core::cell::{Context, Credentials, Wire};
use hapax_core::clock::{SharedClock, SystemClock};
use hapax_core::protocol::{Elapsed, Stamp};
use hapax_core::transport::{Body, Request};
use hapax_core::words::Fault;
use oauth2::basic::BasicTokenType;
use oauth2::{ExtraTokenFields, StandardTokenResponse, TokenResponse};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::client::{CLIENT_ID, CLIENT_SECRET, GUEST_OFFICE_ID};

/// Where tokens come from, below the base URL.
pub(crate) const TOKEN_PATH: &str = "/v1/security/oauth2/token";

/// What a request without a token says; the asker knows it by these words.
const NONE_YET: &str = "there is no access token yet";

/// What the token endpoint answers, by the field's own types.
pub(crate) type Token = StandardTokenResponse<Extra, BasicTokenType>;

/// What Amadeus adds to the standard answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Extra {
    pub(crate) application_name: Option<String>,
}

impl ExtraTokenFields for Extra {}

/// The tokens of one integration, shared by its cells.
#[derive(Clone)]
pub(crate) struct Tokens(Arc<Shared>);

struct Shared {
    clock: SharedClock,
    /// Whoever asks for a token holds this, so that the answer meets the owner it was asked for.
    turn: tokio::sync::Mutex<()>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    tokens: HashMap<Owner, Fresh>,
    /// For whom the request under way asks.
    asking: Option<Owner>,
}

/// Client id and office: a token acts for both.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Owner(String);

struct Fresh {
    token: SecretString,
    since: Stamp,
    for_ms: u64,
}

/// A token is given up so long before its end, for requests that are on their way at its end.
const MARGIN_MS: u64 = 60_000;

impl Default for Tokens {
    fn default() -> Self {
        Self::by(Arc::new(SystemClock::new()))
    }
}

impl Tokens {
    /// None yet; they age by this clock.
    pub(crate) fn by(clock: SharedClock) -> Self {
        Self(Arc::new(Shared { clock, turn: tokio::sync::Mutex::default(), kept: Mutex::default() }))
    }

    /// Puts the token into a request; into a request for a token, the credentials.
    pub(crate) fn authorize(&self, credentials: &Credentials, request: &mut Request) -> Result<(), Fault> {
        let id = required(credentials, CLIENT_ID.name, CLIENT_ID.variable)?;
        let secret = required(credentials, CLIENT_SECRET.name, CLIENT_SECRET.variable)?;
        let office = credentials.get(GUEST_OFFICE_ID.name).map(ExposeSecret::expose_secret);
        let owner = Owner(format!("{id} {}", office.unwrap_or_default()));
        if request.path == TOKEN_PATH {
            let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
            let mut form = vec![
                pair("grant_type", "client_credentials"),
                pair(CLIENT_ID.name, id),
                pair(CLIENT_SECRET.name, secret),
            ];
            form.extend(office.map(|office| pair(GUEST_OFFICE_ID.name, office)));
            request.body = Body::Form(form);
            self.kept().asking = Some(owner);
            return Ok(());
        }
        let kept = self.kept();
        let fresh = kept.tokens.get(&owner).filter(|fresh| fresh.is_fresh(self.0.clock.now()));
        let fresh = fresh.ok_or_else(|| Fault::NotSent(NONE_YET.to_owned()))?;
        let bearer = SecretString::from(format!("Bearer {}", fresh.token.expose_secret()));
        request.secrets.push(("Authorization".to_owned(), bearer));
        Ok(())
    }

    /// Sees that there is a token for what comes next on this connection.
    pub(crate) async fn refresh(&self, wire: &Wire) -> Result<(), Fault> {
        match self.authorize(&wire.connection().credentials, &mut Request::get("/")) {
            Err(Fault::NotSent(why)) if why == NONE_YET => self.ask(wire).await.map(|_| ()),
            other => other,
        }
    }

    /// Asks for a token, whether there is one or not.
    pub(crate) async fn ask(&self, wire: &Wire) -> Result<Token, Fault> {
        let _turn = self.0.turn.lock().await;
        let since = self.0.clock.now();
        let response = wire.ask(Request::post(TOKEN_PATH)).await?;
        // Neither Amadeus' words nor the parser's are repeated: they may quote the credentials.
        if !response.is_success() {
            return Err(Fault::Status(
                response.status,
                "Amadeus gives no access token for these credentials".to_owned(),
            ));
        }
        let token: Token = serde_json::from_slice(&response.body)
            .map_err(|_| Fault::Unread("the token endpoint answers something else; is base_url right?".to_owned()))?;
        self.keep(&token, since);
        Ok(token)
    }

    /// A read by a cell. Looks are not preceded by a refresh, so the token is asked for here when
    /// there is none or when it isn't accepted any more. Both requests are harmless.
    pub(crate) async fn get<T: DeserializeOwned>(&self, cx: &Context, read: Request) -> Result<Option<T>, Fault> {
        match cx.get(read.clone()).await {
            Err(Fault::NotSent(why)) if why == NONE_YET => {}
            Err(Fault::Status(401, _)) => {}
            other => return other,
        }
        {
            let _turn = self.0.turn.lock().await;
            let since = self.0.clock.now();
            let token: Token = cx.call(Request::post(TOKEN_PATH)).await?;
            self.keep(&token, since);
        }
        cx.get(read).await
    }

    /// A 401 says that a token isn't accepted, and not which: all are asked for anew.
    pub(crate) fn forget(&self) {
        self.kept().tokens.clear();
    }

    fn keep(&self, token: &Token, since: Stamp) {
        let lives_ms = token.expires_in().map_or(0, |lives| u64::try_from(lives.as_millis()).unwrap_or(u64::MAX));
        let for_ms = lives_ms.saturating_sub(MARGIN_MS).max(1_000);
        let mut kept = self.kept();
        if let Some(owner) = kept.asking.take() {
            let token = SecretString::from(token.access_token().secret().as_str());
            kept.tokens.insert(owner, Fresh { token, since, for_ms });
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fresh {
    /// By the clock that ran furthest, so that neither a sleep nor a step of the wall clock makes an
    /// old token look young.
    fn is_fresh(&self, now: Stamp) -> bool {
        Elapsed::between(self.since, now).at_most_ms < self.for_ms
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({})", self.kept().tokens.len())
    }
}

fn required<'a>(credentials: &'a Credentials, name: &str, variable: &str) -> Result<&'a str, Fault> {
    let found = credentials.get(name).map(ExposeSecret::expose_secret);
    found.ok_or_else(|| Fault::NotSent(format!("no Amadeus {name}; set {variable}")))
}
