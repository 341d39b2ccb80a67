use std::time::Duration;

use hapax_core::transport::{HttpTransport, Request, Response, Transport};
use hapax_core::words::Fault;
use url::Url;
use wiremock::matchers::{body_string, header, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::server::Server;

const WITHIN: Duration = Duration::from_secs(20);

async fn answered_with(answer: &'static [u8]) -> Result<Response, Fault> {
    let server = Server::start(move |_, peer| {
        peer.request();
        peer.say(answer);
        peer.close();
    });
    HttpTransport::new().ask(&server.url(), Request::get("/v1/charges"), WITHIN).await
}

#[tokio::test]
async fn a_read_arrives_whole_and_its_answer_too() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/prefix/v1/search"))
        .and(query_param("limit", "2"))
        .and(header("accept", "application/json"))
        .and(header("user-agent", concat!("hapax/", env!("CARGO_PKG_VERSION"))))
        .and(header("authorization", "Bearer secret"))
        .and(header("content-type", "application/x-www-form-urlencoded"))
        .and(body_string("q=a+b"))
        .respond_with(ResponseTemplate::new(404).insert_header("X-Request-Id", "7").set_body_string("{\"none\":true}"))
        .mount(&server)
        .await;
    let base = Url::parse(&format!("{}/prefix", server.uri())).expect("a URL");
    let request = Request::post("/v1/search")
        .query("limit", "2")
        .secret_header("authorization", "Bearer secret".to_owned().into())
        .form([("q", Some("a b".to_owned()))]);
    let answer = HttpTransport::new().ask(&base, request, WITHIN).await.expect("an answer");
    assert_eq!((answer.status, answer.header("x-request-id")), (404, Some("7")));
    assert_eq!(answer.body, b"{\"none\":true}");
}

#[tokio::test]
async fn what_fails_says_how() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let base = Url::parse(&format!("http://{free}")).expect("a URL");
    let refused = HttpTransport::new().ask(&base, Request::get("/?secret=1").query("q", "private"), WITHIN).await;
    let Err(Fault::NotSent(why)) = refused else { panic!("{refused:?}") };
    assert!(!why.contains("private"), "{why}");
    let outcome = answered_with(b"").await;
    assert!(matches!(outcome, Err(Fault::Lost(_))), "{outcome:?}");
    let outcome = answered_with(b"220 mail.example ESMTP\r\n\r\n").await;
    assert!(matches!(outcome, Err(Fault::Unread(_))), "{outcome:?}");
    let outcome = answered_with(b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{}").await;
    assert!(matches!(outcome, Err(Fault::Unread(_))), "{outcome:?}");
}

#[tokio::test]
async fn an_answer_that_is_too_long_can_not_be_read() {
    let server = MockServer::start().await;
    let long = ResponseTemplate::new(200).set_body_bytes(vec![b'x'; Response::MAX_BODY + 1]);
    Mock::given(method("GET")).respond_with(long).mount(&server).await;
    let base = Url::parse(&server.uri()).expect("a URL");
    let outcome = HttpTransport::new().ask(&base, Request::get("/"), WITHIN).await;
    assert!(matches!(outcome, Err(Fault::Unread(_))), "{outcome:?}");
}

#[tokio::test]
async fn patience_ends() {
    let server = Server::start(|_, peer| while peer.request().is_some() {});
    let outcome = HttpTransport::new().ask(&server.url(), Request::get("/"), Duration::from_millis(200)).await;
    assert!(matches!(outcome, Err(Fault::Lost(_))), "{outcome:?}");
}
