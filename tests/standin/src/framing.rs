//! Where an HTTP/1.1 message begins and ends on the wire.
//!
//! The proxy must know when a request or a reply is complete, and must pass it on byte for byte. So messages are read
//! raw: a head, then a body whose end the head announces.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Larger heads are refused; no provider here sends any.
const HEAD_BYTES_MAX: usize = 256 * 1024;

/// A start line and headers, and the bytes that they were read from.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) bytes: Vec<u8>,
    pub(crate) start: String,
    pub(crate) headers: Vec<(String, String)>,
}

/// How the end of a body is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Length(usize),
    Chunked,
    UntilClose,
}

impl Head {
    fn parse(bytes: Vec<u8>) -> Self {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut lines = text.split("\r\n");
        let start = lines.next().unwrap_or_default().to_owned();
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
        Self { bytes, start, headers }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// Whether a header that is a list of words has this word.
    fn says(&self, name: &str, word: &str) -> bool {
        self.header(name).is_some_and(|list| list.split(',').any(|item| item.trim().eq_ignore_ascii_case(word)))
    }

    pub(crate) fn closes(&self) -> bool {
        self.says("connection", "close") || (self.start.contains("HTTP/1.0") && !self.says("connection", "keep-alive"))
    }

    pub(crate) fn expects_continue(&self) -> bool {
        self.says("expect", "100-continue")
    }

    /// Method and target of a request.
    pub(crate) fn method_and_target(&self) -> (String, String) {
        let mut words = self.start.split(' ').map(str::to_owned);
        (words.next().unwrap_or_default(), words.next().unwrap_or_default())
    }

    /// The status of a reply, or zero.
    pub(crate) fn status(&self) -> u16 {
        self.start.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    pub(crate) fn request_framing(&self) -> Framing {
        self.announced().unwrap_or(Framing::Length(0))
    }

    pub(crate) fn reply_framing(&self, method: &str) -> Framing {
        match self.status() {
            _ if method.eq_ignore_ascii_case("HEAD") => Framing::Length(0),
            100..=199 | 204 | 304 => Framing::Length(0),
            _ => self.announced().unwrap_or(Framing::UntilClose),
        }
    }

    fn announced(&self) -> Option<Framing> {
        if self.says("transfer-encoding", "chunked") {
            return Some(Framing::Chunked);
        }
        self.header("content-length").and_then(|length| length.parse().ok()).map(Framing::Length)
    }
}

/// A connection with the bytes that were read ahead of their turn.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    ahead: Vec<u8>,
    read: Arc<AtomicU64>,
}

impl Wire {
    /// Counts what is read into `read`.
    pub(crate) fn new(stream: TcpStream, read: Arc<AtomicU64>) -> Self {
        let _ = stream.set_nodelay(true);
        Self { stream, ahead: Vec::new(), read }
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// Whether the other side has closed a connection on which nothing is under way, or said something unasked.
    pub(crate) fn is_stale(&self) -> bool {
        let mut byte = [0];
        let pending = self.stream.try_read(&mut byte);
        !matches!(pending, Err(error) if error.kind() == io::ErrorKind::WouldBlock) || !self.ahead.is_empty()
    }

    /// The next head, or nothing if the other side closed before its first byte.
    pub(crate) async fn head(&mut self) -> io::Result<Option<Head>> {
        loop {
            if let Some(end) = find(&self.ahead, b"\r\n\r\n") {
                return Ok(Some(Head::parse(self.take(end + 4))));
            }
            if self.ahead.len() > HEAD_BYTES_MAX {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a head without an end"));
            }
            if self.fill().await? == 0 {
                return if self.ahead.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
        }
    }

    /// The whole body as it is on the wire, chunk sizes included. An early end is an error.
    pub(crate) async fn body(&mut self, framing: Framing) -> io::Result<Vec<u8>> {
        match framing {
            Framing::Length(length) => self.exactly(length).await,
            Framing::Chunked => self.chunks().await,
            Framing::UntilClose => {
                while self.fill().await? > 0 {}
                Ok(std::mem::take(&mut self.ahead))
            }
        }
    }

    async fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut raw = Vec::new();
        loop {
            let line = self.line().await?;
            let size = chunk_size(&line)?;
            raw.extend_from_slice(&line);
            if size == 0 {
                break;
            }
            raw.extend(self.exactly(size + 2).await?);
        }
        loop {
            let trailer = self.line().await?;
            raw.extend_from_slice(&trailer);
            if trailer == b"\r\n" {
                return Ok(raw);
            }
        }
    }

    async fn line(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(end) = find(&self.ahead, b"\r\n") {
                return Ok(self.take(end + 2));
            }
            self.more().await?;
        }
    }

    async fn exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.ahead.len() < length {
            self.more().await?;
        }
        Ok(self.take(length))
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        let rest = self.ahead.split_off(length);
        std::mem::replace(&mut self.ahead, rest)
    }

    async fn more(&mut self) -> io::Result<()> {
        if self.fill().await? == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    async fn fill(&mut self) -> io::Result<usize> {
        let read = self.stream.read_buf(&mut self.ahead).await?;
        self.read.fetch_add(read as u64, Ordering::SeqCst);
        Ok(read)
    }
}

fn chunk_size(line: &[u8]) -> io::Result<usize> {
    let text = String::from_utf8_lossy(line);
    let digits = text.trim().split(';').next().unwrap_or_default().trim().to_owned();
    usize::from_str_radix(&digits, 16).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// A body without the sizes of its chunks.
pub(crate) fn unchunked(raw: &[u8]) -> Vec<u8> {
    let (mut rest, mut body) = (raw, Vec::new());
    while let Some(end) = find(rest, b"\r\n") {
        let size = chunk_size(&rest[..end]).unwrap_or(0);
        let start = end + 2;
        if size == 0 || rest.len() < start + size + 2 {
            break;
        }
        body.extend_from_slice(&rest[start..start + size]);
        rest = &rest[start + size + 2..];
    }
    body
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framing_is_read_from_the_head() {
        #[track_caller]
        fn check(head: &str, method: &str, expected: Framing) {
            let head = Head::parse(head.replace('\n', "\r\n").into_bytes());
            assert_eq!(head.reply_framing(method), expected);
        }
        check("HTTP/1.1 200 OK\nContent-Length: 12\n\n", "GET", Framing::Length(12));
        check("HTTP/1.1 200 OK\nContent-Length: 12\n\n", "HEAD", Framing::Length(0));
        check("HTTP/1.1 204 No Content\n\n", "POST", Framing::Length(0));
        check("HTTP/1.1 200 OK\nTransfer-Encoding: gzip, chunked\n\n", "GET", Framing::Chunked);
        check("HTTP/1.0 200 OK\n\n", "GET", Framing::UntilClose);
    }

    #[test]
    fn chunks_are_put_together() {
        assert_eq!(unchunked(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"), b"abcde");
        assert_eq!(unchunked(b"3\r\nabc\r\n5\r\nde"), b"abc");
    }
}
