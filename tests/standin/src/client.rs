//! One request over one connection, for tests and for asking a stand-in what happened.
//!
//! It has no pool, no redirects and no retries, so what it reports is what the wire said.

use crate::framing::{Framing, Wire, unchunked};
use crate::reply::Reply;
use serde_json::Value;
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;

/// A request that has not been sent.
#[derive(Clone, Debug)]
pub struct Call {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Call {
    /// A request with any method to an `http` URL.
    pub fn new(method: &str, url: &str) -> Self {
        Self { method: method.to_owned(), url: url.to_owned(), headers: Vec::new(), body: Vec::new() }
    }

    /// A GET.
    pub fn get(url: &str) -> Self {
        Self::new("GET", url)
    }

    /// A POST.
    pub fn post(url: &str) -> Self {
        Self::new("POST", url)
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends a form.
    pub fn form(mut self, fields: &[(&str, &str)]) -> Self {
        let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.body = encoded.into_bytes();
        self.header("content-type", "application/x-www-form-urlencoded")
    }

    /// Sends JSON.
    pub fn json(mut self, value: &Value) -> Self {
        self.body = value.to_string().into_bytes();
        self.header("content-type", "application/json")
    }

    /// Sends these bytes, whose kind a header says.
    pub fn body(mut self, bytes: Vec<u8>) -> Self {
        self.body = bytes;
        self
    }

    /// Sends it. A connection that ends before the reply is whole is an error.
    pub async fn send(self) -> io::Result<Reply> {
        let (authority, target) = split(&self.url)?;
        let stream = TcpStream::connect(authority).await?;
        let mut wire = Wire::new(stream, Arc::default());
        wire.write(&self.bytes(authority, &target)).await?;
        let head = wire.head().await?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let framing = head.reply_framing(&self.method);
        let raw = wire.body(framing).await?;
        let body = if framing == Framing::Chunked { unchunked(&raw) } else { raw };
        Ok(Reply { status: head.status(), headers: head.headers, body })
    }

    fn bytes(&self, authority: &str, target: &str) -> Vec<u8> {
        let mut head = format!("{} {target} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n", self.method);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", self.body.len()));
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// Host and port, and the rest.
pub(crate) fn split(url: &str) -> io::Result<(&str, String)> {
    let rest = url.strip_prefix("http://");
    let rest = rest.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, format!("not an http URL: {url}")))?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, target) = rest.split_at(end);
    let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
    Ok((authority, target))
}
