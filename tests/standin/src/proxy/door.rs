use super::connection;
use super::script::Script;
use crate::signal::Handle;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// A port that can be shut and opened again.
///
/// A second socket is bound to the port and never listens. While the door is shut it keeps the port ours, and the
/// operating system refuses connections to it.
#[derive(Debug)]
pub(super) struct Door {
    pub(super) address: SocketAddr,
    _keeper: TcpSocket,
    listener: Option<TcpListener>,
}

impl Door {
    pub(super) async fn open() -> io::Result<Self> {
        let keeper = bound((Ipv4Addr::LOCALHOST, 0).into())?;
        let address = keeper.local_addr()?;
        let listener = Some(bound(address)?.listen(1024)?);
        Ok(Self { address, _keeper: keeper, listener })
    }

    fn reopen(&mut self) -> io::Result<()> {
        self.listener = Some(bound(self.address)?.listen(1024)?);
        Ok(())
    }
}

fn bound(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// Accepts, and shuts and opens when told. All connections end with this task.
pub(super) async fn keep(mut door: Door, script: Arc<Script>, mut orders: watch::Receiver<Option<Handle>>) {
    let mut connections = JoinSet::new();
    loop {
        let Some(listener) = &door.listener else { return };
        tokio::select! {
            biased;
            changed = orders.changed() => {
                let order = orders.borrow_and_update().clone();
                match (changed, order) {
                    (Ok(()), Some(handle)) => shut(&mut door, &handle).await,
                    _ => return,
                }
            }
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                match script.for_connection() {
                    // Dropping the stream closes it.
                    Some(handle) => handle.reach(),
                    None => drop(connections.spawn(connection::serve(stream, Arc::clone(&script)))),
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn shut(door: &mut Door, handle: &Handle) {
    door.listener = None;
    handle.reach();
    handle.released().await;
    // Only another process that listens on the very port could be in the way; then the proxy is over, visibly.
    let _ = door.reopen();
    handle.finish();
}
