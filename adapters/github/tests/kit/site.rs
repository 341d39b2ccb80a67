//! What others do at the stand-in: requests past every fault.

use hapax_conformance::kit::Site;
use hapax_standin::Reply;
use hapax_standin::client::Call;
use serde_json::{Value, json};

/// The repository in which all is done.
pub(crate) const REPOSITORY: &str = "octocat/hello-world";
/// The need of dispatch_workflow, in the words of its cell.
pub(crate) const SHOWS_THE_MARK: &str = "run-name of the workflow shows the input that carries the mark";

/// Asks as somebody else does.
pub(crate) async fn ask(site: &Site, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
    let call = Call::new(method, &format!("{}/repos/{REPOSITORY}/{path}", site.url));
    let call = call.header("authorization", "Bearer github_pat_site");
    let call = if let Some(body) = body { call.json(body) } else { call };
    let reply = call.send().await.map_err(|error| error.to_string())?;
    let is_good = (200..300).contains(&reply.status);
    if is_good { Ok(reply.value()) } else { Err(format!("{path}: {} {}", reply.status, reply.value())) }
}

/// Makes something by hand.
pub(crate) async fn post(site: &Site, path: &str, body: &Value) -> Result<Value, String> {
    ask(site, "POST", path, Some(body)).await
}

/// Opens a pull request by hand.
pub(crate) async fn pull(site: &Site, head: &str) -> Result<Value, String> {
    post(site, "pulls", &json!({ "title": "By hand", "head": head, "base": "main" })).await
}

/// GitHub's own error of this status.
pub(crate) fn error_reply(status: u16) -> Reply {
    let body = json!({ "message": "the kit says no", "documentation_url": "https://docs.github.com/rest" });
    Reply::json(status, &body)
}
