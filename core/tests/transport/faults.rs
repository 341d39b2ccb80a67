use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use hapax_core::transport::{Body, HttpTransport, Request, Response, Transport};
use hapax_core::words::Fault;
use url::Url;

use super::clocks::Jumping;
use super::server::{HUNG, OK, Server};
use super::{create, wide};

/// Shoots once at a server that answers with these bytes and closes.
async fn answered_with(answer: &'static [u8]) -> Result<Response, Fault> {
    let server = Server::start(move |_, peer| {
        peer.request();
        peer.say(answer);
        peer.close();
    });
    let outcome = HttpTransport::new().shoot(&server.url(), create(), wide()).await;
    assert_eq!(server.all().len(), 1, "more than one connection for {outcome:?}");
    outcome
}

#[tokio::test]
async fn nobody_listens() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let base = Url::parse(&format!("http://{free}")).expect("a URL");
    let outcome = HttpTransport::new().shoot(&base, create(), wide()).await;
    assert!(matches!(outcome, Err(Fault::NotSent(_))), "{outcome:?}");
}

#[tokio::test]
async fn the_name_is_unknown() {
    // A label of more than 63 letters is no name, so that no name server need be asked.
    let base = Url::parse(&format!("http://{}.example", "a".repeat(70))).expect("a URL");
    let outcome = HttpTransport::new().shoot(&base, create(), wide()).await;
    assert!(matches!(outcome, Err(Fault::NotSent(_))), "{outcome:?}");
}

/// The server has closed the idle connection, politely or not: seen before anything is written.
#[tokio::test]
async fn an_idle_connection_that_was_closed_is_not_used() {
    for politely in [true, false] {
        let (close, order) = channel::<()>();
        let (closed, wait) = channel();
        let order = Arc::new(Mutex::new(order));
        let server = Server::start(move |number, peer| {
            peer.request();
            peer.say(OK);
            if number == 0 {
                order.lock().expect("the order").recv_timeout(HUNG).expect("an order");
                if politely {
                    peer.close()
                } else {
                    peer.reset()
                }
                closed.send(()).expect("a test that waits");
            }
        });
        let transport = HttpTransport::new();
        transport.shoot(&server.url(), create(), wide()).await.expect("an answer");
        close.send(()).expect("a server that waits");
        wait.recv_timeout(HUNG).expect("a closed connection");
        transport.shoot(&server.url(), create(), wide()).await.expect("an answer on a fresh connection");
        let stats = transport.stats();
        assert_eq!((stats.opened, stats.reused, stats.discarded), (2, 0, 1), "politely: {politely}");
        drop(transport);
        assert_eq!(server.all().len(), 2);
    }
}

/// The reset comes after the last look at the connection and before the first byte: nothing was
/// written, so the request may go over a fresh one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_dies_before_the_first_byte_is_replaced() {
    let (kill, order) = channel::<()>();
    let (killed, wait) = channel();
    let order = Arc::new(Mutex::new(order));
    let server = Server::start(move |number, peer| {
        peer.request();
        peer.say(OK);
        if number == 0 {
            order.lock().expect("the order").recv_timeout(HUNG).expect("an order");
            peer.reset();
            killed.send(()).expect("a test that waits");
        }
    });
    let transport = HttpTransport::new();
    transport.shoot(&server.url(), create(), wide()).await.expect("an answer");
    let written = transport.stats().written;
    // The first reading is at the start; the second when the connection has been taken.
    let clock = Jumping::calling_at(2, move || {
        kill.send(()).expect("a server that waits");
        wait.recv_timeout(HUNG).expect("a reset");
    });
    transport.shoot(&server.url(), create(), clock.gate()).await.expect("an answer on a fresh connection");
    let stats = transport.stats();
    assert_eq!((stats.opened, stats.reused, stats.written), (2, 1, 2 * written));
}

/// A connection that dies after a byte has left is the answer's loss, and nobody tries again.
#[tokio::test]
async fn a_connection_that_dies_after_the_first_byte_is_lost() {
    for pooled in [false, true] {
        for politely in [true, false] {
            let server = Server::start(move |_, peer| {
                if pooled {
                    peer.request();
                    peer.say(OK);
                }
                peer.request();
                if politely { peer.close() } else { peer.reset() }
            });
            let transport = HttpTransport::new();
            if pooled {
                transport.shoot(&server.url(), create(), wide()).await.expect("an answer");
            }
            let outcome = transport.shoot(&server.url(), create(), wide()).await;
            assert!(matches!(outcome, Err(Fault::Lost(_))), "{outcome:?}");
            assert_eq!(transport.stats().reused, u64::from(pooled));
            let seen = server.all();
            assert_eq!(seen.len(), 1, "another connection was opened");
            let text = String::from_utf8_lossy(&seen[0].bytes).into_owned();
            assert_eq!(text.matches("POST ").count(), 1 + usize::from(pooled), "{text}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_off_is_lost() {
    let cut: [&'static [u8]; 5] = [
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-le",
        b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{\"id\":1}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{\"id\":1}\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
    ];
    for answer in cut {
        let outcome = answered_with(answer).await;
        let text = String::from_utf8_lossy(answer);
        assert!(matches!(outcome, Err(Fault::Lost(_))), "{text:?} gave {outcome:?}");
    }
}

#[tokio::test]
async fn an_answer_that_is_none_can_not_be_read() {
    let garbage: [&'static [u8]; 4] = [
        b"220 mail.example ESMTP\r\n\r\n",
        b"HTTP/1.1 2x0 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n",
    ];
    for answer in garbage {
        let outcome = answered_with(answer).await;
        let text = String::from_utf8_lossy(answer);
        assert!(matches!(outcome, Err(Fault::Unread(_))), "{text:?} gave {outcome:?}");
    }
}

#[tokio::test]
async fn a_chunk_that_is_none_is_no_success() {
    let outcome = answered_with(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nmany\r\n{}\r\n0\r\n\r\n").await;
    assert!(matches!(outcome, Err(Fault::Unread(_) | Fault::Lost(_))), "{outcome:?}");
}

#[tokio::test]
async fn an_answer_without_end_can_not_be_read() {
    for head in ["content-length: 9000000", "connection: close", "transfer-encoding: chunked"] {
        let server = Server::start(move |_, peer| {
            peer.request();
            peer.say(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes());
            let megabyte = vec![b'x'; 1_000_000];
            for _ in 0..9 {
                if head.contains("chunked") {
                    peer.say(b"f4240\r\n");
                }
                peer.say(&megabyte);
                if head.contains("chunked") {
                    peer.say(b"\r\n");
                }
            }
            peer.close();
        });
        let outcome = HttpTransport::new().shoot(&server.url(), create(), wide()).await;
        assert!(matches!(outcome, Err(Fault::Unread(_))), "{head} gave {outcome:?}");
    }
}

#[tokio::test]
async fn news_before_the_answer_is_skipped() {
    let answer = answered_with(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n\
          HTTP/1.1 201 Created\r\nX-Request-Id: 7\r\ncontent-length: 2\r\n\r\n{}",
    )
    .await
    .expect("an answer");
    assert_eq!((answer.status, answer.header("x-request-id"), answer.body.as_slice()), (201, Some("7"), &b"{}"[..]));
    assert!(answer.headers.iter().any(|(name, _)| name == "x-request-id"), "names come in lower case");
}

/// What follows an answer could be taken for the next one.
#[tokio::test]
async fn a_connection_with_something_left_on_it_is_not_used_again() {
    let server = Server::start(|_, peer| {
        while peer.request().is_some() {
            peer.say(
                b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray",
            );
        }
    });
    let transport = HttpTransport::new();
    for _ in 0..3 {
        let answer = transport.shoot(&server.url(), create(), wide()).await.expect("an answer");
        assert_eq!(answer.body, b"{}");
    }
    assert_eq!((transport.stats().opened, transport.stats().reused), (3, 0));
}

/// A server may refuse a body before it has read it; that is its answer.
#[tokio::test]
async fn an_answer_before_the_end_of_the_request_counts() {
    let (go_on, order) = channel::<()>();
    let order = Arc::new(Mutex::new(order));
    let server = Server::start(move |number, peer| {
        peer.more();
        peer.say(b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n");
        if number == 0 {
            order.lock().expect("the order").recv_timeout(HUNG).expect("an order");
        }
    });
    let body = Body::Bytes("text/plain".to_owned(), vec![b'x'; 64 * 1024 * 1024]);
    let request = Request { body, ..Request::post("/v1/files") };
    let transport = HttpTransport::new();
    let answer = transport.shoot(&server.url(), request, wide()).await.expect("an answer");
    assert_eq!(answer.status, 413);
    transport.shoot(&server.url(), create(), wide()).await.expect("an answer on another connection");
    assert_eq!(transport.stats().reused, 0, "a connection in the middle of a request was kept");
    go_on.send(()).expect("a server that waits");
}
