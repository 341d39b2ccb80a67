//! Where callers and the thread that writes meet. Tests of the order of steps decide here who goes on; in every other build
//! this is tokio's channel and nothing more.

use tokio::sync::mpsc;

/// The next of the queue, for which the thread waits; none: every sender is gone.
pub(crate) fn receive<T>(queue: &mut mpsc::Receiver<T>) -> Option<T> {
    #[cfg(test)]
    if hapax_schedules::is_scheduled() {
        return hapax_schedules::block_on(queue.recv());
    }
    queue.blocking_recv()
}

/// Another thread may go on here.
#[inline]
pub(crate) fn point() {
    #[cfg(test)]
    hapax_schedules::point();
}
