//! Connections for reading. Many reads share one: each is one statement, so nothing mixes.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hapax_core::ledger::LedgerError;
use tokio::time::{sleep, timeout};

use crate::error::Failure;
use crate::link::Link;
use crate::read;
use crate::shared::Shared;

/// After one more connection could not be had, before it is tried again.
pub(crate) const PAUSE: Duration = Duration::from_millis(500);

pub(crate) struct Readers {
    shared: Arc<Shared>,
    slots: Vec<Arc<Slot>>,
    next: AtomicUsize,
}

/// A place for a connection, which may be empty.
#[derive(Default)]
struct Slot {
    link: Mutex<Option<Arc<Link>>>,
    /// Held while a connection is made for it.
    opening: Arc<tokio::sync::Mutex<()>>,
}

impl Readers {
    /// Begins with a connection that is there already.
    pub(crate) fn new(shared: Arc<Shared>, first: Link) -> Self {
        let slots: Vec<_> = (0..shared.options.readers.max(1)).map(|_| Arc::<Slot>::default()).collect();
        *slots[0].held() = Some(Arc::new(first));
        Self { shared, slots, next: AtomicUsize::new(0) }
    }

    /// Runs a read; a second time on a fresh connection if the first one was gone.
    pub(crate) async fn read<T, Read, Reading>(&self, read: Read) -> Result<T, LedgerError>
    where
        Read: Fn(Arc<Link>) -> Reading,
        Reading: Future<Output = Result<T, Failure>>,
    {
        let mut done = self.once(&read).await;
        if done.as_ref().err().is_some_and(Failure::is_of_the_way) {
            done = self.once(&read).await;
        }
        done.map_err(|failure| failure.tell(&self.shared.shown))
    }

    async fn once<T, Read, Reading>(&self, read: &Read) -> Result<T, Failure>
    where
        Read: Fn(Arc<Link>) -> Reading,
        Reading: Future<Output = Result<T, Failure>>,
    {
        let slot = &self.slots[self.next.fetch_add(1, Ordering::Relaxed) % self.slots.len()];
        let mut used = None;
        let work = async {
            let link = used.insert(self.link(slot).await?);
            read(Arc::clone(link)).await
        };
        let done = timeout(self.shared.options.patience, work).await.unwrap_or(Err(Failure::Late));
        if let Some(link) = used.filter(|_| done.as_ref().err().is_some_and(Failure::is_of_the_way)) {
            self.slots.iter().for_each(|slot| slot.forget(&link));
        }
        done
    }

    /// Lets go of all connections but one, because those who write have none.
    pub(crate) fn make_room(&self) {
        let with_one = self.slots.iter().filter(|slot| slot.link().is_some());
        // It is closed when the last read on it ends.
        with_one.skip(1).for_each(|slot| *slot.held() = None);
    }

    /// The connection of this slot. Where another one works, nobody waits for one more, which the database may not have:
    /// it is made meanwhile.
    async fn link(&self, slot: &Arc<Slot>) -> Result<Arc<Link>, Failure> {
        if let Some(link) = slot.link() {
            return Ok(link);
        }
        if let Some(link) = self.slots.iter().find_map(|other| other.link()) {
            if self.shared.can_write.load(Ordering::Relaxed) {
                slot.open_meanwhile(&self.shared);
            }
            return Ok(link);
        }
        let _opening = slot.opening.lock().await;
        match slot.link() {
            Some(link) => Ok(link),
            None => slot.open(&self.shared, false).await,
        }
    }
}

impl Slot {
    fn held(&self) -> MutexGuard<'_, Option<Arc<Link>>> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its connection, if that works as far as is known.
    fn link(&self) -> Option<Arc<Link>> {
        self.held().as_ref().filter(|link| !link.is_closed()).map(Arc::clone)
    }

    fn forget(&self, failed: &Arc<Link>) {
        let mut held = self.held();
        if held.as_ref().is_some_and(|held| Arc::ptr_eq(held, failed)) {
            *held = None;
        }
    }

    async fn open(&self, shared: &Shared, beside: bool) -> Result<Arc<Link>, Failure> {
        let link = Arc::new(shared.connect().await?);
        shared.check(&link).await?;
        read::prepare(&link).await?;
        // Whoever reads already does without it, if those who write have none by now.
        if !beside || shared.can_write.load(Ordering::Relaxed) {
            *self.held() = Some(Arc::clone(&link));
        }
        Ok(link)
    }

    /// In a task of its own, unless somebody is at it already.
    fn open_meanwhile(self: &Arc<Self>, shared: &Arc<Shared>) {
        let Ok(opening) = Arc::clone(&self.opening).try_lock_owned() else { return };
        let (slot, shared) = (Arc::clone(self), Arc::clone(shared));
        tokio::spawn(async move {
            let opened = timeout(shared.options.patience, slot.open(&shared, true)).await.unwrap_or(Err(Failure::Late));
            if let Err(failure) = opened {
                tracing::debug!(?failure, "one more connection for reading can't be had");
                sleep(PAUSE).await;
            }
            drop(opening);
        });
    }
}
