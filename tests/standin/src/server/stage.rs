use super::control;
use super::later::Later;
use crate::clock;
use crate::injection::{Kind, Twists};
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Provider;
use crate::world::World;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Mutex;

/// How often the provider's clock is looked at while something waits for it: a clock that a test moves rings no bell.
const TICK: Duration = Duration::from_millis(2);

/// A provider, its world and the faults between them and the socket.
pub(super) struct Stage {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) world: World,
    pub(super) later: Later,
    ticking: AtomicBool,
    /// Held while what was due is acted on: whoever asks then waits for it, and is not answered from before.
    catching_up: Mutex<()>,
}

impl Stage {
    pub(super) fn new(provider: Arc<dyn Provider>, world: World) -> Self {
        let later = Later::new(world.clock.clone());
        Self { provider, world, later, ticking: AtomicBool::new(false), catching_up: Mutex::default() }
    }

    /// Answers one request, after everything that was due before it.
    pub(super) async fn perform(self: Arc<Self>, request: Request) -> Reply {
        self.catch_up().await;
        if request.path.starts_with(control::PREFIX) {
            return control::answer(&self, &request);
        }
        let twists = self.world.injections.meet(&request.method, &request.target());
        if let Some(reply) = self.turned_away(&request, &twists) {
            return reply;
        }
        if let Some(after_ms) = repair(&twists) {
            self.postpone(after_ms, request.clone(), Twists::of(Kind::RollForward));
        }
        let reply = self.provider.handle(&request, &twists).await;
        twists.kinds().fold(reply, |reply, kind| self.garbled(reply, kind))
    }

    /// Faults that answer in the provider's place.
    fn turned_away(self: &Arc<Self>, request: &Request, twists: &Twists) -> Option<Reply> {
        twists.kinds().find_map(|kind| match kind {
            Kind::ErrorBefore { status, code } => Some(self.provider.error(*status, code.as_deref())),
            Kind::RateLimited { retry_after_s } => {
                Some(self.provider.error(429, None).with_header("retry-after", &retry_after_s.to_string()))
            }
            Kind::Unauthorized => Some(self.provider.error(401, None)),
            Kind::Redirect { location, effect: false } => Some(redirect(location)),
            Kind::DelayedEffect { after_ms, status } => {
                self.postpone(*after_ms, request.clone(), Twists::default());
                Some(self.provider.error(*status, None))
            }
            _ => None,
        })
    }

    /// Faults that let the provider act and then spoil its answer.
    fn garbled(&self, reply: Reply, kind: &Kind) -> Reply {
        match kind {
            Kind::ErrorAfter { status, code } => self.provider.error(*status, code.as_deref()),
            Kind::ForeignObject { members } => foreign(reply, members),
            Kind::EmptyBody => Reply::empty(200),
            Kind::ForeignHtml => Reply::html(200, "Please sign in to the network"),
            Kind::TruncatedJson { bytes } => {
                let body = reply.body.iter().copied().take(*bytes).collect();
                reply.with_body(body)
            }
            Kind::Redirect { location, effect: true } => redirect(location),
            _ => reply,
        }
    }

    fn postpone(self: &Arc<Self>, after_ms: i64, request: Request, twists: Twists) {
        self.later.add(after_ms, request, twists);
        if !self.ticking.swap(true, Ordering::SeqCst) {
            tokio::spawn(tick(Arc::downgrade(self)));
        }
    }

    /// Acts on what is due. Nobody waits for these answers.
    async fn catch_up(&self) {
        let _turn = self.catching_up.lock().await;
        for due in self.later.take_due() {
            clock::as_of(due.at_ms, self.provider.handle(&due.request, &due.twists)).await;
        }
    }
}

/// Keeps looking at the clock, so that a late effect happens though nobody asks. It ends with the server.
async fn tick(stage: Weak<Stage>) {
    loop {
        tokio::time::sleep(TICK).await;
        let Some(stage) = stage.upgrade() else { return };
        stage.catch_up().await;
        if stage.later.is_empty() {
            stage.ticking.store(false, Ordering::SeqCst);
            // Something may have been postponed between the two lines above; then somebody must go on looking.
            if stage.later.is_empty() || stage.ticking.swap(true, Ordering::SeqCst) {
                return;
            }
        }
    }
}

fn repair(twists: &Twists) -> Option<i64> {
    twists.kinds().find_map(|kind| match kind {
        Kind::StoredError { effect: false, repaired_after_ms, .. } => *repaired_after_ms,
        _ => None,
    })
}

fn redirect(location: &str) -> Reply {
    Reply::empty(302).with_header("location", location)
}

fn foreign(reply: Reply, members: &serde_json::Map<String, serde_json::Value>) -> Reply {
    let mut value = reply.value();
    if let Some(object) = value.as_object_mut() {
        object.extend(members.clone());
    }
    reply.with_body(value.to_string().into_bytes())
}
