use super::context::Context;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::Router;

/// The endpoints of an API. Patterns are those of [`Router`].
///
/// An endpoint is a function of the [`Context`] that returns `Result<T, E>`. Both become a [`Reply`]: a JSON value has
/// status 200, a pair has its own, and the provider's error type says it with `From`.
#[derive(Debug)]
pub struct Routes<A>(pub(super) Router<Endpoint<A>>);

/// An endpoint as it is declared.
type Handler<A, T, E> = fn(&mut Context<'_, A>) -> Result<T, E>;
/// Works with the parameters that were read.
pub(super) type Run<A> = Box<dyn FnOnce(&mut Context<'_, A>) -> Result<Reply, Reply> + Send>;

pub(super) struct Endpoint<A> {
    pub(super) kind: EndpointKind,
    /// Reads the parameters.
    pub(super) prepare: Box<dyn Fn(&Request) -> Result<Run<A>, Reply> + Send + Sync>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndpointKind {
    Open,
    Plain,
    Acting,
}

impl<A: 'static> Routes<A> {
    /// An API without endpoints.
    pub fn new() -> Self {
        Self(Router::new())
    }

    /// A GET, which has no effect.
    pub fn get<T, E>(self, pattern: &str, handler: Handler<A, T, E>) -> Self
    where
        T: Into<Reply> + 'static,
        E: Into<Reply> + 'static,
    {
        self.plain("GET", pattern, handler)
    }

    /// A POST that may have an effect.
    pub fn post<T, E>(self, pattern: &str, handler: Handler<A, T, E>) -> Self
    where
        T: Into<Reply> + 'static,
        E: Into<Reply> + 'static,
    {
        self.acting("POST", pattern, handler)
    }

    /// A DELETE that may have an effect.
    pub fn delete<T, E>(self, pattern: &str, handler: Handler<A, T, E>) -> Self
    where
        T: Into<Reply> + 'static,
        E: Into<Reply> + 'static,
    {
        self.acting("DELETE", pattern, handler)
    }

    /// An endpoint that asks for no credentials and has no effect: one that issues tokens.
    pub fn open<T, E>(self, method: &str, pattern: &str, handler: Handler<A, T, E>) -> Self
    where
        T: Into<Reply> + 'static,
        E: Into<Reply> + 'static,
    {
        self.on(method, pattern, EndpointKind::Open, run_later(handler))
    }

    /// An endpoint without an effect: no key is looked at, and no fault waits around it.
    pub fn plain<T, E>(self, method: &str, pattern: &str, handler: Handler<A, T, E>) -> Self
    where
        T: Into<Reply> + 'static,
        E: Into<Reply> + 'static,
    {
        self.on(method, pattern, EndpointKind::Plain, run_later(handler))
    }

    /// An endpoint that may have an effect.
    pub fn acting<T, E>(self, method: &str, pattern: &str, handler: Handler<A, T, E>) -> Self
    where
        T: Into<Reply> + 'static,
        E: Into<Reply> + 'static,
    {
        self.on(method, pattern, EndpointKind::Acting, run_later(handler))
    }

    /// An endpoint that may have an effect and reads its parameters first. What fails in `parse` fails before anything
    /// else happens, and nothing of it is kept under the key.
    pub fn parsed<C, F, T, E>(
        self,
        method: &str,
        pattern: &str,
        parse: fn(&Request) -> Result<C, F>,
        run: fn(C, &mut Context<'_, A>) -> Result<T, E>,
    ) -> Self
    where
        C: Send + 'static,
        F: Into<Reply> + 'static,
        T: Into<Reply> + 'static,
        E: Into<Reply> + 'static,
    {
        let prepare = move |request: &Request| {
            let command = parse(request).map_err(Into::into)?;
            let run: Run<A> = Box::new(move |context| run(command, context).map(Into::into).map_err(Into::into));
            Ok(run)
        };
        self.on(method, pattern, EndpointKind::Acting, Box::new(prepare))
    }

    fn on(
        self,
        method: &str,
        pattern: &str,
        kind: EndpointKind,
        prepare: Box<dyn Fn(&Request) -> Result<Run<A>, Reply> + Send + Sync>,
    ) -> Self {
        Self(self.0.on(method, pattern, Endpoint { kind, prepare }))
    }
}

/// A handler that reads its parameters while it runs.
fn run_later<A: 'static, T, E>(
    handler: Handler<A, T, E>,
) -> Box<dyn Fn(&Request) -> Result<Run<A>, Reply> + Send + Sync>
where
    T: Into<Reply> + 'static,
    E: Into<Reply> + 'static,
{
    Box::new(move |_| Ok(Box::new(move |context| handler(context).map(Into::into).map_err(Into::into))))
}

impl<A: 'static> Default for Routes<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A> std::fmt::Debug for Endpoint<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("kind", &self.kind).finish_non_exhaustive()
    }
}
