use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use url::Host;

use super::answer;
use super::gated::{Gated, Valve, closed};
use super::outgoing::Place;
use super::stats::Counters;
use super::tls::Tls;
use super::{Gate, Response};
use crate::words::Fault;

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

type Connection = http1::Connection<TokioIo<Box<dyn Stream>>, Full<Bytes>>;

/// One HTTP/1.1 connection of our own. No task of its own drives it: whoever shoots does, so that
/// dropping the shot or the line closes the socket at once, and nothing happens on an idle one.
pub(super) struct Line {
    sender: http1::SendRequest<Full<Bytes>>,
    connection: Pin<Box<Connection>>,
    valve: Arc<Valve>,
    ended: bool,
}

impl Line {
    /// Most time that connecting takes, with names and encryption. Shorter than a deadline, so that
    /// the attempt may be made again: nothing of the request has left.
    pub(super) const CONNECT_WITHIN: Duration = Duration::from_secs(10);
    /// Most time that one of several addresses gets.
    const ADDRESS_WITHIN: Duration = Duration::from_secs(4);

    /// Opens a connection. No byte of a request is written, so every failure is [`Fault::NotSent`].
    pub(super) async fn open(place: &Place, tls: &Tls, gate: &Gate, counters: &Arc<Counters>) -> Result<Self, Fault> {
        tokio::select! {
            biased;
            () = closed(gate) => Err(Fault::NotSent("the deadline passed while connecting".to_owned())),
            () = tokio::time::sleep(Self::CONNECT_WITHIN) => {
                Err(Fault::NotSent(format!("no connection within {} s", Self::CONNECT_WITHIN.as_secs())))
            }
            line = Self::connect(place, tls, gate, counters) => line,
        }
    }

    async fn connect(place: &Place, tls: &Tls, gate: &Gate, counters: &Arc<Counters>) -> Result<Self, Fault> {
        let encryption = if place.encrypted { Some(TlsConnector::from(tls.config()?)) } else { None };
        let valve =
            dial(place, gate, counters).await.map_err(|error| Fault::NotSent(format!("no connection: {error}")))?;
        counters.opened();
        let gated = Gated(Arc::clone(&valve));
        let stream: Box<dyn Stream> = match encryption {
            None => Box::new(gated),
            Some(connector) => {
                let name = server_name(&place.host)?;
                let failed = |error| Fault::NotSent(format!("no encryption: {error}"));
                Box::new(connector.connect(name, gated).await.map_err(failed)?)
            }
        };
        let (sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| Fault::NotSent(format!("no connection: {error}")))?;
        Ok(Self { sender, connection: Box::pin(connection), valve, ended: false })
    }

    /// Sends one request and reads its answer. [`Fault::NotSent`] if the kernel took no byte of it.
    /// After an error the line must be dropped.
    pub(super) async fn shoot(&mut self, request: http::Request<Full<Bytes>>, gate: &Gate) -> Result<Response, Fault> {
        let result = match self.valve.begin(gate) {
            Ok(()) => tokio::select! {
                biased;
                () = closed(gate) => Err(Fault::Lost("the deadline passed before the whole answer came".to_owned())),
                answer = self.exchange(request) => answer,
            },
            Err(error) => Err(Fault::Lost(error.to_string())),
        };
        match result {
            // Whatever came was no answer to this request.
            Ok(_) if self.valve.written() == 0 => {
                Err(Fault::NotSent("something else was on the connection".to_owned()))
            }
            Err(Fault::Lost(why) | Fault::Unread(why)) if self.valve.written() == 0 => Err(Fault::NotSent(why)),
            other => other,
        }
    }

    async fn exchange(&mut self, request: http::Request<Full<Bytes>>) -> Result<Response, Fault> {
        let Self { sender, connection, ended, .. } = self;
        let mut answer = pin!(async {
            match sender.send_request(request).await {
                Ok(response) => answer::whole(response).await,
                Err(error) => Err(answer::broken(&error)),
            }
        });
        poll_fn(|context| {
            if !*ended && let Poll::Ready(end) = connection.as_mut().poll(context) {
                *ended = true;
                // The sender hears of the end too, but often less of the reason.
                if let Err(error) = end {
                    return match answer.as_mut().poll(context) {
                        Poll::Ready(Ok(response)) => Poll::Ready(Ok(response)),
                        _ => Poll::Ready(Err(answer::broken(&error))),
                    };
                }
            }
            answer.as_mut().poll(context)
        })
        .await
    }

    /// Makes the line ready for another shot, if it may serve one.
    pub(super) async fn rest(mut self) -> Option<Self> {
        // Lets the connection notice the end of the answer, and anything that follows it.
        poll_fn(|context| {
            self.ended = self.ended || self.connection.as_mut().poll(context).is_ready();
            Poll::Ready(())
        })
        .await;
        let fit = !self.ended && self.sender.is_ready() && self.valve.shut().is_ok();
        fit.then_some(self)
    }

    /// Whether it can be used again right now.
    pub(super) fn is_fit(&self) -> bool {
        self.sender.is_ready() && self.valve.is_quiet()
    }
}

/// Connects to the first address that answers.
pub(super) async fn dial(place: &Place, gate: &Gate, counters: &Arc<Counters>) -> io::Result<Arc<Valve>> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in addresses(place).await? {
        let connecting = Valve::connect(address, gate, Arc::clone(counters));
        match tokio::time::timeout(Line::ADDRESS_WITHIN, connecting).await {
            Ok(Ok(valve)) => return Ok(valve),
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(last)
}

async fn addresses(place: &Place) -> io::Result<Vec<SocketAddr>> {
    match &place.host {
        Host::Ipv4(ip) => Ok(vec![SocketAddr::new(IpAddr::V4(*ip), place.port)]),
        Host::Ipv6(ip) => Ok(vec![SocketAddr::new(IpAddr::V6(*ip), place.port)]),
        Host::Domain(name) => Ok(tokio::net::lookup_host((name.as_str(), place.port)).await?.collect()),
    }
}

fn server_name(host: &Host<String>) -> Result<ServerName<'static>, Fault> {
    match host {
        Host::Ipv4(ip) => Ok(ServerName::from(IpAddr::V4(*ip))),
        Host::Ipv6(ip) => Ok(ServerName::from(IpAddr::V6(*ip))),
        Host::Domain(name) => ServerName::try_from(name.clone())
            .map_err(|_| Fault::NotSent("the host's name can't stand in a certificate".to_owned())),
    }
}
