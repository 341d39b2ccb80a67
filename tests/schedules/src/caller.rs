use std::pin::pin;
use std::task::Poll;

/// A caller who went away before the answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left;

/// A caller who looks for the answer so often, and then goes away: its future is dropped as it is.
///
/// # Errors
/// [`Left`] if it went away.
pub async fn leaving<T>(looks: u32, call: impl Future<Output = T>) -> Result<T, Left> {
    let mut call = pin!(call);
    let mut left = looks;
    std::future::poll_fn(move |context| match call.as_mut().poll(context) {
        Poll::Ready(answer) => Poll::Ready(Ok(answer)),
        Poll::Pending if left == 0 => Poll::Ready(Err(Left)),
        Poll::Pending => {
            left -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await
}
