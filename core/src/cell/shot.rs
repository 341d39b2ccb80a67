use serde::de::DeserializeOwned;

use super::{Connection, Wire};
use crate::capability::{CellSpec, Code, Meaning, meaning_of};
use crate::identity::Names;
use crate::transport::{Gate, Request, Response, is_plain_segment};
use crate::words::{Answer, Covers, Fault};

/// The one request that counts. It is used up by sending, and it can do nothing else: no read
/// before, between or after.
pub struct Shot<'a> {
    names: &'a Names,
    wire: &'a Wire,
    spec: &'static CellSpec,
    gate: Gate,
}

impl<'a> Shot<'a> {
    /// Made by the executor after the departure is durable, or by hand for one's own.
    pub fn new(names: &'a Names, wire: &'a Wire, spec: &'static CellSpec, gate: Gate) -> Self {
        Self { names, wire, spec, gate }
    }

    /// Tokens, mark and notes.
    pub fn names(&self) -> &'a Names {
        self.names
    }

    /// Sends once and reads the answer by the cell's table. `read` sees only a 2xx that parsed and
    /// carries no error. A request of which no byte left is tried again on the same record until
    /// the deadline.
    pub async fn send<B: DeserializeOwned, R>(
        self,
        request: Request,
        read: impl FnOnce(B) -> Answer<R> + Send,
    ) -> Answer<R> {
        self.send_and_judge(request, |response| match serde_json::from_slice(&response.body) {
            Ok(body) => read(body),
            Err(_) => Answer::Unclear(Fault::Unread(format!("status {}", response.status))),
        })
        .await
    }

    /// The same where the documented success is a status without a body, such as a 204: `read` sees
    /// only an answer of just this status with nothing in it, for what its headers say.
    pub async fn send_for_status<R>(
        self,
        request: Request,
        status: u16,
        read: impl FnOnce(&Response) -> Answer<R> + Send,
    ) -> Answer<R> {
        self.send_and_judge(request, |response| {
            if response.status == status && response.body.is_empty() {
                read(response)
            } else {
                Answer::Unclear(Fault::Unread(format!("status {} instead of an empty {status}", response.status)))
            }
        })
        .await
    }

    /// Takes the shot over something else than HTTP, such as a database's own protocol: `take` gets
    /// the connection and the gate. It asks the gate right before the bytes that count, and when the
    /// gate closes it is dropped, with whatever connection it holds. It opens that connection itself
    /// and keeps it to itself, so that nothing of it can leave later.
    pub async fn by_own_means<'s, R, F: Future<Output = Answer<R>> + Send>(
        self,
        take: impl FnOnce(&'s Connection, Gate) -> F + Send,
    ) -> Answer<R>
    where
        'a: 's,
    {
        let taken = take(self.wire.connection(), self.gate.clone());
        tokio::select! {
            // First, so that what notices the closed gate by itself can still say what has not left.
            biased;
            answer = taken => answer,
            () = self.gate.closed() => {
                Answer::Unclear(Fault::Lost("the deadline passed before an answer came".to_owned()))
            }
        }
    }

    async fn send_and_judge<R>(
        self,
        mut request: Request,
        read: impl FnOnce(&Response) -> Answer<R> + Send,
    ) -> Answer<R> {
        let integration = &self.wire.connection.integration;
        if let Err(fault) = integration.authorize(&self.wire.connection, &mut request) {
            return Answer::NotDone(fault.to_string(), None);
        }
        match self.deliver(request).await {
            Ok(response) => self.judge(&response, read),
            // No byte left, so nothing can have happened: documented by our own socket.
            Err(Fault::NotSent(why)) => Answer::NotDone(format!("not sent: {why}"), None),
            Err(fault) => Answer::Unclear(fault),
        }
    }

    async fn deliver(&self, request: Request) -> Result<Response, Fault> {
        let mut pause_ms = 50;
        loop {
            match self.wire.transport.shoot(&self.wire.connection.base_url, request.clone(), self.gate.clone()).await {
                Err(Fault::NotSent(why)) => {
                    if self.gate.remaining_ms() <= pause_ms {
                        return Err(Fault::NotSent(why));
                    }
                    self.wire.clock.sleep(pause_ms).await;
                    pause_ms = (pause_ms * 4).min(30_000);
                }
                other => return other,
            }
        }
    }

    fn judge<R>(&self, response: &Response, read: impl FnOnce(&Response) -> Answer<R>) -> Answer<R> {
        self.wire.note_limit(response);
        let integration = &self.wire.connection.integration;
        if response.status == 401 {
            // For the next attempt; what this one's answer means is the table's business.
            integration.reject(self.wire);
        }
        match integration.code(response) {
            Some(code) => by_table(self.spec, response, &code, || integration.names(response)),
            None if response.is_success() => read(response),
            None => Answer::Unclear(Fault::Status(response.status, "not in the provider's own form".to_owned())),
        }
    }
}

fn by_table<R>(spec: &CellSpec, response: &Response, code: &Code, named: impl FnOnce() -> Option<String>) -> Answer<R> {
    let words = || format!("{} {}", response.status, code.name());
    match meaning_of(spec.answers, response.status, code) {
        Some(Meaning::Refused) => Answer::Refused(code.refusal(), Covers::Attempt),
        Some(Meaning::RefusedOnRecord) => Answer::Refused(code.refusal(), Covers::Record),
        Some(Meaning::NotDone) => Answer::NotDone(words(), response.retry_after_ms()),
        // A look puts it into a path, and people are shown it: what is no plain id is no name.
        Some(Meaning::Taken) => Answer::Taken(words(), named().filter(|id| is_plain_segment(id))),
        Some(Meaning::Adrift) => Answer::Unclear(Fault::Adrift(words())),
        Some(Meaning::KeyBurnt) => Answer::Unclear(Fault::KeyBurnt(words())),
        Some(Meaning::Unclear) | None => Answer::Unclear(Fault::Status(response.status, words())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::{Row, Source};

    const SPEC: CellSpec = CellSpec::new("toy.make", "-", &[]).answers(&[Row::new(
        409,
        "*",
        "*",
        Meaning::Taken,
        Source::presumed("a test"),
    )]);

    #[test]
    fn what_is_no_plain_id_is_no_name() {
        let response = Response { status: 409, ..Response::default() };
        let named = |id: &str| {
            let answer: Answer<()> = by_table(&SPEC, &response, &Code::default(), || Some(id.to_owned()));
            let Answer::Taken(_, named) = answer else { panic!("{answer:?}") };
            named
        };
        assert_eq!(named("CR9VS2K4-X4_a").as_deref(), Some("CR9VS2K4-X4_a"));
        for odd in ["", "../secret", "a?b", "jane@example.com", "a b", "%2e", &"x".repeat(250)] {
            assert_eq!(named(odd), None, "{odd}");
        }
    }
}
