//! The same faults over PostgreSQL's protocol.
//!
//! An exchange is what a client sends up to where the server is to answer, and the answer up to where
//! it is the client's turn. Its method is `SQL`, its target a slash and the statement's text; groups
//! without a statement have the slash alone.

use super::Seen;
use super::fault::Fault;
use super::script::Script;
use crate::lock;
use crate::signal::Handle;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// Serves one client connection with a connection of its own to the server. What is cut on one side is
/// cut on the other.
pub(super) async fn serve(client: TcpStream, script: Arc<Script>, number: u64) -> io::Result<()> {
    let upstream = lock(&script.upstream).clone();
    let server = TcpStream::connect(upstream).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let mut line = Line { from_client, to_client, from_server, to_server, script, number };
    let startup = read_startup(&mut line.from_client).await?;
    line.count(&startup);
    line.to_server.write_all(&startup).await?;
    line.answer_now().await?;
    loop {
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
    number: u64,
}

/// Messages of the client up to where the server answers.
struct Group {
    bytes: Vec<u8>,
    statement: String,
}

/// What asks for an answer: a simple query, the end of an extended one, or a password.
const ASKS: [u8; 3] = [b'Q', b'S', b'p'];

impl Line {
    fn count(&self, bytes: &[u8]) {
        self.script.read.fetch_add(bytes.len() as u64, Ordering::SeqCst);
    }

    /// The client's next group. Meanwhile the server may end the session by itself.
    async fn group(&mut self) -> io::Result<Group> {
        let (mut bytes, mut statement) = (Vec::new(), String::new());
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
            if let Some(text) = statement_of(&message) {
                statement = text;
            }
            bytes.extend(message);
            if ASKS.contains(&kind) {
                return Ok(Group { bytes, statement });
            }
            // Goodbye, or the client asks for what it has sent so far.
            if kind == b'X' || kind == b'H' {
                self.to_server.write_all(&bytes).await?;
                bytes.clear();
            }
        }
    }

    /// Passes a group on and its answer back, unless the script says otherwise.
    async fn pass(&mut self, group: Group) -> io::Result<()> {
        let target = format!("/{}", group.statement);
        let body = group.bytes.clone();
        let seen =
            Seen { connection: self.number, method: "SQL".to_owned(), target, body, whole: true, ..Seen::default() };
        let (entry, fault) = self.script.for_request(seen);
        let script = Arc::clone(&self.script);
        let forwarded = move || script.note(entry, |seen| seen.forwarded = true);
        match fault {
            Some((fault, handle)) => self.broken(&group.bytes, fault, &handle, forwarded).await,
            None => {
                self.to_server.write_all(&group.bytes).await?;
                forwarded();
                self.answer_now().await
            }
        }
    }

    async fn broken(
        &mut self,
        bytes: &[u8],
        fault: Fault,
        handle: &Handle,
        forwarded: impl FnOnce(),
    ) -> io::Result<()> {
        let over = || Err(io::ErrorKind::ConnectionAborted.into());
        match fault {
            Fault::LoseRequest | Fault::CutBeforeSend => {
                handle.reach();
                over()
            }
            Fault::CutMidBody | Fault::CutAfterHeaders => {
                self.to_server.write_all(bytes.get(..bytes.len() / 2).unwrap_or_default()).await?;
                handle.reach();
                over()
            }
            Fault::BlackHole => {
                handle.reach();
                handle.released().await;
                handle.finish();
                over()
            }
            Fault::Reply(canned) => {
                handle.reach();
                self.instead(canned.body()).await
            }
            Fault::DelayRequest => {
                handle.reach();
                handle.released().await;
                let passed = self.to_server.write_all(bytes).await;
                forwarded();
                let answer = match passed {
                    Ok(()) => self.answer().await,
                    Err(error) => Err(error),
                };
                handle.finish();
                self.to_client.write_all(&answer?).await
            }
            // The first two are for connections, the third for HTTP: here they change nothing.
            Fault::RefuseConnection | Fault::CutOnConnect | Fault::Rewrite(_) => {
                self.to_server.write_all(bytes).await?;
                forwarded();
                self.answer_now().await
            }
            Fault::CutAfterCommit | Fault::TruncateReply { .. } | Fault::DelayReply | Fault::ReplyAfterCommit(_) => {
                self.to_server.write_all(bytes).await?;
                forwarded();
                let answer = self.answer().await?;
                handle.reach();
                self.after_commit(&answer, fault, handle).await
            }
        }
    }

    /// Faults that begin once the server has answered.
    async fn after_commit(&mut self, answer: &[u8], fault: Fault, handle: &Handle) -> io::Result<()> {
        match fault {
            Fault::TruncateReply { body_bytes } => {
                self.to_client.write_all(answer.get(..body_bytes).unwrap_or(answer)).await?;
                Err(io::ErrorKind::ConnectionAborted.into())
            }
            Fault::ReplyAfterCommit(canned) => self.instead(canned.body()).await,
            Fault::DelayReply => {
                handle.released().await;
                let told = self.to_client.write_all(answer).await;
                handle.finish();
                told
            }
            _ => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }

    /// A canned answer. After one that doesn't say that it is the client's turn the connection is closed, as
    /// somebody would who speaks another protocol.
    async fn instead(&mut self, body: &[u8]) -> io::Result<()> {
        self.to_client.write_all(body).await?;
        match body {
            [.., b'Z', 0, 0, 0, 5, _] => Ok(()),
            _ => Err(io::ErrorKind::InvalidData.into()),
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

/// The text of a statement that a message carries: a simple query, or one to be prepared.
fn statement_of(message: &[u8]) -> Option<String> {
    let payload = message.get(5..)?;
    let text = match message.first()? {
        b'Q' => payload,
        // The name of the prepared statement comes first.
        b'P' => payload.get(payload.iter().position(|byte| *byte == 0)? + 1..)?,
        _ => return None,
    };
    let end = text.iter().position(|byte| *byte == 0)?;
    Some(String::from_utf8_lossy(text.get(..end)?).into_owned())
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
