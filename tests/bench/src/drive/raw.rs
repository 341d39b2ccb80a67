use async_trait::async_trait;

use crate::cell::{Charge, Charged, KEY_HEADER, PATH};
use crate::client;
use crate::load::Target;

/// The unguarded call: what everybody writes, with the usual client.
pub(super) struct Raw {
    client: reqwest::Client,
    url: String,
}

impl Raw {
    pub(super) fn new(provider: &str) -> Result<Self, String> {
        let client = client::plain()?;
        Ok(Self { client, url: format!("{provider}{PATH}") })
    }
}

#[async_trait]
impl Target for Raw {
    async fn call(&self, key: &str) -> Result<(), String> {
        let body = serde_json::to_vec(&Charge::of(key)).map_err(|error| error.to_string())?;
        let request = self.client.post(&self.url).header(KEY_HEADER, key).header("Content-Type", "application/json");
        #[allow(clippy::disallowed_methods, reason = "the base of comparison is the call without us")]
        let answer = request.body(body).send().await.map_err(|error| error.to_string())?;
        let status = answer.status();
        let body = answer.bytes().await.map_err(|error| error.to_string())?;
        match serde_json::from_slice::<Charged>(&body) {
            Ok(_) if status.is_success() => Ok(()),
            _ => Err(format!("status {status}")),
        }
    }
}
