use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use url::Url;

use super::Gate;
use super::gated::{Gated, closed};
use super::line::{Line, dial};
use super::outgoing::Place;
use super::stats::Counters;
use crate::words::Fault;

/// A TCP connection of one shot over another protocol than HTTP. Every byte passes only while the
/// gate is open, the encryption's included, and closing throws away what the kernel still holds.
pub struct GatedStream(Gated);

impl GatedStream {
    /// Connects to the host of an address; `port` is taken where the address names none.
    ///
    /// # Errors
    /// [`Fault::NotSent`]: nothing was written yet.
    pub async fn connect(base: &Url, port: u16, gate: &Gate) -> Result<Self, Fault> {
        let place = Place::of(base, port)?;
        let counters = Arc::<Counters>::default();
        tokio::select! {
            biased;
            () = closed(gate) => Err(Fault::NotSent("the deadline passed while connecting".to_owned())),
            () = tokio::time::sleep(Line::CONNECT_WITHIN) => {
                Err(Fault::NotSent(format!("no connection within {} s", Line::CONNECT_WITHIN.as_secs())))
            }
            dialed = dial(&place, gate, &counters) => match dialed {
                Ok(valve) => Ok(Self(Gated(valve))),
                Err(error) => Err(Fault::NotSent(format!("no connection: {error}"))),
            },
        }
    }
}

impl AsyncRead for GatedStream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl AsyncWrite for GatedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::clock::SystemClock;

    async fn pair(within_ms: u64) -> (GatedStream, tokio::net::TcpStream) {
        use crate::clock::Clock as _;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let base = Url::parse("other://127.0.0.1/").expect("an address");
        let clock = SystemClock::new();
        let gate = Gate::new(Arc::new(clock), clock.now(), within_ms);
        let ours = GatedStream::connect(&base, port, &gate).await.expect("a connection");
        (ours, listener.accept().await.expect("a client").0)
    }

    #[tokio::test]
    async fn bytes_pass_while_the_gate_is_open_and_none_after() {
        let (mut ours, mut theirs) = pair(300).await;
        ours.write_all(b"before").await.expect("written");
        tokio::time::sleep(Duration::from_millis(350)).await;
        ours.write_all(b"after").await.expect_err("the gate is shut");
        drop(ours);
        let mut heard = Vec::new();
        // Closing is an abort, so the end may be one too.
        let _ = theirs.read_to_end(&mut heard).await;
        assert_eq!(heard, b"before");
    }
}
