//! The connections of the writers: at most one for each. Where the database has fewer for us, writers take turns with
//! those that are there.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::error::Failure;
use crate::link::Link;
use crate::readers::{PAUSE, Readers};
use crate::shared::Shared;
use crate::writer::connected;

/// Between two tries to get a connection back.
const RETRY: Duration = Duration::from_millis(100);

pub(crate) struct Pool {
    shared: Arc<Shared>,
    readers: Arc<Readers>,
    links: Mutex<Links>,
}

#[derive(Default)]
struct Links {
    /// Connections that nobody uses.
    idle: Vec<Link>,
    /// Writers who wait for one, in the order in which they came.
    waiting: VecDeque<oneshot::Sender<Link>>,
    /// How many are in use.
    taken: usize,
    /// Whether one more is being made.
    opening: bool,
}

/// A connection in use. It is closed when this is dropped, since nobody knows what was left open in it, unless it is
/// given back.
pub(crate) struct Taken {
    pool: Arc<Pool>,
    link: Option<Link>,
}

/// A place in the line.
struct Place<'a> {
    pool: &'a Pool,
    given: oneshot::Receiver<Link>,
}

impl Pool {
    pub(crate) fn new(shared: Arc<Shared>, readers: Arc<Readers>) -> Arc<Self> {
        Arc::new(Self { shared, readers, links: Mutex::default() })
    }

    /// A connection that leads to the same ledger, however often that takes within the patience.
    pub(crate) async fn take(self: &Arc<Self>) -> Result<Taken, Failure> {
        let mut last = Failure::Late;
        let taken = timeout(self.shared.options.patience, self.opened_or_given(&mut last)).await;
        let link = taken.unwrap_or(Err(last))?;
        self.links().taken += 1;
        self.shared.can_write.store(true, Ordering::Relaxed);
        Ok(Taken { pool: Arc::clone(self), link: Some(link) })
    }

    async fn opened_or_given(self: &Arc<Self>, last: &mut Failure) -> Result<Link, Failure> {
        let mut place = match self.idle_or_place() {
            Ok(link) => return Ok(link),
            Err(place) => place,
        };
        loop {
            // While others write, one more connection is made beside: their turn may be over sooner.
            if self.links().taken > 0 {
                self.open_meanwhile();
            } else {
                self.shared.can_write.store(false, Ordering::Relaxed);
                match connected(&self.shared).await {
                    Err(failure) if failure.is_of_the_way() => {
                        // There may be none left for us, which a pooler says by saying nothing.
                        self.readers.make_room();
                        *last = failure;
                    }
                    done => return done,
                }
            }
            if let Ok(Ok(link)) = timeout(RETRY, &mut place.given).await {
                if !link.is_closed() {
                    return Ok(link);
                }
                place = match self.idle_or_place() {
                    Ok(link) => return Ok(link),
                    Err(place) => place,
                };
            }
        }
    }

    fn idle_or_place(&self) -> Result<Link, Place<'_>> {
        let mut links = self.links();
        while let Some(link) = links.idle.pop() {
            if !link.is_closed() {
                return Ok(link);
            }
        }
        let (give, given) = oneshot::channel();
        links.waiting.push_back(give);
        Err(Place { pool: self, given })
    }

    /// In a task of its own, unless somebody is at it already.
    fn open_meanwhile(self: &Arc<Self>) {
        if std::mem::replace(&mut self.links().opening, true) {
            return;
        }
        let pool = Arc::clone(self);
        tokio::spawn(async move {
            match timeout(pool.shared.options.patience, connected(&pool.shared)).await.unwrap_or(Err(Failure::Late)) {
                Ok(link) => pool.give(link),
                Err(failure) => {
                    tracing::debug!(?failure, "one more connection for writing can't be had");
                    sleep(PAUSE).await;
                }
            }
            pool.links().opening = false;
        });
    }

    /// To whoever has waited longest.
    fn give(&self, mut link: Link) {
        let mut links = self.links();
        while let Some(next) = links.waiting.pop_front() {
            match next.send(link) {
                Ok(()) => return,
                Err(back) => link = back,
            }
        }
        if links.idle.len() + links.taken < self.shared.options.writers.max(1) {
            links.idle.push(link);
        }
    }

    fn links(&self) -> MutexGuard<'_, Links> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// For others to use. Nothing may be open in it.
    pub(crate) fn give_back(mut self) {
        let (pool, link) = (Arc::clone(&self.pool), self.link.take());
        drop(self);
        if let Some(link) = link {
            pool.give(link);
        }
    }
}

impl Deref for Taken {
    type Target = Link;

    fn deref(&self) -> &Link {
        self.link.as_ref().expect("it is taken out when this ends")
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.pool.links().taken -= 1;
    }
}

/// What came too late goes to the next one.
impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.given.close();
        if let Ok(link) = self.given.try_recv() {
            self.pool.give(link);
        }
    }
}
