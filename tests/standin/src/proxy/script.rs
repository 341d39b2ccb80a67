use super::Seen;
use super::fault::Fault;
use crate::lock;
use crate::signal::Handle;
use crate::when::{Armed, When};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// What all connections of one proxy share: the script, and what has been seen.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) upstream: Mutex<String>,
    /// Whether PostgreSQL's protocol is spoken instead of HTTP.
    pub(super) speaks_sql: bool,
    entries: Mutex<Vec<(Armed, Fault, Handle)>>,
    seen: Mutex<Vec<Seen>>,
    pub(super) read: Arc<AtomicU64>,
    connections: AtomicU64,
    /// The handle of a refusal that is to begin.
    pub(super) door: watch::Sender<Option<Handle>>,
    /// Counts the times that idle connections were told to close.
    pub(super) idle: watch::Sender<u64>,
}

impl Script {
    pub(super) fn new(upstream: String, speaks_sql: bool) -> Self {
        Self {
            upstream: Mutex::new(upstream),
            speaks_sql,
            entries: Mutex::default(),
            seen: Mutex::default(),
            read: Arc::default(),
            connections: AtomicU64::new(0),
            door: watch::Sender::new(None),
            idle: watch::Sender::new(0),
        }
    }

    pub(super) fn add(&self, when: When, fault: Fault) -> Handle {
        let handle = Handle::new();
        if fault == Fault::RefuseConnection {
            self.door.send_replace(Some(handle.clone()));
            self.idle.send_modify(|count| *count += 1);
            return handle;
        }
        let of_connections = fault.is_of_connections();
        lock(&self.entries).push((Armed::new(when), fault, handle.clone()));
        if of_connections {
            self.idle.send_modify(|count| *count += 1);
        }
        handle
    }

    /// Takes the script away; what is held goes on.
    pub(super) fn clear(&self) {
        for (_, _, handle) in lock(&self.entries).drain(..) {
            handle.release();
        }
        if let Some(handle) = self.door.borrow().as_ref() {
            handle.release();
        }
    }

    /// The first fault that applies to a new connection.
    pub(super) fn for_connection(&self) -> Option<Handle> {
        self.connections.fetch_add(1, Ordering::SeqCst);
        let mut entries = lock(&self.entries);
        let mut of_connections = entries.iter_mut().filter(|(_, fault, _)| fault.is_of_connections());
        // A connection has no method and no path yet, so only the count decides.
        let hit = of_connections.find_map(|(armed, _, handle)| {
            armed.when = When { method: None, path: None, ..armed.when.clone() };
            armed.hit("", "").then(|| handle.clone())
        });
        drop(entries);
        hit
    }

    /// Notes a request and returns its number and the first fault that applies. Every entry counts it.
    pub(super) fn for_request(&self, seen: Seen) -> (usize, Option<(Fault, Handle)>) {
        let mut chosen = None;
        for (armed, fault, handle) in lock(&self.entries).iter_mut() {
            if !fault.is_of_connections() && armed.hit(&seen.method, &seen.target) && chosen.is_none() {
                chosen = Some((fault.clone(), handle.clone()));
            }
        }
        let mut log = lock(&self.seen);
        log.push(Seen { fault: chosen.as_ref().map(|(fault, _)| fault.name()), ..seen });
        (log.len() - 1, chosen)
    }

    pub(super) fn note(&self, number: usize, change: impl FnOnce(&mut Seen)) {
        if let Some(seen) = lock(&self.seen).get_mut(number) {
            change(seen);
        }
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        lock(&self.seen).clone()
    }

    pub(super) fn connections(&self) -> u64 {
        self.connections.load(Ordering::SeqCst)
    }
}
