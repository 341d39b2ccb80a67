//! Connections for reading. Many reads share one: each is one statement, so nothing mixes.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hapax_core::ledger::LedgerError;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::error::Failure;
use crate::link::Link;
use crate::read;
use crate::shared::Shared;

pub(crate) struct Readers {
    shared: Arc<Shared>,
    links: Vec<Mutex<Option<Arc<Link>>>>,
    next: AtomicUsize,
}

impl Readers {
    /// Begins with a connection that is there already.
    pub(crate) fn new(shared: Arc<Shared>, first: Link) -> Self {
        let mut links: Vec<_> = (0..shared.options.readers.max(1)).map(|_| Mutex::new(None)).collect();
        links[0] = Mutex::new(Some(Arc::new(first)));
        Self { shared, links, next: AtomicUsize::new(0) }
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
        let slot = &self.links[self.next.fetch_add(1, Ordering::Relaxed) % self.links.len()];
        let work = async {
            let link = self.link(slot).await?;
            let done = read(Arc::clone(&link)).await;
            if done.as_ref().err().is_some_and(Failure::is_of_the_way) {
                self.forget(slot, &link).await;
            }
            done
        };
        match timeout(self.shared.options.patience, work).await {
            Ok(done) => done,
            Err(_) => {
                *slot.lock().await = None;
                Err(Failure::Late)
            }
        }
    }

    async fn link(&self, slot: &Mutex<Option<Arc<Link>>>) -> Result<Arc<Link>, Failure> {
        let mut slot = slot.lock().await;
        if let Some(link) = slot.as_ref().filter(|link| !link.is_closed()) {
            return Ok(Arc::clone(link));
        }
        let link = Arc::new(self.shared.connect().await?);
        self.shared.check(&link).await?;
        read::prepare(&link).await?;
        *slot = Some(Arc::clone(&link));
        Ok(link)
    }

    async fn forget(&self, slot: &Mutex<Option<Arc<Link>>>, failed: &Arc<Link>) {
        let mut slot = slot.lock().await;
        if slot.as_ref().is_some_and(|held| Arc::ptr_eq(held, failed)) {
            *slot = None;
        }
    }
}
