use crate::client::Call;
use crate::framing::Wire;
use crate::reply::Reply;
use crate::server::Server;
use crate::testing::{make, maker};
use crate::{Fault, FaultProxy, Rewrite, When};
use serde_json::json;
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;

async fn both() -> (Server, FaultProxy) {
    let (server, _) = maker().await;
    let proxy = FaultProxy::start(&server.url()).await.expect("a free port");
    (server, proxy)
}

/// A client that keeps its connection, as an HTTP library's pool does.
struct Kept(Wire);

impl Kept {
    async fn to(proxy: &FaultProxy) -> Self {
        let stream = TcpStream::connect(proxy.address()).await.expect("the proxy listens");
        Self(Wire::new(stream, Arc::default()))
    }

    async fn post(&mut self) -> io::Result<u16> {
        self.0.write(b"POST /things HTTP/1.1\r\nHost: example.test\r\nContent-Length: 0\r\n\r\n").await?;
        let head = self.0.head().await?.ok_or(io::ErrorKind::UnexpectedEof)?;
        self.0.body(head.reply_framing("POST")).await?;
        Ok(head.status())
    }
}

#[tokio::test]
async fn without_faults_everything_passes_and_is_counted() {
    let (server, proxy) = both().await;
    let mut client = Kept::to(&proxy).await;
    assert_eq!(client.post().await.expect("a reply"), 200);
    assert_eq!(client.post().await.expect("a reply"), 200);
    make(&proxy.url()).await.expect("a reply");
    assert_eq!(server.effects().count("make"), 3);
    assert_eq!((proxy.count("POST", "/thi*"), proxy.count("GET", "*"), proxy.connections()), (3, 0, 2));
    let seen = proxy.seen();
    assert_eq!(seen[0].header("host"), Some("example.test"));
    assert!(seen.iter().all(|seen| seen.whole && seen.forwarded && seen.status == Some(200)));
    assert!(proxy.bytes_received() > 0);
}

#[tokio::test]
async fn the_host_header_is_passed_on_unchanged() {
    let (_server, proxy) = both().await;
    let mut client = Kept::to(&proxy).await;
    client.0.write(b"GET /a HTTP/1.1\r\nHost: example.test\r\n\r\n").await.expect("it is sent");
    let head = client.0.head().await.expect("a reply").expect("a reply");
    let body = client.0.body(head.reply_framing("GET")).await.expect("a body");
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&body).expect("json")["host"], "example.test");
}

/// Each fault that ends in a cut: whether the effect happened, and whether the whole request went on.
#[tokio::test]
async fn cuts() {
    async fn check(fault: Fault, effects: usize, forwarded: bool) {
        let (server, proxy) = both().await;
        let handle = proxy.inject(When::on("POST", "/things"), fault.clone());
        let answer = make(&proxy.url()).await;
        assert!(answer.is_err(), "{fault:?}: {answer:?}");
        assert_eq!(handle.times_reached(), 1, "{fault:?}");
        assert_eq!(server.effects().count("make"), effects, "{fault:?}");
        let seen = proxy.seen();
        assert_eq!((seen[0].forwarded, seen[0].fault), (forwarded, Some(fault.name())), "{fault:?}");
        // The next one passes, and nothing was sent a second time.
        make(&proxy.url()).await.expect("a reply");
        assert_eq!(server.effects().count("make"), effects + 1, "{fault:?}");
    }
    check(Fault::CutBeforeSend, 0, false).await;
    check(Fault::CutAfterHeaders, 0, false).await;
    check(Fault::CutMidBody, 0, false).await;
    check(Fault::LoseRequest, 0, false).await;
    check(Fault::CutAfterCommit, 1, true).await;
    check(Fault::TruncateReply { body_bytes: 3 }, 1, true).await;
}

#[tokio::test]
async fn a_request_without_a_body_is_cut_before_it_is_whole() {
    for fault in [Fault::CutAfterHeaders, Fault::CutMidBody] {
        let (server, proxy) = both().await;
        proxy.inject(When::next(), fault);
        assert!(Kept::to(&proxy).await.post().await.is_err());
        make(&server.url()).await.expect("a reply");
        assert_eq!(server.effects().count("make"), 1);
    }
}

#[tokio::test]
async fn the_second_request_on_a_kept_connection() {
    let (server, proxy) = both().await;
    proxy.inject(When::on("POST", "/things").nth(2), Fault::CutAfterCommit);
    let mut client = Kept::to(&proxy).await;
    assert_eq!(client.post().await.expect("a reply"), 200);
    assert!(client.post().await.is_err());
    assert_eq!(server.effects().count("make"), 2);
}

#[tokio::test]
async fn a_refused_connection_is_refused_and_later_is_not() {
    let (server, proxy) = both().await;
    let mut open = Kept::to(&proxy).await;
    open.post().await.expect("a reply");
    let shut = proxy.inject(When::next(), Fault::RefuseConnection);
    shut.reached().await;
    let bytes = proxy.bytes_received();
    let refused = make(&proxy.url()).await.expect_err("nobody listens");
    assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
    assert!(open.post().await.is_err());
    assert_eq!((proxy.bytes_received(), server.effects().count("make")), (bytes, 1));
    shut.release();
    shut.finished().await;
    make(&proxy.url()).await.expect("a reply");
}

#[tokio::test]
async fn an_order_that_is_given_before_the_proxy_runs_is_followed() {
    let (_server, proxy) = both().await;
    proxy.inject(When::next(), Fault::RefuseConnection).reached().await;
    assert!(make(&proxy.url()).await.is_err());
}

#[tokio::test]
async fn a_connection_is_cut_when_it_is_made() {
    let (_server, proxy) = both().await;
    let cut = proxy.inject(When::next().nth(2), Fault::CutOnConnect);
    make(&proxy.url()).await.expect("the first connection passes");
    let bytes = proxy.bytes_received();
    assert!(make(&proxy.url()).await.is_err());
    assert_eq!((cut.times_reached(), proxy.bytes_received()), (1, bytes));
    make(&proxy.url()).await.expect("the third connection passes");
}

#[tokio::test]
async fn a_held_reply_comes_after_the_effect_and_after_release() {
    let (server, proxy) = both().await;
    let held = proxy.inject(When::next(), Fault::DelayReply);
    let url = proxy.url();
    let caller = tokio::spawn(async move { make(&url).await });
    held.reached().await;
    assert_eq!(server.effects().count("make"), 1);
    // A whole exchange of somebody else's is time enough for a reply that is not held.
    make(&proxy.url()).await.expect("a reply");
    assert!(!caller.is_finished());
    held.release();
    assert_eq!(caller.await.expect("no panic").expect("a reply").status, 200);
}

#[tokio::test]
async fn a_held_request_acts_late_though_the_caller_has_left() {
    let (server, proxy) = both().await;
    let held = proxy.inject(When::next(), Fault::DelayRequest);
    let url = proxy.url();
    let caller = tokio::spawn(async move { make(&url).await });
    held.reached().await;
    caller.abort();
    assert_eq!(server.effects().count("make"), 0);
    held.release();
    held.finished().await;
    assert_eq!(server.effects().count("make"), 1);
}

#[tokio::test]
async fn a_black_hole_answers_nothing_and_forwards_nothing() {
    let (server, proxy) = both().await;
    let hole = proxy.inject(When::next(), Fault::BlackHole);
    let url = proxy.url();
    let caller = tokio::spawn(async move { make(&url).await });
    hole.reached().await;
    make(&proxy.url()).await.expect("a reply");
    assert!(!caller.is_finished());
    hole.release();
    assert!(caller.await.expect("no panic").is_err());
    assert_eq!(server.effects().count("make"), 1);
}

#[tokio::test]
async fn canned_replies_before_and_after_the_effect() {
    let (server, proxy) = both().await;
    let overloaded = Reply::html(503, "Overloaded").with_header("retry-after", "1");
    proxy.inject(When::next(), Fault::Reply(overloaded.clone().into()));
    proxy.inject(When::next().nth(2), Fault::ReplyAfterCommit(overloaded.into()));
    proxy.inject(When::next().nth(3), Fault::reply(409, &json!({ "busy": true })));
    let first = make(&proxy.url()).await.expect("a reply");
    assert_eq!((first.status, first.header("retry-after")), (503, Some("1")));
    assert_eq!(server.effects().count("make"), 0);
    assert_eq!(make(&proxy.url()).await.expect("a reply").status, 503);
    assert_eq!(server.effects().count("make"), 1);
    assert_eq!(make(&proxy.url()).await.expect("a reply").value()["busy"], true);
    assert_eq!(server.effects().count("make"), 1);
}

#[tokio::test]
async fn a_rewritten_request_arrives_elsewhere_and_is_seen_as_it_came() {
    let (_server, proxy) = both().await;
    let rewrite = Rewrite { without_prefix: Some("/v1".to_owned()), headers: Vec::new() };
    let changed = proxy.inject(When::on("GET", "/v*").times(2), Fault::Rewrite(rewrite));
    for (path, arrives) in [("/v1/things", "/things"), ("/v10/things", "/v10/things"), ("/v1/things", "/v1/things")] {
        let reply = Call::get(&format!("{}{path}", proxy.url())).send().await.expect("a reply");
        assert_eq!(reply.value()["path"], arrives);
    }
    let first = &proxy.seen()[0];
    assert_eq!((changed.times_reached(), first.target.as_str(), first.status), (2, "/v1/things", Some(200)));
    assert_eq!(first.reply_header("Content-Type"), Some("application/json"));
}

#[test]
fn a_rewritten_head_has_its_new_headers_and_all_of_the_old_ones() {
    let prefer = ("prefer".to_owned(), "code=404".to_owned());
    let rewrite = Rewrite { without_prefix: Some("/v1".to_owned()), headers: vec![prefer] };
    let head = rewrite.apply(b"DELETE /v1/things?a=/v1 HTTP/1.1\r\nhost: example.test\r\n\r\n");
    let expected = "DELETE /things?a=/v1 HTTP/1.1\r\nprefer: code=404\r\nhost: example.test\r\n\r\n";
    assert_eq!(String::from_utf8_lossy(&head), expected);
}

#[tokio::test]
async fn a_base_url_with_a_path_keeps_it() {
    let (server, _) = maker().await;
    let proxy = FaultProxy::start(&format!("{}/api/", server.url())).await.expect("a free port");
    let reply = Call::get(&format!("{}/auth.test", proxy.url())).send().await.expect("a reply");
    assert_eq!(reply.value()["path"], "/api/auth.test");
}

#[tokio::test]
async fn an_upstream_that_is_gone_is_a_cut_and_not_a_second_try() {
    let (server, proxy) = both().await;
    let url = server.url();
    drop(server);
    while make(&url).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(make(&proxy.url()).await.is_err());
    assert_eq!(proxy.seen()[0].status, None);
}
