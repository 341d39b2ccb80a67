use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use socket2::SockRef;
use url::Url;

/// Long enough that only a hung test meets it.
pub(crate) const HUNG: Duration = Duration::from_secs(20);

/// An answer with a body that ends.
pub(crate) const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

/// A server that is written out by hand: the script plays one connection at a time per thread, and
/// every byte is recorded.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Receiver<Seen>,
}

/// What one connection brought, from the first byte to its end.
pub(crate) struct Seen {
    number: usize,
    pub(crate) bytes: Vec<u8>,
    pub(crate) reset: bool,
}

/// The server's end of one connection.
pub(crate) struct Peer {
    /// None after a reset, since only closing it resets the connection.
    socket: Option<TcpStream>,
    /// Everything that came.
    bytes: Vec<u8>,
    /// What of it no request has used.
    unread: usize,
    reset: bool,
    over: bool,
}

impl Server {
    /// Plays the script on each connection; it is told the connection's number, from 0.
    pub(crate) fn start(script: impl Fn(usize, &mut Peer) + Send + Sync + Clone + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (tell, seen) = channel();
        thread::spawn(move || accept(&listener, &tell, &script));
        Self { address, seen }
    }

    /// Answers each request with the same bytes.
    pub(crate) fn answering(answer: &'static [u8]) -> Self {
        Self::start(move |_, peer| {
            while peer.request().is_some() {
                peer.say(answer);
            }
        })
    }

    pub(crate) fn url(&self) -> Url {
        Url::parse(&format!("http://{}", self.address)).expect("a URL")
    }

    /// The next connection that has come to its end.
    pub(crate) fn ended(&self) -> Seen {
        self.seen.recv_timeout(HUNG).expect("a connection that ended")
    }

    /// All connections that came. A last one tells how many there were; each of them must come to
    /// its end, so the transport is dropped first.
    pub(crate) fn all(self) -> Vec<Seen> {
        let mut last = TcpStream::connect(self.address).expect("a connection");
        last.write_all(Self::LAST).expect("written");
        drop(last);
        let (mut all, mut count) = (Vec::new(), usize::MAX);
        while all.len() < count {
            match self.ended() {
                seen if seen.bytes == Self::LAST => count = seen.number,
                seen => all.push(seen),
            }
        }
        all
    }

    const LAST: &'static [u8] = b"the last connection";
}

fn accept(
    listener: &TcpListener,
    tell: &Sender<Seen>,
    script: &(impl Fn(usize, &mut Peer) + Send + Sync + Clone + 'static),
) {
    for (number, socket) in listener.incoming().enumerate() {
        let Ok(socket) = socket else { return };
        let (tell, script) = (tell.clone(), script.clone());
        thread::spawn(move || {
            let mut peer = Peer::new(socket);
            script(number, &mut peer);
            peer.drain();
            // The test may be over already.
            let _ = tell.send(Seen { number, bytes: peer.bytes, reset: peer.reset });
        });
    }
}

impl Peer {
    fn new(socket: TcpStream) -> Self {
        socket.set_read_timeout(Some(HUNG)).expect("a time-out");
        Self { socket: Some(socket), bytes: Vec::new(), unread: 0, reset: false, over: false }
    }

    /// Reads one whole request; none at the end of the connection.
    pub(crate) fn request(&mut self) -> Option<String> {
        loop {
            if let Some(end) = whole(&self.bytes[self.unread..]) {
                let request = self.bytes[self.unread..self.unread + end].to_vec();
                self.unread += end;
                return Some(String::from_utf8_lossy(&request).into_owned());
            }
            if !self.more() {
                return None;
            }
        }
    }

    /// Reads on; false at the end of the connection.
    pub(crate) fn more(&mut self) -> bool {
        let Some(socket) = self.socket.as_mut().filter(|_| !self.over) else { return false };
        let mut piece = [0; 65536];
        match socket.read(&mut piece) {
            Ok(0) => self.over = true,
            Ok(read) => self.bytes.extend_from_slice(&piece[..read]),
            Err(error) => {
                let reset = !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
                assert!(reset, "the connection stayed open and silent");
                (self.over, self.reset) = (true, true);
            }
        }
        !self.over
    }

    /// Writes; a client that has gone is no error.
    pub(crate) fn say(&mut self, bytes: &[u8]) {
        if let Some(socket) = &mut self.socket {
            let _ = socket.write_all(bytes);
        }
    }

    /// Ends our side.
    pub(crate) fn close(&mut self) {
        if let Some(socket) = &self.socket {
            let _ = socket.shutdown(Shutdown::Write);
        }
    }

    /// Ends both sides with a reset.
    pub(crate) fn reset(&mut self) {
        if let Some(socket) = self.socket.take() {
            SockRef::from(&socket).set_linger(Some(Duration::ZERO)).expect("an option");
        }
        self.over = true;
    }

    fn drain(&mut self) {
        while self.more() {}
    }
}

/// Length of the whole request at the beginning, if there is one.
fn whole(bytes: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(bytes);
    let head = text.find("\r\n\r\n")? + 4;
    let length = text[..head].lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok()).flatten()
    });
    let end = head + length.unwrap_or(0);
    (bytes.len() >= end).then_some(end)
}
