use super::Api;
use super::context::Context;
use super::routes::{Endpoint, EndpointKind, Routes, Run};
use crate::client::Call;
use crate::injection::Twists;
use crate::keys::{KeyStore, Permit};
use crate::lock;
use crate::pattern::PathParams;
use crate::reply::Reply;
use crate::request::Request;
use crate::router::Routed;
use crate::server::{Provider, Server};
use crate::world::World;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

/// An [`Api`] with its state and its world: a stand-in. Clones are the same one.
pub struct Service<A> {
    world: World,
    state: Arc<Mutex<A>>,
    routes: Arc<Routes<A>>,
    keys: Option<KeyStore>,
}

/// The part of a request that stays the same on its way.
struct Visit<'a> {
    request: &'a Request,
    twists: &'a Twists,
    params: &'a PathParams,
    account: &'a str,
}

impl<A: Api> Service<A> {
    /// A stand-in in this state.
    pub fn new(world: World, state: A) -> Self {
        let keys = A::idempotency().map(|layer| KeyStore::new(layer.rules, world.clock.clone()));
        Self { world, state: Arc::new(Mutex::new(state)), routes: Arc::new(A::routes()), keys }
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to act by hand.
    ///
    /// # Errors
    /// The port can't be had.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        let world = self.world.clone();
        Server::start(Arc::new(self), world, port).await
    }

    async fn answer(&self, request: &Request, twists: &Twists) -> Result<Reply, Reply> {
        let routed = self.routes.0.find(&request.method, &request.path);
        if let Routed::Found(endpoint @ Endpoint { kind: EndpointKind::Open, .. }, params) = &routed {
            let run = (endpoint.prepare)(request)?;
            return self.run(&Visit { request, twists, params, account: "" }, None, run);
        }
        let account = self.state().admit(request, &self.world)?;
        let (endpoint, params) = match routed {
            Routed::Found(endpoint, params) => (endpoint, params),
            Routed::OtherMethod(allowed) => return Err(A::no_route(request, &allowed)),
            Routed::Unknown => return Err(A::no_route(request, &[])),
        };
        let visit = Visit { request, twists, params: &params, account: &account };
        if endpoint.kind == EndpointKind::Plain {
            return self.run(&visit, None, (endpoint.prepare)(request)?);
        }
        let (key, permit) = self.admitted(&visit)?;
        // A permit that is dropped here gives its key back.
        let run = (endpoint.prepare)(request)?;
        twists.before_effect().await;
        let reply = self.perform(&visit, key.as_deref(), run);
        twists.after_effect().await;
        if let Some(permit) = permit {
            permit.store(&reply);
        }
        Ok(reply)
    }

    /// The key that is looked at, and the right to run under it.
    fn admitted(&self, visit: &Visit<'_>) -> Result<(Option<String>, Option<Permit>), Reply> {
        let (Some(layer), Some(keys), false) = (A::idempotency(), &self.keys, visit.twists.key_ignored()) else {
            return Ok((None, None));
        };
        let Some(key) = (layer.key)(visit.request)? else { return Ok((None, None)) };
        let permit = layer.admit(keys, visit.account, &key, visit.request)?;
        Ok((Some(key), Some(permit)))
    }

    /// Runs the endpoint; a fault may put an error in place of its answer, or of the whole run.
    fn perform(&self, visit: &Visit<'_>, key: Option<&str>, run: Run<A>) -> Reply {
        match visit.twists.stored_error() {
            None => self.run(visit, key, run).unwrap_or_else(|refused| refused),
            Some((status, false)) => A::error(status, None),
            Some((status, true)) => {
                let _ = self.run(visit, key, run);
                A::error(status, None)
            }
        }
    }

    fn run(&self, visit: &Visit<'_>, key: Option<&str>, run: Run<A>) -> Result<Reply, Reply> {
        let mut state = self.state();
        let mut context = Context {
            state: &mut *state,
            request: visit.request,
            world: &self.world,
            twists: visit.twists,
            account: visit.account,
            key,
            now_ms: self.world.now_ms(),
            params: visit.params,
            webhooks: Vec::new(),
        };
        A::catch_up(&mut context);
        let answer = run(&mut context);
        send(context.webhooks);
        answer
    }
}

impl<A> Service<A> {
    /// The state, to act by hand as the provider's owner or customer does. No request is answered while it is held.
    pub fn state(&self) -> MutexGuard<'_, A> {
        lock(&self.state)
    }

    /// What it stands on.
    pub fn world(&self) -> &World {
        &self.world
    }
}

#[async_trait::async_trait]
impl<A: Api> Provider for Service<A> {
    async fn handle(&self, request: &Request, twists: &Twists) -> Reply {
        let reply = self.answer(request, twists).await.unwrap_or_else(|refused| refused);
        self.state().finish(reply, request, &self.world)
    }

    fn error(&self, status: u16, code: Option<&str>) -> Reply {
        A::error(status, code)
    }

    fn reset(&self) {
        self.state().reset();
        if let Some(keys) = &self.keys {
            keys.reset();
        }
    }
}

/// Sends webhooks in a task of its own. Nobody hears of those that fail.
fn send(webhooks: Vec<Call>) {
    if webhooks.is_empty() {
        return;
    }
    tokio::spawn(async move {
        for webhook in webhooks {
            let _ = webhook.send().await;
        }
    });
}

impl<A> Clone for Service<A> {
    fn clone(&self) -> Self {
        Self {
            world: self.world.clone(),
            state: Arc::clone(&self.state),
            routes: Arc::clone(&self.routes),
            keys: self.keys.clone(),
        }
    }
}

impl<A> std::fmt::Debug for Service<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("world", &self.world).finish_non_exhaustive()
    }
}
