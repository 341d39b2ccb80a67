use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::clock::{Clock, SharedClock, SystemClock};
use hapax_core::protocol::Stamp;
use hapax_core::transport::{Body, Gate, HttpTransport, Request, Transport};
use hapax_core::words::Fault;
use tokio::net::TcpSocket;
use url::Url;

use super::server::{HUNG, OK, Server};
use super::{create, within};

/// Real time after which a short gate closes. Nothing depends on what happens before it.
const SHORT: Duration = Duration::from_millis(400);

#[tokio::test]
async fn the_connection_is_closed_while_the_answer_is_awaited() {
    let server = Server::start(|_, peer| {
        peer.request();
        // The script ends here and never answers; what follows is recorded.
    });
    let transport = HttpTransport::new();
    let outcome = transport.shoot(&server.url(), create(), within(SHORT)).await;
    assert!(matches!(&outcome, Err(Fault::Lost(why)) if why.contains("deadline")), "{outcome:?}");
    let seen = server.ended();
    assert_eq!(seen.bytes.len() as u64, transport.stats().written, "more than the request came");
    assert!(seen.reset, "closed without a reset");
}

#[tokio::test]
async fn the_deadline_covers_the_rest_of_an_answer() {
    let server = Server::start(|_, peer| {
        peer.request();
        peer.say(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{\"id\"");
    });
    let outcome = HttpTransport::new().shoot(&server.url(), create(), within(SHORT)).await;
    assert!(matches!(outcome, Err(Fault::Lost(_))), "{outcome:?}");
    assert!(server.ended().reset);
}

/// The kernel holds megabytes that it has taken and not delivered: after the deadline they are
/// thrown away, though the server begins to read.
#[tokio::test]
async fn the_rest_of_a_big_body_never_arrives() {
    let (read, wait) = channel::<()>();
    let wait = Arc::new(Mutex::new(wait));
    let server = Server::start(move |_, _| wait.lock().expect("the signal").recv_timeout(HUNG).expect("a signal"));
    let body = Body::Bytes("text/plain".to_owned(), vec![b'x'; 64 * 1024 * 1024]);
    let request = Request { body, ..Request::post("/v1/files") };
    let transport = HttpTransport::new();
    let outcome = transport.shoot(&server.url(), request, within(SHORT)).await;
    assert!(matches!(outcome, Err(Fault::Lost(_))), "{outcome:?}");
    read.send(()).expect("a server that waits");
    let seen = server.ended();
    let taken = transport.stats().written;
    assert!(taken > 0 && taken < 64 * 1024 * 1024, "{taken}");
    assert!((seen.bytes.len() as u64) < taken, "all {taken} bytes that the kernel had taken arrived");
}

/// The queue of the listener is full, so that connecting takes until the deadline.
#[tokio::test]
async fn the_gate_closes_while_connecting() {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let listener = socket.listen(1).expect("a listener");
    let address = listener.local_addr().expect("an address");
    let fillers = fill(address);
    let transport = HttpTransport::new();
    let base = Url::parse(&format!("http://{address}")).expect("a URL");
    let outcome = transport.shoot(&base, create(), within(SHORT)).await;
    assert!(matches!(&outcome, Err(Fault::NotSent(why)) if why.contains("deadline")), "{outcome:?}");
    assert_eq!(transport.stats().written, 0);
    drop(fillers);
    assert_eq!(bytes_in_the_queue(listener.into_std().expect("a listener")), 0);
}

/// Connections until one more gets no answer.
fn fill(address: SocketAddr) -> Vec<TcpStream> {
    let mut fillers = Vec::new();
    while let Ok(filler) = TcpStream::connect_timeout(&address, SHORT) {
        fillers.push(filler);
        assert!(fillers.len() < 100, "the queue doesn't fill");
    }
    fillers
}

/// What had come on all connections that were waiting to be accepted. A last one of our own tells
/// that there are no more.
fn bytes_in_the_queue(listener: TcpListener) -> usize {
    const LAST: &[u8] = b"the last connection";
    listener.set_nonblocking(false).expect("a listener");
    let address = listener.local_addr().expect("an address");
    let last = thread::spawn(move || TcpStream::connect(address).and_then(|mut socket| socket.write_all(LAST)));
    let mut bytes = 0;
    loop {
        let (mut socket, _) = listener.accept().expect("a connection");
        socket.set_read_timeout(Some(HUNG)).expect("a time-out");
        let mut read = Vec::new();
        // A reset ends a connection as well as an end does.
        let _ = socket.read_to_end(&mut read);
        if read == LAST {
            last.join().expect("a thread").expect("written");
            return bytes;
        }
        bytes += read.len();
    }
}

/// A timer may fire early, or the clock may have been set back: then nothing is closed.
#[tokio::test]
async fn a_timer_alone_closes_nothing() {
    let server = Server::start(|_, peer| {
        peer.request();
        std::thread::sleep(SHORT);
        peer.say(OK);
    });
    let clock: SharedClock = Arc::new(Hasty(SystemClock::new()));
    let gate = Gate::new(Arc::clone(&clock), clock.now(), 60_000);
    let outcome = HttpTransport::new().shoot(&server.url(), create(), gate).await;
    assert!(outcome.is_ok(), "{outcome:?}");
}

/// A clock by whose timers everything is over at once.
struct Hasty(SystemClock);

#[async_trait]
impl Clock for Hasty {
    fn now(&self) -> Stamp {
        self.0.now()
    }

    async fn sleep(&self, _: u64) {}

    fn real(&self, _: u64) -> Duration {
        Duration::from_micros(1)
    }

    fn is_stand_in_only(&self) -> bool {
        true
    }
}
