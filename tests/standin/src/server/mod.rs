//! The server: sockets in front, a provider behind, and the injected faults between them.

mod control;
mod later;
mod stage;
#[cfg(test)]
mod tests;

use crate::effects::Effects;
use crate::injection::{Injections, Twists};
use crate::reply::Reply;
use crate::request::Request;
use crate::world::World;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::TokioIo;
use stage::Stage;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A provider's behaviour. What is common to all (sockets, faults, counting) is the server's.
#[async_trait::async_trait]
pub trait Provider: Send + Sync + 'static {
    /// Answers a request. The faults that only the provider can have are in `twists`.
    async fn handle(&self, request: &Request, twists: &Twists) -> Reply;

    /// An error in the provider's own envelope, for faults that never reach [`handle`](Provider::handle).
    fn error(&self, status: u16, code: Option<&str>) -> Reply;

    /// Forgets everything that the provider keeps.
    fn reset(&self);
}

/// A stand-in at work, on a socket of 127.0.0.1. It stops when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    url: String,
    world: World,
    stop: watch::Sender<bool>,
}

impl Server {
    /// Starts serving. Port 0 takes a free one.
    ///
    /// Fails only if the port cannot be had.
    pub async fn start(provider: Arc<dyn Provider>, world: World, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = watch::channel(false);
        let stage = Arc::new(Stage::new(provider, world.clone()));
        tokio::spawn(accept(listener, stage, stopped));
        Ok(Self { address, url: format!("http://{address}"), world, stop })
    }

    /// A server that somebody else wrote, at this address and URL. It can't be told to break inside, and
    /// what has happened there is what its own records say.
    pub fn elsewhere(address: SocketAddr, url: String, world: World) -> Self {
        Self { address, url, world, stop: watch::channel(false).0 }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base URL, without a slash at the end.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// What the provider stands on.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What has happened so far.
    pub fn effects(&self) -> &Effects {
        &self.world.effects
    }

    /// The faults of the provider.
    pub fn injections(&self) -> &Injections {
        &self.world.injections
    }

    /// Serves until the task is dropped: for a stand-in that runs on its own.
    pub async fn run(self) {
        std::future::pending::<()>().await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        // Whatever hangs in a fault is let go, so that no task outlives its server.
        self.world.injections.release_all();
    }
}

async fn accept(listener: TcpListener, stage: Arc<Stage>, mut stopped: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(tokio::spawn(serve(stream, Arc::clone(&stage), stopped.clone()))),
                // A connection that died before it was taken, or no file descriptor left for it: the next one counts.
                Err(_) => tokio::task::yield_now().await,
            },
            () = until(&mut stopped) => return,
        }
    }
}

async fn serve(stream: TcpStream, stage: Arc<Stage>, mut stopped: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let service = hyper::service::service_fn(move |request| answer(Arc::clone(&stage), request));
    let connection = hyper::server::conn::http1::Builder::new()
        .auto_date_header(false)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        // A client that breaks off is what this crate is for, so an error here is no news.
        _ = connection.as_mut() => {}
        () = until(&mut stopped) => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

async fn until(stopped: &mut watch::Receiver<bool>) {
    // An error means that the server is gone, which is the same to us.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Reads the whole request, then works on it in a task of its own: a provider goes on when its caller has left.
async fn answer(
    stage: Arc<Stage>,
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Full<Bytes>>, hyper::Error> {
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes().to_vec();
    let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value.as_bytes()))).collect();
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let request = Request::parse(head.method.as_str(), target, headers, body);
    let work = tokio::spawn(async move { stage.perform(request).await });
    let reply = work.await.unwrap_or_else(|_| Reply::html(500, "The stand-in panicked"));
    Ok(on_the_wire(reply).unwrap_or_else(|never| match never {}))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn on_the_wire(reply: Reply) -> Result<hyper::Response<Full<Bytes>>, Infallible> {
    let mut response = hyper::Response::new(Full::new(Bytes::from(reply.body)));
    *response.status_mut() = hyper::StatusCode::from_u16(reply.status).unwrap_or(hyper::StatusCode::BAD_GATEWAY);
    for (name, value) in reply.headers {
        let name = hyper::header::HeaderName::try_from(name);
        if let (Ok(name), Ok(value)) = (name, hyper::header::HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    Ok(response)
}
