//! Being told to stop: once to end in order, twice to end at once.

use tokio::sync::watch;

use crate::exit::Failure;

/// How often the process was told.
#[derive(Clone)]
pub(crate) struct Stop(watch::Receiver<u32>);

impl Stop {
    /// Begins to listen for SIGTERM and SIGINT, or Ctrl-C where there are no signals.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let (told, times) = watch::channel(0);
        let mut signals = Signals::new()
            .map_err(|error| Failure::internal(format!("nothing was sent: no signals here ({error})")))?;
        tokio::spawn(async move {
            loop {
                signals.next().await;
                told.send_modify(|times| *times += 1);
            }
        });
        Ok(Self(times))
    }

    /// How often it was told.
    pub(crate) fn times(&self) -> u32 {
        *self.0.borrow()
    }

    /// Waits until it was told so many times.
    pub(crate) async fn told(&mut self, times: u32) {
        if self.0.wait_for(|told| *told >= times).await.is_err() {
            // Nobody listens any more, so nobody will be told.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
