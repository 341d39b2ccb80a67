use super::talker::{Talker, ourselves};
use crate::client;
use crate::provider::{COUNTS, Counts, Listening, TAKES};

/// The provider at work, in a process of its own.
pub(crate) struct Provider {
    pub(crate) url: String,
    client: reqwest::Client,
    _process: Talker,
}

impl Provider {
    pub(crate) async fn start() -> Result<Self, String> {
        let mut process = Talker::start("provider", ourselves(["provider"])?)?;
        let Listening { url } = process.hear().await?;
        let client = client::plain()?;
        Ok(Self { url, client, _process: process })
    }

    pub(crate) async fn counts(&self) -> Result<Counts, String> {
        self.get(COUNTS).await
    }

    /// How long it takes for an answer from now on.
    pub(crate) async fn takes(&self, ms: u64) -> Result<Counts, String> {
        self.get(&format!("{TAKES}{ms}")).await
    }

    async fn get(&self, path: &str) -> Result<Counts, String> {
        #[allow(clippy::disallowed_methods, reason = "the bench's own provider is asked what it counted; no effect")]
        let answer = self.client.get(format!("{}{path}", self.url)).send().await;
        let broken = |error: reqwest::Error| format!("the provider: {error}");
        let body = answer.map_err(broken)?.bytes().await.map_err(broken)?;
        serde_json::from_slice(&body).map_err(|error| format!("the provider: {error}"))
    }
}
