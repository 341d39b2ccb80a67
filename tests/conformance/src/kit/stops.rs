use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use hapax_core::executor::{Point, Probe};
use hapax_core::ledger::OperationId;
use tokio::sync::watch;

use super::reach::Reach;

/// A place at which an executor is to stand still, and the two ends of it: it was reached, and it may go on.
#[derive(Clone, Debug)]
pub struct Stop {
    reached: Arc<watch::Sender<bool>>,
    released: Arc<watch::Sender<bool>>,
}

impl Stop {
    fn new() -> Self {
        Self { reached: Arc::new(watch::Sender::new(false)), released: Arc::new(watch::Sender::new(false)) }
    }

    /// Waits until an executor stands there.
    pub async fn reached(&self) {
        let _ = self.reached.subscribe().wait_for(|reached| *reached).await;
    }

    /// Whether an executor came there.
    pub fn was_reached(&self) -> bool {
        *self.reached.borrow()
    }

    /// Lets it go on.
    pub fn release(&self) {
        self.released.send_replace(true);
    }
}

/// The probe of one process: it counts every point, and stands still where it was told to.
pub struct Stops {
    reach: Arc<Reach>,
    entries: Mutex<Vec<Entry>>,
}

struct Entry {
    point: Point,
    left: u32,
    stop: Stop,
}

impl Stops {
    /// No stop yet.
    pub fn new(reach: Arc<Reach>) -> Arc<Self> {
        Arc::new(Self { reach, entries: Mutex::default() })
    }

    /// Stands still when the point is reached for the n-th time from now, counted from 1.
    pub fn at(&self, point: Point, nth: u32) -> Stop {
        let stop = Stop::new();
        let entry = Entry { point, left: nth.max(1), stop: stop.clone() };
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
        stop
    }

    fn hit(&self, point: Point) -> Vec<Stop> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hit = Vec::new();
        entries.retain_mut(|entry| {
            if entry.point != point {
                return true;
            }
            entry.left -= 1;
            if entry.left == 0 {
                hit.push(entry.stop.clone());
            }
            entry.left > 0
        });
        hit
    }
}

#[async_trait]
impl Probe for Stops {
    async fn reached(&self, point: Point, _operation: OperationId) {
        self.reach.note(format!("point:{}", point.name()));
        for stop in self.hit(point) {
            stop.reached.send_replace(true);
            let _ = stop.released.subscribe().wait_for(|released| *released).await;
        }
    }
}
