use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapax_core::transport::{HttpTransport, Request, Transport};
use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

use super::server::Server;
use super::{child, wide};

/// Everything that is logged, at every level and by every library.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("the log").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// A request shows its method, status and size, and nothing of what it or its answer carries, its path included.
#[test]
fn nothing_private_is_logged() {
    let output = child("transport::private::logs_everything").output().expect("a child process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
#[ignore = "run in a child process by the test above, since a process has one log"]
async fn logs_everything() {
    let server = Server::answering(
        b"HTTP/1.1 200 OK\r\nset-cookie: answer-private\r\ncontent-length: 18\r\n\r\n{\"answer-private\"}",
    );
    let log = Log::default();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(log.clone())
        .init();
    let request = || {
        Request::post("/v1/private-chat/charges")
            .query("q", "query-private")
            .secret_header("authorization", "secret-private".to_owned().into())
            .json(json!({ "name": "body-private" }))
    };
    let transport = HttpTransport::new();
    transport.shoot(&server.url(), request(), wide()).await.expect("an answer");
    transport.ask(&server.url(), request(), Duration::from_secs(20)).await.expect("an answer");
    let text = String::from_utf8(log.0.lock().expect("the log").clone()).expect("text");
    assert!(text.contains("method=\"POST\"") && text.contains("status=200") && text.contains("bytes=18"), "{text}");
    assert!(!text.contains("private"), "{text}");
}
