use std::sync::Arc;
use tokio::sync::watch;

/// The two ends of a scripted fault: a test learns that the fault point was reached, and says when to go on.
///
/// Clones are the same handle. A fault that is to hold something holds it until [`release`](Handle::release), so a
/// test that forgets to release hangs visibly instead of passing by luck.
#[derive(Clone, Debug)]
pub struct Handle {
    reached: Arc<watch::Sender<u32>>,
    finished: Arc<watch::Sender<u32>>,
    released: Arc<watch::Sender<bool>>,
}

impl Default for Handle {
    fn default() -> Self {
        Self::new()
    }
}

impl Handle {
    /// A handle that nothing has reached yet.
    pub fn new() -> Self {
        let counter = || Arc::new(watch::Sender::new(0));
        Self { reached: counter(), finished: counter(), released: Arc::new(watch::Sender::new(false)) }
    }

    /// Waits until the fault point was reached at least once.
    pub async fn reached(&self) {
        self.reached_times(1).await;
    }

    /// Waits until the fault point was reached so many times.
    pub async fn reached_times(&self, times: u32) {
        wait_for(&self.reached, |count| *count >= times).await;
    }

    /// How often the fault point was reached so far.
    pub fn times_reached(&self) -> u32 {
        *self.reached.borrow()
    }

    /// Lets everything that this fault holds, now and later, go on.
    pub fn release(&self) {
        self.released.send_replace(true);
    }

    /// Waits until the fault is over: what it held was let go and has run its course.
    pub async fn finished(&self) {
        wait_for(&self.finished, |count| *count >= 1).await;
    }

    pub(crate) fn reach(&self) {
        self.reached.send_modify(|count| *count += 1);
    }

    pub(crate) fn finish(&self) {
        self.finished.send_modify(|count| *count += 1);
    }

    pub(crate) async fn released(&self) {
        wait_for(&self.released, |released| *released).await;
    }
}

async fn wait_for<T: Send + Sync>(sender: &watch::Sender<T>, until: impl FnMut(&T) -> bool) {
    // It fails only when the sender is gone, and the handle itself keeps it.
    let _ = sender.subscribe().wait_for(until).await;
}
