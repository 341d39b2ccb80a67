use async_trait::async_trait;

use crate::cell::{Charge, Charged, KEY_HEADER};
use crate::client;
use crate::load::Target;

/// A handler of Restate, called as its users call it. What it does stands in `peers/restate`.
pub(super) struct Restate {
    client: reqwest::Client,
    url: String,
}

impl Restate {
    pub(super) fn new(ingress: &str) -> Result<Self, String> {
        Ok(Self { client: client::plain()?, url: format!("{ingress}/Charger/charge") })
    }
}

#[async_trait]
impl Target for Restate {
    async fn call(&self, key: &str) -> Result<(), String> {
        let charge = serde_json::to_string(&Charge::of(key)).map_err(|error| error.to_string())?;
        // The handler takes a text and gives one.
        let body = serde_json::to_vec(&charge).map_err(|error| error.to_string())?;
        let request = self.client.post(&self.url).header(KEY_HEADER, key).header("Content-Type", "application/json");
        #[allow(clippy::disallowed_methods, reason = "a peer's guard, not ours")]
        let answer = request.body(body).send().await.map_err(|error| error.to_string())?;
        let status = answer.status();
        let body = answer.bytes().await.map_err(|error| error.to_string())?;
        let said: String = serde_json::from_slice(&body).map_err(|_| format!("status {status}"))?;
        match serde_json::from_str::<Charged>(&said) {
            Ok(_) if status.is_success() => Ok(()),
            _ => Err(format!("status {status}")),
        }
    }
}
