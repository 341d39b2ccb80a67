use super::fault::Fault;
use super::script::Script;
use crate::framing::{Framing, Head, Wire};
use crate::lock;
use crate::signal::Handle;
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;

/// What becomes of the client's connection after an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Keep,
    Close,
}

/// One request and its reply, with both sides at hand.
pub(super) struct Exchange<'a> {
    pub(super) script: &'a Script,
    pub(super) client: &'a mut Wire,
    pub(super) upstream: &'a mut Option<Wire>,
    pub(super) head: Head,
    pub(super) entry: usize,
}

/// A whole reply, as it was on the wire.
struct Raw {
    head: Head,
    body: Vec<u8>,
    closes: bool,
}

impl Raw {
    fn bytes(&self, body_bytes: usize) -> Vec<u8> {
        let mut bytes = self.head.bytes.clone();
        bytes.extend(self.body.iter().take(body_bytes));
        bytes
    }
}

impl Exchange<'_> {
    pub(super) async fn run(&mut self, fault: Option<(Fault, Handle)>) -> io::Result<Flow> {
        let Some((fault, handle)) = fault else { return self.pass().await };
        match fault {
            Fault::CutBeforeSend => self.closed_at(&handle),
            Fault::CutAfterHeaders => self.cut_in_request(&handle, false).await,
            Fault::CutMidBody => self.cut_in_request(&handle, true).await,
            Fault::LoseRequest => {
                self.request_body().await?;
                self.closed_at(&handle)
            }
            Fault::BlackHole => {
                self.request_body().await?;
                handle.reach();
                handle.released().await;
                handle.finish();
                Ok(Flow::Close)
            }
            Fault::Reply(canned) => {
                self.request_body().await?;
                handle.reach();
                self.client.write(&canned.bytes()).await?;
                Ok(self.flow(false))
            }
            Fault::DelayRequest => self.late(&handle).await,
            Fault::Rewrite(rewrite) => {
                self.head.bytes = rewrite.apply(&self.head.bytes);
                let flow = self.pass().await;
                handle.reach();
                flow
            }
            // These two are a matter of connections and never come with a request.
            Fault::RefuseConnection | Fault::CutOnConnect => self.pass().await,
            Fault::CutAfterCommit | Fault::TruncateReply { .. } | Fault::DelayReply | Fault::ReplyAfterCommit(_) => {
                self.after_commit(fault, &handle).await
            }
        }
    }

    async fn pass(&mut self) -> io::Result<Flow> {
        let body = self.request_body().await?;
        let reply = self.forward(&body).await?;
        self.deliver(&reply).await
    }

    /// Faults that begin once the provider has answered.
    async fn after_commit(&mut self, fault: Fault, handle: &Handle) -> io::Result<Flow> {
        let body = self.request_body().await?;
        let reply = self.forward(&body).await?;
        handle.reach();
        match fault {
            Fault::TruncateReply { body_bytes } => {
                self.client.write(&reply.bytes(body_bytes)).await?;
                Ok(Flow::Close)
            }
            Fault::ReplyAfterCommit(canned) => {
                self.client.write(&canned.bytes()).await?;
                Ok(self.flow(reply.closes))
            }
            Fault::DelayReply => {
                handle.released().await;
                let flow = self.deliver(&reply).await;
                handle.finish();
                flow
            }
            _ => Ok(Flow::Close),
        }
    }

    /// Holds the request, and forwards it later whether or not the client is still there.
    async fn late(&mut self, handle: &Handle) -> io::Result<Flow> {
        let body = self.request_body().await?;
        handle.reach();
        handle.released().await;
        let reply = self.forward(&body).await;
        handle.finish();
        self.deliver(&reply?).await
    }

    /// Forwards the head and, if asked, half of the body; then both sides are cut.
    async fn cut_in_request(&mut self, handle: &Handle, with_body: bool) -> io::Result<Flow> {
        let body = if with_body { self.request_body().await? } else { Vec::new() };
        let mut part = self.head.bytes.clone();
        if self.head.request_framing() == Framing::Length(0) {
            // Without a body the head is the whole request, so it must not arrive whole either.
            part.truncate(part.len() - 2);
        }
        part.extend(body.iter().take(body.len() / 2));
        self.connected().await?.write(&part).await?;
        *self.upstream = None;
        self.closed_at(handle)
    }

    fn closed_at(&self, handle: &Handle) -> io::Result<Flow> {
        handle.reach();
        Ok(Flow::Close)
    }

    async fn request_body(&mut self) -> io::Result<Vec<u8>> {
        if self.head.expects_continue() {
            self.client.write(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        }
        let body = self.client.body(self.head.request_framing()).await?;
        self.script.note(self.entry, |seen| {
            seen.whole = true;
            seen.body.clone_from(&body);
        });
        Ok(body)
    }

    /// Sends the whole request once and reads the whole reply. An error is passed on as a cut, never as a second try.
    async fn forward(&mut self, body: &[u8]) -> io::Result<Raw> {
        let mut request = self.head.bytes.clone();
        request.extend_from_slice(body);
        let method = self.head.method_and_target().0;
        self.connected().await?.write(&request).await?;
        self.script.note(self.entry, |seen| seen.forwarded = true);
        let upstream = self.connected_already()?;
        let head = loop {
            let head = upstream.head().await?.ok_or(io::ErrorKind::UnexpectedEof)?;
            // Interim replies are between the provider and us.
            if !(100..200).contains(&head.status()) {
                break head;
            }
        };
        let framing = head.reply_framing(&method);
        let body = upstream.body(framing).await?;
        let closes = head.closes() || framing == Framing::UntilClose;
        if closes {
            *self.upstream = None;
        }
        self.script.note(self.entry, |seen| {
            seen.status = Some(head.status());
            seen.reply_headers.clone_from(&head.headers);
        });
        Ok(Raw { head, body, closes })
    }

    async fn deliver(&mut self, reply: &Raw) -> io::Result<Flow> {
        self.client.write(&reply.bytes(reply.body.len())).await?;
        Ok(self.flow(reply.closes))
    }

    fn flow(&self, closes: bool) -> Flow {
        if closes || self.head.closes() { Flow::Close } else { Flow::Keep }
    }

    /// The upstream connection; a new one if there is none, or if the provider has closed it while nothing was asked.
    async fn connected(&mut self) -> io::Result<&mut Wire> {
        if self.upstream.as_ref().is_none_or(Wire::is_stale) {
            let address = lock(&self.script.upstream).clone();
            *self.upstream = Some(Wire::new(TcpStream::connect(address).await?, Arc::default()));
        }
        self.connected_already()
    }

    fn connected_already(&mut self) -> io::Result<&mut Wire> {
        self.upstream.as_mut().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}
