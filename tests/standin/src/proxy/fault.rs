use crate::reply::Reply;

/// What happens to a request on its way, or to its reply on the way back.
///
/// Each fault has a point at which its [`Handle`](crate::Handle) counts it as *reached*; the sentence says which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Connections are refused by the operating system until released, and open ones are closed when they next fall
    /// idle. Reached once the door is shut. The method, path and number of [`When`](crate::When) are not looked at.
    RefuseConnection,
    /// The connection is closed as soon as it was accepted; connections that idle are closed too. Reached for each.
    /// Of [`When`](crate::When) only the number and times count, in connections.
    CutOnConnect,
    /// The connection is closed once the request's head has been read; nothing is forwarded. Reached then.
    CutBeforeSend,
    /// The head is forwarded, then both sides are cut: the provider never has a whole request. Reached after the cut.
    CutAfterHeaders,
    /// The head and about half of the body are forwarded, then both sides are cut. Reached after the cut.
    CutMidBody,
    /// The whole request is read and thrown away, and the connection closed. Reached then.
    LoseRequest,
    /// The whole request is read and thrown away; no answer comes until released, and then only the end of the
    /// connection. Reached when the request has been read.
    BlackHole,
    /// The request is forwarded and the whole reply read: the effect has happened. Then the connection is closed
    /// without a byte of it. Reached once the reply is whole.
    CutAfterCommit,
    /// As before, but the head and so many bytes of the body come through.
    TruncateReply {
        /// How many bytes of the body.
        body_bytes: usize,
    },
    /// The request is forwarded; the whole reply is held until released. Reached once the reply is whole.
    DelayReply,
    /// The whole request is held until released and then forwarded, even if the client has left: a late effect.
    /// Reached when the request has been read; finished when the provider has answered.
    DelayRequest,
    /// The request is not forwarded; this reply comes back. Reached when the request has been read.
    Reply(Canned),
    /// The request is forwarded and the whole reply read; this one comes back in its place. Reached in between.
    ReplyAfterCommit(Canned),
    /// The request is forwarded with another head. Reached once the reply is whole.
    Rewrite(Rewrite),
}

impl Fault {
    /// A canned reply in JSON, in place of the provider's.
    pub fn reply(status: u16, body: &serde_json::Value) -> Self {
        Self::Reply(Reply::json(status, body).into())
    }

    pub(super) fn is_of_connections(&self) -> bool {
        matches!(self, Self::RefuseConnection | Self::CutOnConnect)
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::RefuseConnection => "refuse_connection",
            Self::CutOnConnect => "cut_on_connect",
            Self::CutBeforeSend => "cut_before_send",
            Self::CutAfterHeaders => "cut_after_headers",
            Self::CutMidBody => "cut_mid_body",
            Self::LoseRequest => "lose_request",
            Self::BlackHole => "black_hole",
            Self::CutAfterCommit => "cut_after_commit",
            Self::TruncateReply { .. } => "truncate_reply",
            Self::DelayReply => "delay_reply",
            Self::DelayRequest => "delay_request",
            Self::Reply(_) => "reply",
            Self::ReplyAfterCommit(_) => "reply_after_commit",
            Self::Rewrite(_) => "rewrite",
        }
    }
}

/// A reply that a script brings along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canned(Reply);

impl From<Reply> for Canned {
    fn from(reply: Reply) -> Self {
        Self(reply)
    }
}

impl Canned {
    /// Its body alone: where the protocol has no heads, the body is the messages.
    pub(super) fn body(&self) -> &[u8] {
        &self.0.body
    }

    /// The reply as it goes over the wire.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} Canned\r\n", self.0.status);
        for (name, value) in &self.0.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !matches!(self.0.status, 204 | 304) {
            head.push_str(&format!("content-length: {}\r\n", self.0.body.len()));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.0.body);
        bytes
    }
}

/// What is changed in a request's head, for a server whose paths begin elsewhere or that is told by a header what to answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewrite {
    /// Taken off the beginning of the path, if it stands there.
    pub without_prefix: Option<String>,
    /// Headers that are added.
    pub headers: Vec<(String, String)>,
}

impl Rewrite {
    /// The head as it is forwarded.
    pub(super) fn apply(&self, head: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(head);
        let (start, rest) = text.split_once("\r\n").unwrap_or((&text, ""));
        let shorter = self.without_prefix.as_deref().and_then(|prefix| {
            let (method, target) = start.split_once(' ')?;
            target.strip_prefix(prefix).filter(|target| target.starts_with('/')).map(|to| format!("{method} {to}"))
        });
        let added: String = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!("{}\r\n{added}{rest}", shorter.as_deref().unwrap_or(start)).into_bytes()
    }
}
