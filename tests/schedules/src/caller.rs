use std::pin::pin;
use std::task::Poll;

/// A caller who went away before the answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left;

/// A caller who looks for the answer so often, and then goes away: its future is dropped as it is. None: it stays.
///
/// # Errors
/// [`Left`] if it went away.
pub async fn leaving<T>(looks: Option<u32>, call: impl Future<Output = T>) -> Result<T, Left> {
    let mut call = pin!(call);
    let mut left = looks;
    std::future::poll_fn(move |context| match call.as_mut().poll(context) {
        Poll::Ready(answer) => Poll::Ready(Ok(answer)),
        Poll::Pending => match &mut left {
            None => Poll::Pending,
            Some(0) => Poll::Ready(Err(Left)),
            Some(looks) => {
                *looks -= 1;
                context.waker().wake_by_ref();
                Poll::Pending
            }
        },
    })
    .await
}
