use serde::de::DeserializeOwned;

use super::{Connection, Wire};
use crate::capability::{Code, Meaning, Need, Row, meaning_of};
use crate::clock::SharedClock;
use crate::identity::Names;
use crate::transport::{Request, Response};
use crate::words::{Fault, Refusal};

/// What `prepare` and `find` get: names, and harmless requests.
#[derive(Clone)]
pub struct Context {
    names: Names,
    wire: Wire,
}

/// One page of a search: what it holds, and the request for the next one.
pub struct Page<R> {
    /// Hits on this page.
    pub hits: Vec<R>,
    /// The next page; none at the end or past the horizon.
    pub next: Option<Request>,
}

impl Context {
    /// Made by the executor, or by hand for an executor of one's own.
    pub fn new(names: Names, wire: Wire) -> Self {
        Self { names, wire }
    }

    /// Tokens, mark and notes.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The connection.
    pub fn connection(&self) -> &Connection {
        self.wire.connection()
    }

    /// The executor's clock.
    pub fn clock(&self) -> &SharedClock {
        self.wire.clock()
    }

    /// Whether a need holds on this connection.
    pub fn is_met(&self, need: Need) -> bool {
        self.connection().is_met(&need)
    }

    /// As [`Wire::ask`]: the whole answer, whatever its status.
    ///
    /// # Errors
    /// [`Fault`] if no whole answer came.
    pub async fn ask(&self, harmless: Request) -> Result<Response, Fault> {
        self.wire.ask(harmless).await
    }

    /// As [`Wire::call`]: a 2xx as `T`.
    ///
    /// # Errors
    /// [`Fault::Status`] for an answer that carries an error, [`Fault::Unread`] for one that can't
    /// be read.
    pub async fn call<T: DeserializeOwned>(&self, harmless: Request) -> Result<T, Fault> {
        self.wire.call(harmless).await
    }

    /// As [`Wire::try_call`]: with the provider's error kept apart.
    ///
    /// # Errors
    /// [`Fault`] if no answer in the provider's own envelope came.
    pub async fn try_call<T: DeserializeOwned>(&self, harmless: Request) -> Result<Result<T, (u16, Code)>, Fault> {
        self.wire.try_call(harmless).await
    }

    /// Takes a harmless step that the provider may refuse: what these rows call a refusal is kept
    /// apart, every other error is a fault.
    ///
    /// # Errors
    /// As [`Context::call`].
    pub async fn step<T: DeserializeOwned>(
        &self,
        rows: &[Row],
        harmless: Request,
    ) -> Result<Result<T, Refusal>, Fault> {
        let shown = format!("{harmless:?}");
        match self.try_call(harmless).await? {
            Ok(read) => Ok(Ok(read)),
            Err((status, code)) => match meaning_of(rows, status, &code) {
                Some(Meaning::Refused | Meaning::RefusedOnRecord) => Ok(Err(code.refusal())),
                _ => Err(Fault::Status(status, format!("{shown}: {} {}", code.name(), code.message))),
            },
        }
    }

    /// As [`Wire::get`]: `None` only if the provider says that there is no such record.
    ///
    /// # Errors
    /// As [`Context::call`].
    pub async fn get<T: DeserializeOwned>(&self, read: Request) -> Result<Option<T>, Fault> {
        self.wire.get(read).await
    }

    /// Walks all pages to the end or the horizon, keeping what `page` keeps; it sees the body and,
    /// for links in headers, the whole answer. A cap, an error or a page that can't be read is an
    /// error, never an absence.
    ///
    /// # Errors
    /// As [`Context::call`]; [`Fault::Unread`] after [`Context::MAX_PAGES`] pages.
    pub async fn search<P: DeserializeOwned, R>(
        &self,
        first: Request,
        mut page: impl FnMut(P, &Response) -> Result<Page<R>, Fault> + Send,
    ) -> Result<Vec<R>, Fault> {
        let mut hits = Vec::new();
        let mut request = Some(first);
        for _ in 0..Self::MAX_PAGES {
            let Some(ask) = request.take() else { return Ok(hits) };
            let shown = format!("{ask:?}");
            let response = self.wire.ask(ask).await?;
            let one = page(self.wire.read(&shown, &response)?, &response)?;
            hits.extend(one.hits);
            request = one.next;
        }
        match request {
            None => Ok(hits),
            Some(_) => Err(Fault::Unread(format!("the list did not end within {} pages", Self::MAX_PAGES))),
        }
    }

    /// Pages that a search walks at most.
    pub const MAX_PAGES: usize = 500;
}
