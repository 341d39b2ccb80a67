//! A process that may not open what it would need.

use crate::answers::Answers;
use crate::service::Service;
use crate::site::{Site, callers, tell};

/// Open files that a process may have: by far fewer than there are callers, in the long form.
const FILES: u32 = 64;

#[tokio::test(flavor = "multi_thread")]
async fn with_few_file_descriptors_each_caller_is_answered_and_what_is_journaled_is_finished() {
    let (site, callers) = (Site::file().await, callers());
    let files = if callers > 1_000 { 256 } else { FILES };
    let hung = site.hang(u64::from(files / 2), false);
    let mut service = Service::start(&site.setup, Some(files)).await;
    for number in 0..callers {
        service.ask(number, site.want(number, 20_000)).await;
    }
    // So many connections are held that hardly any are left.
    hung.reached_times(files / 2).await;
    let open = service.files();
    hung.release();
    let answers = Answers::gather(&mut service, callers).await;
    let at_once = answers.hold(&site);
    let counts = answers.hold_for_ever(&site).await;
    tell(&format!("overload: {callers} callers, {files} files, {open} open while they hung: {at_once:?}"));
    assert!(counts.succeeded > 0, "{counts:?} {}", answers.sample());
}
