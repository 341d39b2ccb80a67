//! A proxy that breaks PostgreSQL's protocol where a script says.
//!
//! It reads the messages that pass (a type byte and a length), so that it can break just at `COMMIT`,
//! before the server has it, or after the server has acted on it and before the client hears.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::lock;
use crate::signal::Handle;

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFault {
    /// It is closed as soon as it was accepted.
    CutOnConnect,
    /// It is closed when the client has sent its n-th group of messages in the session, before the server has it.
    CutBefore(u32),
    /// It is closed when the server has answered the client's n-th group, before the client has the answer.
    CutAfter(u32),
    /// `COMMIT` is thrown away, and the connection is closed on both sides.
    LoseCommit,
    /// Half of `COMMIT` is passed on, then both sides are closed.
    CutCommit,
    /// The server's whole answer to `COMMIT` is thrown away, and the client's side is closed.
    LoseAnswer,
    /// The first bytes of the answer to `COMMIT` come through, then the connection is closed.
    CutAnswer(usize),
    /// `COMMIT` is held until released, then passed on even if the client has left.
    HoldCommit,
    /// The answer to `COMMIT` is held until released.
    HoldAnswer,
    /// `COMMIT` is thrown away and the connection stays open, without an answer, until released.
    Swallow,
}

/// Whether a fault waits for a `COMMIT`.
impl WireFault {
    const fn is_at_commit(self) -> bool {
        !matches!(self, Self::CutOnConnect | Self::CutBefore(_) | Self::CutAfter(_))
    }
}

#[derive(Debug, Default)]
struct Script {
    faults: Mutex<Vec<(WireFault, Handle)>>,
    connections: AtomicU64,
    commits: AtomicU64,
    bytes: AtomicU64,
}

impl Script {
    /// Takes the first fault that fits.
    fn take(&self, fits: impl Fn(WireFault) -> bool) -> Option<(WireFault, Handle)> {
        let mut faults = lock(&self.faults);
        let index = faults.iter().position(|(fault, _)| fits(*fault))?;
        Some(faults.remove(index))
    }
}

/// The proxy at work, on a free port of 127.0.0.1. It stops, and cuts what is open, when it is dropped.
#[derive(Debug)]
pub struct PostgresProxy {
    address: SocketAddr,
    script: Arc<Script>,
    task: JoinHandle<()>,
}

impl PostgresProxy {
    /// Starts in front of a server's port on 127.0.0.1.
    ///
    /// # Errors
    /// No port can be had.
    pub async fn start(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let (address, script) = (listener.local_addr()?, Arc::<Script>::default());
        let task = tokio::spawn(keep(listener, port, Arc::clone(&script)));
        Ok(Self { address, script, task })
    }

    /// The address of a database behind it, without encryption.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{}/{database}?sslmode=disable", self.address)
    }

    /// Adds a fault; it applies once. Of several that fit, the one that was added first applies.
    pub fn inject(&self, fault: WireFault) -> Handle {
        let handle = Handle::new();
        lock(&self.script.faults).push((fault, handle.clone()));
        handle
    }

    /// Takes away every fault that has not applied yet.
    pub fn clear(&self) {
        lock(&self.script.faults).clear();
    }

    /// How many `COMMIT`s came from clients.
    pub fn commits(&self) -> u64 {
        self.script.commits.load(Ordering::SeqCst)
    }

    /// How many connections were accepted.
    pub fn connections(&self) -> u64 {
        self.script.connections.load(Ordering::SeqCst)
    }

    /// How many bytes came from clients.
    pub fn bytes_received(&self) -> u64 {
        self.script.bytes.load(Ordering::SeqCst)
    }
}

impl Drop for PostgresProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn keep(listener: TcpListener, port: u16, script: Arc<Script>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((client, _)) = accepted else { continue };
                script.connections.fetch_add(1, Ordering::SeqCst);
                if let Some((_, handle)) = script.take(|fault| fault == WireFault::CutOnConnect) {
                    handle.reach();
                    continue;
                }
                let script = Arc::clone(&script);
                // Whatever ends one connection is what its client sees of it.
                connections.spawn(async move { drop(serve(client, port, script).await) });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(client: TcpStream, port: u16, script: Arc<Script>) -> io::Result<()> {
    let server = TcpStream::connect(("127.0.0.1", port)).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let mut line = Line { from_client, to_client, from_server, to_server, script, groups: 0 };
    let startup = read_startup(&mut line.from_client).await?;
    line.count(&startup);
    line.to_server.write_all(&startup).await?;
    loop {
        line.answer_now().await?;
        let group = line.group().await?;
        line.pass(group).await?;
    }
}

/// Both ends of one connection. The protocol is one of turns here: a client that doesn't send ahead
/// waits for the server to say that it is ready.
struct Line {
    from_client: OwnedReadHalf,
    to_client: OwnedWriteHalf,
    from_server: OwnedReadHalf,
    to_server: OwnedWriteHalf,
    script: Arc<Script>,
    groups: u32,
}

/// Messages of the client up to where the server answers.
struct Group {
    bytes: Vec<u8>,
    is_commit: bool,
}

/// What asks for an answer: a simple query, the end of an extended one, or a password.
const ASKS: [u8; 3] = [b'Q', b'S', b'p'];

impl Line {
    fn count(&self, bytes: &[u8]) {
        self.script.bytes.fetch_add(bytes.len() as u64, Ordering::SeqCst);
    }

    /// The client's next group. Meanwhile the server may end the session by itself.
    async fn group(&mut self) -> io::Result<Group> {
        let mut bytes = Vec::new();
        loop {
            let message = tokio::select! {
                message = read_message(&mut self.from_client) => message?,
                said = read_message(&mut self.from_server) => {
                    self.to_client.write_all(&said?).await?;
                    continue;
                }
            };
            self.count(&message);
            let kind = message.first().copied().unwrap_or(0);
            let text = message.get(5..).unwrap_or_default().to_ascii_uppercase();
            let is_commit = kind == b'Q' && text.starts_with(b"COMMIT");
            bytes.extend(message);
            if ASKS.contains(&kind) {
                return Ok(Group { bytes, is_commit });
            }
            // Goodbye, or the client asks for what it has sent so far.
            if kind == b'X' || kind == b'H' {
                self.to_server.write_all(&bytes).await?;
                bytes.clear();
            }
        }
    }

    /// Passes a group on, unless the script says otherwise.
    async fn pass(&mut self, group: Group) -> io::Result<()> {
        self.groups += 1;
        if group.is_commit {
            self.script.commits.fetch_add(1, Ordering::SeqCst);
        }
        let number = self.groups;
        let fits = |fault: WireFault| match fault {
            WireFault::CutBefore(nth) | WireFault::CutAfter(nth) => nth == number,
            _ => group.is_commit && fault.is_at_commit(),
        };
        match self.script.take(fits) {
            None => self.to_server.write_all(&group.bytes).await,
            Some((fault, handle)) => self.broken(&group.bytes, fault, &handle).await,
        }
    }

    async fn broken(&mut self, bytes: &[u8], fault: WireFault, handle: &Handle) -> io::Result<()> {
        let over = || Err(io::ErrorKind::ConnectionAborted.into());
        match fault {
            WireFault::CutOnConnect | WireFault::CutBefore(_) | WireFault::LoseCommit => {
                handle.reach();
                over()
            }
            WireFault::CutCommit => {
                self.to_server.write_all(bytes.get(..bytes.len() / 2).unwrap_or_default()).await?;
                handle.reach();
                over()
            }
            WireFault::LoseAnswer | WireFault::CutAnswer(_) | WireFault::CutAfter(_) => {
                self.to_server.write_all(bytes).await?;
                let answer = self.answer().await?;
                if let WireFault::CutAnswer(most) = fault {
                    self.to_client.write_all(answer.get(..most.min(answer.len())).unwrap_or_default()).await?;
                }
                handle.reach();
                over()
            }
            WireFault::HoldCommit => {
                handle.reach();
                handle.released().await;
                let passed = self.to_server.write_all(bytes).await;
                let answer = if passed.is_ok() { self.answer().await } else { Ok(Vec::new()) };
                handle.finish();
                self.to_client.write_all(&answer?).await?;
                over()
            }
            WireFault::HoldAnswer => {
                self.to_server.write_all(bytes).await?;
                let answer = self.answer().await?;
                handle.reach();
                handle.released().await;
                self.to_client.write_all(&answer).await
            }
            WireFault::Swallow => {
                handle.reach();
                handle.released().await;
                over()
            }
        }
    }

    /// What the server says, as it comes, until it is the client's turn.
    async fn answer_now(&mut self) -> io::Result<()> {
        loop {
            let message = tokio::select! {
                message = read_message(&mut self.from_server) => message?,
                // A client that leaves in the middle takes the session with it.
                () = left(&self.from_client) => return Err(io::ErrorKind::ConnectionAborted.into()),
            };
            self.to_client.write_all(&message).await?;
            if is_turn(&message) {
                return Ok(());
            }
        }
    }

    /// The server's whole answer.
    async fn answer(&mut self) -> io::Result<Vec<u8>> {
        let mut whole = Vec::new();
        loop {
            let message = read_message(&mut self.from_server).await?;
            let ends = is_turn(&message);
            whole.extend(message);
            if ends {
                return Ok(whole);
            }
        }
    }
}

/// Whether the server waits for the client after this: ready for a query, or it wants a password.
fn is_turn(message: &[u8]) -> bool {
    match message.first() {
        Some(b'Z') => true,
        // Of the answers about authentication, "ok" and "final" need no reply.
        Some(b'R') => !matches!(message.get(5..9), Some([0, 0, 0, 0 | 12])),
        _ => false,
    }
}

/// Ends when the client has closed its side. What it sent ahead stays unread.
async fn left(from_client: &OwnedReadHalf) {
    let mut byte = [0];
    loop {
        match from_client.as_ref().peek(&mut byte).await {
            Ok(0) | Err(_) => return,
            // It has sent ahead; its end will be met after that.
            Ok(_) => std::future::pending().await,
        }
    }
}

async fn read_startup(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    from.read_exact(&mut bytes).await?;
    let length = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
    read_rest(from, bytes, length).await
}

/// One message: a type byte, then a length that counts itself.
async fn read_message(from: &mut OwnedReadHalf) -> io::Result<Vec<u8>> {
    // Nothing is taken from the socket before the whole head is there, so that this may be dropped while it waits.
    let mut head = [0; 5];
    while from.peek(&mut head).await? < head.len() {
        from.readable().await?;
        if from.peek(&mut head).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        tokio::task::yield_now().await;
    }
    let mut bytes = vec![0; head.len()];
    from.read_exact(&mut bytes).await?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize + 1;
    read_rest(from, bytes, length).await
}

async fn read_rest(from: &mut (impl AsyncRead + Unpin), mut bytes: Vec<u8>, length: usize) -> io::Result<Vec<u8>> {
    const MOST: usize = 64 << 20;
    if length < bytes.len() || length > MOST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let head = bytes.len();
    bytes.resize(length, 0);
    from.read_exact(bytes.get_mut(head..).unwrap_or_default()).await?;
    Ok(bytes)
}
