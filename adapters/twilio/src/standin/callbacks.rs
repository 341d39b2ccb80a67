//! Status callbacks: requests of Twilio's to a URL of the caller's. They are best-effort, so nobody waits for them.

use hapax_standin::client::Call;

/// One of them: where to, and the form that it carries.
#[derive(Clone, Debug)]
pub(super) struct Callback {
    pub(super) url: String,
    pub(super) fields: Vec<(&'static str, String)>,
}

/// Sends them in their order, in a task of its own. Only `http` URLs are called, and nobody hears of those that fail.
pub(super) fn send(callbacks: Vec<Callback>) {
    if callbacks.is_empty() {
        return;
    }
    tokio::spawn(async move {
        for callback in callbacks {
            let fields: Vec<(&str, &str)> =
                callback.fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let _ = Call::post(&callback.url).form(&fields).send().await;
        }
    });
}
