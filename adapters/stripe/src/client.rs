//! Address, authentication, and where Stripe puts its errors.

use async_trait::async_trait;
use hapax_core::capability::{Code, Row};
use hapax_core::cell::{Connection, Context, CredentialField, Integration, SharedCell, Wire, erase};
use hapax_core::transport::{Request, Response};
use hapax_core::words::{Fault, Refusal};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::{CancelPaymentCell, CaptureCell, ChargeCell, RefundCell, SendInvoiceCell};
use crate::{CancelSubscriptionCell, CreateSubscriptionCell, TransferCell};

/// Stripe, API v1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stripe;

/// The version whose shapes were read: the one that stripe-node 22.5.0 pins
/// (<https://github.com/stripe/stripe-node/blob/v22.5.0/src/apiVersion.ts>).
pub(crate) const VERSION: &str = "2026-07-29.dahlia";

const API_KEY: CredentialField = CredentialField {
    name: "api_key",
    variable: "STRIPE_API_KEY",
    optional: false,
    what: "secret or restricted key, sk_... or rk_...",
};

const STRIPE_ACCOUNT: CredentialField = CredentialField {
    name: "stripe_account",
    variable: "STRIPE_ACCOUNT",
    optional: true,
    what: "connected account to act for, acct_...",
};

/// A POST with its key. Every POST here has one: without it the SDK's or Stripe's own would be
/// useless to a retry.
pub(crate) fn post(path: impl Into<String>, key: String) -> Request {
    Request::post(path).header("Idempotency-Key", key)
}

/// Takes a harmless step that makes something. A stored failure burns its key, so another one is
/// tried once; what the first may have made all the same is never used.
pub(crate) async fn step_with_two_keys<T: DeserializeOwned>(
    cx: &Context,
    rows: &[Row],
    steps: [&str; 2],
    request: impl Fn(&str) -> Result<Request, Fault>,
) -> Result<Result<T, Refusal>, Fault> {
    match cx.step(rows, request(steps[0])?).await {
        Err(Fault::Status(500.., _)) => cx.step(rows, request(steps[1])?).await,
        // Among them a key that was used with other parameters: a second ledger used this operation
        // key for something else. Another key would hide that.
        other => other,
    }
}

#[async_trait]
impl Integration for Stripe {
    fn name(&self) -> &'static str {
        "stripe"
    }

    fn base_url(&self) -> &'static str {
        "https://api.stripe.com"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[API_KEY, STRIPE_ACCOUNT]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let key = connection
            .credentials
            .get(API_KEY.name)
            .ok_or_else(|| Fault::NotSent(format!("no Stripe API key; set {}", API_KEY.variable)))?;
        let bearer = SecretString::from(format!("Bearer {}", key.expose_secret()));
        request.secrets.push(("Authorization".to_owned(), bearer));
        request.headers.push(("Stripe-Version".to_owned(), VERSION.to_owned()));
        if let Some(account) = connection.credentials.get(STRIPE_ACCOUNT.name) {
            request.secrets.push(("Stripe-Account".to_owned(), account.clone()));
        }
        Ok(())
    }

    fn code(&self, response: &Response) -> Option<Code> {
        let error = serde_json::from_slice::<Envelope>(&response.body).ok()?.error;
        let message = if response.status == 401 {
            // Stripe quotes a part of the key here, and an emulator may quote all of it.
            "Stripe doesn't accept the API key".to_owned()
        } else {
            error.words()
        };
        Some(Code::new(error.kind, error.code.unwrap_or_default(), &message))
    }

    fn is_absent(&self, response: &Response) -> bool {
        response.status == 404 && self.code(response).is_some_and(|code| code.code == "resource_missing")
    }

    fn scope(&self, connection: &Connection) -> String {
        let exposed = |name| connection.credentials.get(name).map(SecretString::expose_secret);
        let mode = exposed(API_KEY.name).map_or("unknown", mode);
        format!("mode={mode} stripe_account={}", exposed(STRIPE_ACCOUNT.name).unwrap_or("own"))
    }

    /// What every endpoint allows, in test mode as in live mode
    /// (<https://docs.stripe.com/rate-limits>).
    fn requests_per_second(&self) -> Option<u32> {
        Some(25)
    }

    async fn whoami(&self, wire: &Wire) -> Result<String, Fault> {
        let key = wire.connection().credentials.get(API_KEY.name).map(SecretString::expose_secret);
        let mode = key.map_or("unknown", mode);
        match wire.call::<Account>(Request::get("/v1/account")).await {
            Ok(account) => Ok(format!("Stripe account {}, {mode} mode", account.id)),
            // Restricted keys may not read the account, and emulators don't have one.
            Err(Fault::Status(status @ (403 | 404), _)) => {
                let _: IgnoredAny = wire.call(Request::get("/v1/payment_intents").query("limit", "1")).await?;
                Ok(format!("Stripe, {mode} mode; the account can't be read here (status {status})"))
            }
            Err(fault) => Err(fault),
        }
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![
            erase(ChargeCell),
            erase(RefundCell),
            erase(CaptureCell),
            erase(CancelPaymentCell),
            erase(TransferCell),
            erase(CreateSubscriptionCell),
            erase(CancelSubscriptionCell),
            erase(SendInvoiceCell),
        ]
    }
}

/// Test and live keys tell themselves apart; a sandbox has test keys.
fn mode(key: &str) -> &'static str {
    match key.get(..8) {
        Some("sk_test_" | "rk_test_") => "test",
        Some("sk_live_" | "rk_live_") => "live",
        _ => "unknown",
    }
}

#[derive(Deserialize)]
struct Account {
    id: String,
}

#[derive(Deserialize)]
struct Envelope {
    error: StripeError,
}

#[derive(Deserialize)]
struct StripeError {
    #[serde(rename = "type")]
    kind: String,
    code: Option<String>,
    decline_code: Option<String>,
    message: Option<String>,
}

impl StripeError {
    /// Stripe's words, with the issuer's reason.
    fn words(&self) -> String {
        let mut words = self.message.clone().unwrap_or_default();
        if let Some(reason) = &self.decline_code {
            words.push_str(&format!(" (decline code {reason})"));
        }
        words
    }
}

#[cfg(test)]
mod tests;
