//! The same call without hapax, as engines' first pages show it: an HTTP request inside a step. Killed between the effect
//! and the engine's journal it is made again, and is a second effect.

use hapax_standin::client::Call;
use restate_sdk::prelude::*;

/// Posts a message at Slack, which takes no key.
pub(crate) struct Bare {
    provider: String,
}

impl Bare {
    pub(crate) fn new(provider: String) -> Self {
        Self { provider }
    }
}

#[restate_sdk::service]
impl Bare {
    /// Posts it, "once".
    #[handler]
    async fn post(&self, ctx: Context<'_>, text: String) -> HandlerResult<String> {
        let url = format!("{}/api/chat.postMessage", self.provider);
        let answer = ctx
            .run(|| async move {
                let call = Call::post(&url).header("authorization", "Bearer xoxb-standin");
                let reply = call.form(&[("channel", "C0123456789"), ("text", &text)]).send().await?;
                Ok(reply.value()["ts"].to_string())
            })
            .name("post")
            .await?;
        Ok(answer)
    }
}
