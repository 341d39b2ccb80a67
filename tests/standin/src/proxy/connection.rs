use super::Seen;
use super::exchange::{Exchange, Flow};
use super::postgres;
use super::script::Script;
use crate::framing::Wire;
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::sync::watch;

/// Serves one client connection: one exchange after the other, until somebody closes.
///
/// Every client connection has its own upstream connection, so what is cut on one side is cut on the other.
/// The count of the connection and the order to close while idle are taken when it is accepted, not when its task runs.
pub(super) fn serve(stream: TcpStream, script: Arc<Script>) -> impl Future<Output = ()> + Send {
    let (number, idle) = (script.connections(), script.idle.subscribe());
    // An error here is a side that went away; the script's handles and counts say what matters.
    async move {
        if script.speaks_sql {
            drop(postgres::serve(stream, script, number).await);
        } else {
            let client = Wire::new(stream, Arc::clone(&script.read));
            drop(exchanges(client, script, number, idle).await);
        }
    }
}

async fn exchanges(
    mut client: Wire,
    script: Arc<Script>,
    number: u64,
    mut idle: watch::Receiver<u64>,
) -> io::Result<()> {
    let mut upstream = None;
    loop {
        let head = tokio::select! {
            head = client.head() => head?,
            _ = idle.changed() => return Ok(()),
        };
        let Some(head) = head else { return Ok(()) };
        let (method, target) = head.method_and_target();
        let headers = head.headers.clone();
        let (entry, fault) =
            script.for_request(Seen { connection: number, method, target, headers, ..Seen::default() });
        let mut exchange = Exchange { script: &script, client: &mut client, upstream: &mut upstream, head, entry };
        if exchange.run(fault).await? == Flow::Close {
            return Ok(());
        }
    }
}
