//! A real Restate server, with empty state, in a folder that goes with it.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use hapax_standin::Reply;
use hapax_standin::client::Call;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::within_a_minute;

/// A server at work. Its script kills it when the pipe to it closes: when this is dropped, and when this process dies.
pub(crate) struct Restate {
    admin: String,
    ingress: String,
    _script: Child,
    _folder: TempDir,
}

/// Whether there is a server that can be started here; if not, says what is left out.
pub(crate) fn is_there(test: &str) -> bool {
    let can = |script: &PathBuf| {
        let status = std::process::Command::new(script).arg("--can").stdin(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let there = script().is_some_and(|script| can(&script));
    if !there {
        use std::io::Write;
        // Past the test harness, which would keep it to the end.
        let line = format!("left out: {test}: no Restate server can be started here (tests/third-party/restate.sh)\n");
        std::io::stderr().lock().write_all(line.as_bytes()).expect("somebody listens");
    }
    there
}

/// Where `tests/third-party/install.sh` has put it.
fn script() -> Option<PathBuf> {
    let named = std::env::var_os("HAPAX_THIRD_PARTY").map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let script = named.unwrap_or_else(|| root.join(".third-party")).join("restate.sh");
    script.exists().then_some(script)
}

impl Restate {
    /// Starts one and waits until it serves.
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut script = Command::new(script().expect("it was asked for before"));
        script.arg(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut script = script.spawn().expect("it starts");
        let mut lines = BufReader::new(script.stdout.take().expect("a pipe")).lines();
        let (mut admin, mut ingress, mut has_partition) = (None, None, false);
        let listens = async {
            while !(has_partition && admin.is_some() && ingress.is_some()) {
                let line = lines.next_line().await.expect("a log").expect("the server ended before it was ready");
                let said: Value = serde_json::from_str(&line).unwrap_or_default();
                let at = format!("http://127.0.0.1:{}", said["span"]["server.port"]);
                match said["span"]["server_name"].as_str() {
                    Some("admin-api-server") => admin = Some(at),
                    Some("http-ingress-server") => ingress = Some(at),
                    _ => {}
                }
                let message = said["fields"]["message"].as_str().unwrap_or_default();
                has_partition |= message.starts_with("Partition 0 started");
            }
        };
        within_a_minute("the server serves", listens).await;
        // Somebody must go on reading, or the server would block on a full pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let (admin, ingress) = (admin.expect("said"), ingress.expect("said"));
        Self { admin, ingress, _script: script, _folder: folder }
    }

    /// Tells it of a worker.
    pub(crate) async fn register(&self, worker: &str) {
        let call = Call::post(&format!("{}/deployments", self.admin)).json(&json!({ "uri": worker }));
        let reply = within_a_minute("the worker is registered", call.send()).await.expect("an answer");
        assert_eq!(reply.status, 201, "{}", reply.value());
    }

    /// Calls a handler and waits for its end.
    pub(crate) async fn call(&self, handler: &str, body: &Value) -> Reply {
        let call = Call::post(&format!("{}/{handler}", self.ingress)).json(body);
        within_a_minute("the invocation ends", call.send()).await.expect("an answer")
    }

    /// Rings an awakeable.
    pub(crate) async fn ring(&self, bell: &Value, with: Option<&Value>) {
        let bell = bell.as_str().expect("a bell has a name");
        let call = Call::post(&format!("{}/restate/awakeables/{bell}/resolve", self.ingress));
        let call = if let Some(body) = with { call.json(body) } else { call };
        let reply = within_a_minute("the bell rings", call.send()).await.expect("an answer");
        assert!(reply.status < 300, "{} {}", reply.status, reply.value());
    }

    /// The status of the only invocation that isn't over, by the server's own tables.
    pub(crate) async fn status(&self) -> String {
        let query = json!({ "query": "SELECT status FROM sys_invocation WHERE status != 'completed'" });
        let call = Call::post(&format!("{}/query", self.admin)).header("accept", "application/json").json(&query);
        let reply = within_a_minute("the server answers", call.send()).await.expect("an answer");
        reply.value()["rows"][0]["status"].as_str().unwrap_or_default().to_owned()
    }
}
