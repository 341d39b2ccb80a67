use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use shuttle::future::JoinHandle;

/// A part of a test that runs beside the others. A panic in it, such as an assertion that doesn't hold, fails the schedule.
pub struct Running<T>(JoinHandle<T>);

impl<T> Running<T> {
    /// Its end.
    ///
    /// # Panics
    /// If it was ended.
    pub async fn end(self) -> T {
        self.0.await.unwrap_or_else(|_| panic!("it was ended before its end"))
    }

    /// Ends it at the next place where it waits, as a runtime that shuts down does.
    pub fn abort(&self) {
        self.0.abort();
    }
}

/// Runs a part of a test beside the others.
pub fn run<T: Send + 'static>(part: impl Future<Output = T> + Send + 'static) -> Running<T> {
    Running(shuttle::future::spawn(part))
}

/// Runs a task as a runtime does: its panic is its own end, and nobody else's. To be ended, it must be held.
pub fn spawn(task: impl Future<Output = ()> + Send + 'static) -> Running<()> {
    run(Contained(Some(Box::pin(task))))
}

/// Waits for a future on a thread that does nothing else.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    shuttle::future::block_on(future)
}

/// Lets others go on; what a task does that sleeps.
pub async fn breathe() {
    shuttle::future::yield_now().await;
}

struct Contained(Option<Pin<Box<dyn Future<Output = ()> + Send>>>);

impl Future for Contained {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(task) = self.0.as_mut() else { return Poll::Ready(()) };
        match catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(())) | Err(_) => {
                // What it held goes now, as with a runtime.
                self.0 = None;
                Poll::Ready(())
            }
        }
    }
}
