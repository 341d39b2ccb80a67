use std::time::Duration;

use hapax_core::transport::{HttpTransport, Request, Transport};

use super::server::{OK, Server};
use super::{create, wide};

/// Answers that a client may take for an invitation. The last closes without an answer.
const INVITATIONS: [&[u8]; 7] = [
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n",
    b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n",
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
    b"HTTP/1.1 421 Misdirected Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
    b"HTTP/1.1 307 Temporary Redirect\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n",
    b"HTTP/1.1 303 See Other\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n",
    b"",
];

/// Plays `first` good answers, then the invitation, and ends the connection.
fn inviting(first: usize, invitation: &'static [u8]) -> Server {
    Server::start(move |_, peer| {
        for _ in 0..first {
            peer.request();
            peer.say(OK);
        }
        peer.request();
        peer.say(invitation);
        peer.close();
    })
}

/// Each invitation meets one request, on a fresh connection and on one that was used before, for
/// shots and for harmless requests.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a35_nothing_sends_again_by_default() {
    for invitation in INVITATIONS {
        for first in [0, 1] {
            for shot in [true, false] {
                let server = inviting(first, invitation);
                let transport = HttpTransport::new();
                for _ in 0..=first {
                    // The outcome is the business of other tests.
                    let _ = send(&transport, &server, shot).await;
                }
                drop(transport);
                let seen = server.all();
                let requests: usize =
                    seen.iter().map(|one| String::from_utf8_lossy(&one.bytes).matches(" HTTP/1.1\r\n").count()).sum();
                let what = String::from_utf8_lossy(invitation);
                assert_eq!(requests, first + 1, "shot: {shot}, after {first}, {what:?}");
                // Harmless requests may find the connection before it is back in its pool.
                assert!(!shot || seen.len() == 1, "after {first}, {what:?}");
            }
        }
    }
}

async fn send(transport: &HttpTransport, server: &Server, shot: bool) -> Option<u16> {
    let base = server.url();
    let outcome = if shot {
        transport.shoot(&base, create(), wide()).await
    } else {
        transport.ask(&base, Request::get("/v1/charges"), Duration::from_secs(20)).await
    };
    outcome.ok().map(|answer| answer.status)
}

#[tokio::test]
async fn a_redirect_is_an_answer() {
    for shot in [true, false] {
        let server = inviting(0, INVITATIONS[4]);
        assert_eq!(send(&HttpTransport::new(), &server, shot).await, Some(307));
    }
}
