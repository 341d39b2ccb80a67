//! A network that can fall silent: what is sent then arrives when it speaks again, and no connection is closed.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A way to a port of this machine.
pub(crate) struct Relay {
    port: u16,
    way: Arc<Way>,
}

struct Way {
    silent: watch::Sender<bool>,
    /// Whether it falls silent when the next commit has passed.
    at_commit: AtomicBool,
    connections: AtomicUsize,
}

impl Relay {
    pub(crate) async fn to(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let ours = listener.local_addr().expect("it has one").port();
        let (silent, _) = watch::channel(false);
        let way = Arc::new(Way { silent, at_commit: AtomicBool::new(false), connections: AtomicUsize::new(0) });
        let relay = Self { port: ours, way: Arc::clone(&way) };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                way.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(pass(client, port, Arc::clone(&way)));
            }
        });
        relay
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Falls silent, or speaks again.
    pub(crate) fn is_silent(&self, silent: bool) {
        self.way.silent.send_replace(silent);
    }

    /// Falls silent when the next commit has passed.
    pub(crate) fn is_silent_after_a_commit(&self) {
        self.way.at_commit.store(true, Ordering::SeqCst);
    }

    /// Waits until it is silent.
    pub(crate) async fn has_fallen_silent(&self) {
        self.way.silent.subscribe().wait_for(|silent| *silent).await.expect("it lives");
    }

    /// How many connections were made so far.
    pub(crate) fn connections(&self) -> usize {
        self.way.connections.load(Ordering::SeqCst)
    }
}

async fn pass(client: TcpStream, port: u16, way: Arc<Way>) {
    let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await else { return };
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    tokio::join!(carry(from_client, to_server, &way), carry(from_server, to_client, &way));
}

/// Carries bytes one way to the end.
async fn carry(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, way: &Way) {
    let (mut bytes, mut silent) = (vec![0; 64 << 10], way.silent.subscribe());
    loop {
        let read = from.read(&mut bytes).await.unwrap_or(0);
        if silent.wait_for(|silent| !silent).await.is_err() {
            return;
        }
        if read == 0 || to.write_all(&bytes[..read]).await.is_err() {
            let _ = to.shutdown().await;
            return;
        }
        let commits = bytes[..read].windows(7).any(|part| part == b"COMMIT\0");
        if commits && way.at_commit.swap(false, Ordering::SeqCst) {
            way.silent.send_replace(true);
        }
    }
}
