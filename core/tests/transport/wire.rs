use std::sync::Arc;

use hapax_core::transport::{HttpTransport, Method, Request, Transport};
use url::Url;

use super::server::{OK, Server};
use super::{create, wide};

/// What the server saw of these requests, sent one after the other.
async fn seen(base: &str, requests: Vec<Request>) -> String {
    let server = Server::answering(OK);
    let transport = HttpTransport::new();
    let base = Url::parse(&format!("{}{base}", server.url().as_str().trim_end_matches('/'))).expect("a URL");
    for request in requests {
        transport.shoot(&base, request, wide()).await.expect("an answer");
    }
    let written = transport.stats().written;
    drop(transport);
    let one = server.ended();
    assert_eq!(one.bytes.len() as u64, written, "the counter and the wire differ");
    String::from_utf8(one.bytes).expect("text").replace(&server.address.to_string(), "HOST")
}

#[tokio::test]
async fn a_shot_stands_on_the_wire_as_it_was_made() {
    let request = Request::post("/v1/charges")
        .query("expand", "a b")
        .header("idempotency-key", "k1")
        .secret_header("authorization", "Bearer secret".to_owned().into())
        .form([("amount", Some("1200".to_owned())), ("left", None)]);
    let expected = format!(
        "POST /prefix/v1/charges?expand=a+b HTTP/1.1\r\nhost: HOST\r\nidempotency-key: k1\r\n\
         authorization: Bearer secret\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 11\r\n\
         accept: application/json\r\nuser-agent: hapax/{}\r\n\r\namount=1200",
        env!("CARGO_PKG_VERSION")
    );
    let came = seen("/prefix/", vec![request]).await;
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.split("\r\n").map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&came), sorted(&expected));
    assert!(came.starts_with("POST /prefix/v1/charges?expand=a+b HTTP/1.1\r\n"), "{came}");
}

#[tokio::test]
async fn a_shot_without_a_body_says_its_length() {
    let came = seen("", vec![Request::post("/void"), Request::new(Method::Delete, "/v1/charges/1")]).await;
    let (post, delete) = came.split_once("\r\n\r\n").expect("two requests");
    assert!(post.contains("content-length: 0"), "{post}");
    assert!(delete.starts_with("DELETE /v1/charges/1 HTTP/1.1\r\n"), "{delete}");
    assert!(!delete.contains("transfer-encoding"), "{delete}");
}

#[tokio::test]
async fn an_adapter_may_say_what_it_accepts() {
    let request = Request::get("/").header("Accept", "application/vnd.x+json").header("User-Agent", "else/1");
    let came = seen("", vec![request]).await;
    assert!(came.contains("accept: application/vnd.x+json\r\n") && !came.contains("application/json\r\n"), "{came}");
    assert!(came.contains("user-agent: else/1\r\n") && !came.contains("hapax/"), "{came}");
}

#[tokio::test]
async fn one_connection_serves_one_shot_after_the_other() {
    let server = Server::answering(OK);
    let transport = HttpTransport::new();
    for _ in 0..20 {
        transport.shoot(&server.url(), create(), wide()).await.expect("an answer");
    }
    assert_eq!((transport.stats().opened, transport.stats().reused), (1, 19));
}

#[tokio::test]
async fn a_server_that_ends_the_connection_is_believed() {
    let server = Server::answering(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}");
    let transport = HttpTransport::new();
    for _ in 0..2 {
        transport.shoot(&server.url(), create(), wide()).await.expect("an answer");
    }
    assert_eq!((transport.stats().opened, transport.stats().reused), (2, 0));
}

/// Shots side by side never share a connection, and each arrives once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_shots_at_once_arrive_once_each() {
    let server = Server::answering(OK);
    let transport = Arc::new(HttpTransport::new());
    for _ in 0..2 {
        let shots: Vec<_> = (0..100)
            .map(|number| {
                let (transport, base) = (Arc::clone(&transport), server.url());
                tokio::spawn(async move { transport.shoot(&base, Request::post(format!("/{number}/")), wide()).await })
            })
            .collect();
        for shot in shots {
            shot.await.expect("a task").expect("an answer");
        }
    }
    assert!(transport.stats().reused > 0);
    drop(transport);
    let seen = server.all();
    for number in 0..100 {
        let line = format!("POST /{number}/ HTTP/1.1");
        let times: usize = seen.iter().map(|one| String::from_utf8_lossy(&one.bytes).matches(&line).count()).sum();
        assert_eq!(times, 2, "{line}");
    }
}

/// A caller that goes away takes the connection with it: nothing more is written.
#[tokio::test]
async fn a_shot_that_is_dropped_closes_its_connection() {
    let (came, wait) = tokio::sync::oneshot::channel();
    let came = Arc::new(std::sync::Mutex::new(Some(came)));
    let server = Server::start(move |_, peer| {
        peer.request();
        if let Some(came) = came.lock().expect("the signal").take() {
            came.send(()).expect("a test that waits");
        }
    });
    let transport = HttpTransport::new();
    let base = server.url();
    tokio::select! {
        outcome = transport.shoot(&base, create(), wide()) => panic!("{outcome:?}"),
        request = wait => request.expect("a request"),
    }
    assert!(server.ended().reset);
}
