//! Where callers and tasks meet. Tests of the order of steps decide here who goes on; in every other build this is tokio
//! and nothing more.

use std::time::Duration;

/// Runs a task beside its callers.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    #[cfg(test)]
    if hapax_schedules::is_scheduled() {
        drop(hapax_schedules::spawn(task));
        return;
    }
    tokio::spawn(task);
}

/// Lets others go on for so long.
pub(crate) async fn sleep(time: Duration) {
    #[cfg(test)]
    if hapax_schedules::is_scheduled() {
        return hapax_schedules::breathe().await;
    }
    tokio::time::sleep(time).await;
}

/// Another task may go on here.
#[inline]
pub(crate) fn point() {
    #[cfg(test)]
    hapax_schedules::point();
}
