use std::io;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::Gate;
use super::stats::Counters;

/// A TCP connection that passes bytes only while the gate of the present request is open.
///
/// It lies under TLS, so it sees every byte that leaves, also one that the layers above accepted
/// earlier and still hold. It asks the clock before each single write, since the machine may have
/// slept between any two. Between that question and the write there is no lock that the kernel
/// offers: a process stopped exactly there writes one piece late, which is what `settle` is for.
pub(super) struct Valve {
    socket: TcpStream,
    gate: Mutex<Option<Gate>>,
    written: AtomicU64,
    shot: AtomicU64,
    /// Whether the layers above have said, since the last write, that they hold nothing back.
    flushed: AtomicBool,
    counters: Arc<Counters>,
}

/// Marks a connection on which no shot has begun.
const NO_SHOT: u64 = u64::MAX;

impl Valve {
    /// Connects; nothing but the TLS handshake may pass until a shot begins.
    pub(super) async fn connect(address: SocketAddr, gate: &Gate, counters: Arc<Counters>) -> io::Result<Arc<Self>> {
        let socket = TcpStream::connect(address).await?;
        socket.set_nodelay(true)?;
        let valve = Self {
            socket,
            gate: Mutex::new(None),
            written: AtomicU64::new(0),
            shot: AtomicU64::new(NO_SHOT),
            flushed: AtomicBool::new(false),
            counters,
        };
        valve.open(gate)?;
        Ok(Arc::new(valve))
    }

    /// Begins a shot: from here on written bytes are the request's.
    pub(super) fn begin(&self, gate: &Gate) -> io::Result<()> {
        self.flushed.store(false, Ordering::Release);
        self.shot.store(self.written.load(Ordering::Acquire), Ordering::Release);
        self.open(gate)
    }

    /// Bytes that the kernel took since the shot began.
    pub(super) fn written(&self) -> u64 {
        match self.shot.load(Ordering::Acquire) {
            NO_SHOT => 0,
            start => self.written.load(Ordering::Acquire).saturating_sub(start),
        }
    }

    /// Lets bytes pass while the gate is open, and makes every way of closing the socket an abort.
    ///
    /// The kernel delivers what it has taken, and goes on doing so after the process has closed the
    /// socket, is stopped, or is dead. So the linger time is zero (closing throws the unsent bytes
    /// away and resets the connection; so on Linux, the BSDs, macOS and Windows), and on Linux
    /// `TCP_USER_TIMEOUT` ends what the other side has not acknowledged in time.
    fn open(&self, gate: &Gate) -> io::Result<()> {
        self.socket.set_zero_linger()?;
        self.bound_retransmission(gate.remaining())?;
        *self.gate.lock().unwrap_or_else(PoisonError::into_inner) = Some(gate.clone());
        Ok(())
    }

    /// Ends a shot whose whole answer was read: nothing is to be thrown away any more, and nothing
    /// may be written until the next. Fails if part of the request has not left: a server may answer
    /// before it has read all, and the next request would go out behind that rest.
    pub(super) fn shut(&self) -> io::Result<()> {
        if !self.flushed.load(Ordering::Acquire) {
            return Err(io::Error::other("part of the request has not left"));
        }
        *self.gate.lock().unwrap_or_else(PoisonError::into_inner) = None;
        SockRef::from(&self.socket).set_linger(None)
    }

    /// Whether the other side has neither closed the idle connection nor said anything on it. Asks
    /// the kernel itself: what the event loop knows may be older.
    pub(super) fn is_quiet(&self) -> bool {
        let mut byte = [MaybeUninit::uninit()];
        matches!(SockRef::from(&self.socket).peek(&mut byte), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    fn check(&self) -> io::Result<()> {
        match &*self.gate.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(gate) if gate.is_open() => Ok(()),
            Some(_) => Err(io::Error::other("the deadline has passed")),
            None => Err(io::Error::other("no request is under way")),
        }
    }

    fn note(&self, bytes: usize) {
        self.written.fetch_add(bytes as u64, Ordering::AcqRel);
        if self.shot.load(Ordering::Acquire) != NO_SHOT {
            self.counters.wrote(bytes as u64);
        }
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn bound_retransmission(&self, within: Duration) -> io::Result<()> {
        SockRef::from(&self.socket).set_tcp_user_timeout(Some(within.max(Duration::from_millis(1))))
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn bound_retransmission(&self, _within: Duration) -> io::Result<()> {
        Ok(())
    }
}

/// The stream over a [`Valve`] that TLS or HTTP writes to.
pub(super) struct Gated(pub(super) Arc<Valve>);

impl AsyncRead for Gated {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.0.socket.poll_read_ready(context))?;
            self.0.check()?;
            match self.0.socket.try_read(into.initialize_unfilled()) {
                Ok(bytes) => {
                    into.advance(bytes);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Gated {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.flushed.store(false, Ordering::Release);
        loop {
            ready!(self.0.socket.poll_write_ready(context))?;
            // The last thing before the write, and after every wait.
            self.0.check()?;
            match self.0.socket.try_write(bytes) {
                Ok(taken) => {
                    self.0.note(taken);
                    return Poll::Ready(Ok(taken));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }

    /// HTTP and TLS flush what is below them only when they hold nothing any more.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.flushed.store(true, Ordering::Release);
        Poll::Ready(Ok(()))
    }

    /// Does nothing: a connection that is no longer wanted is dropped whole, which closes it.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Waits until the gate has closed. A timer may not count sleep while the gate's clock does, so it
/// looks again at least once a second.
pub(super) async fn closed(gate: &Gate) {
    const LOOK_AGAIN: Duration = Duration::from_secs(1);
    while gate.is_open() {
        tokio::time::sleep(gate.remaining().clamp(Duration::from_millis(1), LOOK_AGAIN)).await;
    }
}
