use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hapax_core::transport::{Body, HttpTransport, Request, Transport};
use hapax_core::words::Fault;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use url::Url;

use super::clocks::Jumping;
use super::server::{HUNG, OK};
use super::{create, wide, within};

/// A server with a certificate that it signed itself. Per connection it tells which plain bytes
/// came out of the encryption.
struct Encrypted {
    address: SocketAddr,
    root: Vec<u8>,
    seen: Receiver<Vec<u8>>,
}

/// Called when the first bytes of a handshake are there, before they are answered.
type Stall = Box<dyn FnMut() + Send>;

impl Encrypted {
    fn start(stall: impl FnMut() + Send + 'static) -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        let root = made.cert.der().to_vec();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![CertificateDer::from(root.clone())], key)
            .expect("a server");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (tell, seen) = channel();
        let (config, stall) = (Arc::new(config), Arc::new(Mutex::new(Box::new(stall) as Stall)));
        thread::spawn(move || {
            for socket in listener.incoming() {
                let (tell, config, stall) = (tell.clone(), Arc::clone(&config), Arc::clone(&stall));
                let Ok(socket) = socket else { return };
                thread::spawn(move || {
                    socket.peek(&mut [0]).ok();
                    stall.lock().expect("the stall")();
                    tell.send(serve(socket, config)).ok();
                });
            }
        });
        Self { address, root, seen }
    }

    fn url(&self) -> Url {
        Url::parse(&format!("https://localhost:{}", self.address.port())).expect("a URL")
    }

    fn ended(&self) -> Vec<u8> {
        self.seen.recv_timeout(HUNG).expect("a connection that ended")
    }
}

/// Answers each request that ends with its head, and returns all that came.
fn serve(socket: TcpStream, config: Arc<ServerConfig>) -> Vec<u8> {
    socket.set_read_timeout(Some(HUNG)).expect("a time-out");
    let connection = ServerConnection::new(config).expect("a connection");
    let mut stream = StreamOwned::new(connection, socket);
    let (mut bytes, mut piece) = (Vec::new(), [0; 65536]);
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        bytes.extend_from_slice(&piece[..read]);
        if bytes.ends_with(b"}") || bytes.ends_with(b"\r\n\r\n") {
            stream.write_all(OK).and_then(|()| stream.flush()).ok();
        }
    }
    bytes
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    let server = Encrypted::start(|| {});
    let transport = HttpTransport::new();
    let shot = transport.shoot(&server.url(), create(), wide()).await;
    assert!(matches!(shot, Err(Fault::NotSent(_))), "{shot:?}");
    let asked = transport.ask(&server.url(), Request::get("/"), Duration::from_secs(20)).await;
    assert!(matches!(asked, Err(Fault::NotSent(_))), "{asked:?}");
    assert_eq!(transport.stats().written, 0);
    assert_eq!((server.ended(), server.ended()), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn a_certificate_of_a_given_authority_is_believed_for_its_name() {
    let server = Encrypted::start(|| {});
    let transport = HttpTransport::with_roots([server.root.clone()]);
    for _ in 0..3 {
        transport.shoot(&server.url(), create(), wide()).await.expect("an answer");
    }
    assert_eq!((transport.stats().opened, transport.stats().reused), (1, 2));
    transport.ask(&server.url(), Request::get("/"), Duration::from_secs(20)).await.expect("an answer");
    let other = Url::parse(&format!("https://{}", server.address)).expect("a URL");
    let outcome = transport.shoot(&other, create(), wide()).await;
    assert!(matches!(outcome, Err(Fault::NotSent(_))), "another name was believed: {outcome:?}");
}

#[tokio::test]
async fn a_root_that_is_none_is_said() {
    let outcome = HttpTransport::with_roots([b"none".to_vec()])
        .shoot(&Url::parse("https://localhost:1").expect("a URL"), create(), wide())
        .await;
    assert!(matches!(&outcome, Err(Fault::NotSent(why)) if why.contains("certificate")), "{outcome:?}");
}

/// The machine sleeps in the middle of the handshake: the connection is up, and nothing of the
/// request leaves on it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a07_the_sleeper_in_the_handshake() {
    let clock = Jumping::new();
    let server = Encrypted::start({
        let clock = Arc::clone(&clock);
        move || clock.jump()
    });
    let transport = HttpTransport::with_roots([server.root.clone()]);
    let outcome = transport.shoot(&server.url(), create(), clock.gate()).await;
    assert!(matches!(outcome, Err(Fault::NotSent(_))), "{outcome:?}");
    assert_eq!(server.ended(), b"");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_gate_closes_in_a_handshake_that_stalls() {
    let (go, wait) = channel::<()>();
    let server = Encrypted::start(move || wait.recv_timeout(HUNG).expect("a signal"));
    let transport = HttpTransport::with_roots([server.root.clone()]);
    let outcome = transport.shoot(&server.url(), create(), within(Duration::from_millis(300))).await;
    assert!(matches!(&outcome, Err(Fault::NotSent(why)) if why.contains("deadline")), "{outcome:?}");
    go.send(()).expect("a server that waits");
    assert_eq!(server.ended(), b"");
}

/// Encryption holds plain bytes back until the socket takes them; they stay back after the deadline.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a07_what_encryption_has_taken_does_not_leave_late() {
    let mut text = vec![b'x'; 3_000_000];
    text.push(b'}');
    let body = Body::Bytes("text/plain".to_owned(), text);
    let request = Request { body, ..Request::post("/v1/files") };
    let (mut held_back, mut partial) = (0, 0);
    for reading in 1..400 {
        let server = Encrypted::start(|| {});
        let transport = Arc::new(HttpTransport::with_roots([server.root.clone()]));
        let (clock, at_jump) = super::sleeper::jumping(reading, &transport);
        let outcome = transport.shoot(&server.url(), request.clone(), clock.gate()).await;
        let taken = transport.stats().written;
        if !clock.has_jumped() {
            break;
        }
        assert_eq!(taken, at_jump.load(std::sync::atomic::Ordering::SeqCst), "reading {reading}: left after the jump");
        assert_eq!(matches!(outcome, Err(Fault::NotSent(_))), taken == 0, "reading {reading}: {outcome:?}");
        held_back += u32::from(taken == 0);
        partial += u32::from(taken > 0 && taken < 3_000_000);
    }
    assert!(held_back > 3 && partial > 3, "{held_back} before, {partial} within the request");
}
