//! A disk that fails under the ledger while callers wait: what it did not take is never told as written.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::answers::Answers;
use crate::service::Service;
use crate::site::{Site, Wanted, tell};

const EIO: u32 = 5;
const ENOSPC: u32 = 28;

/// How much faster than real time everything runs, so that a lease of a process that was killed is soon over.
const SCALE: u32 = 20;

/// Waits of callers: longer than anything takes here, and long enough for an answer that comes at once.
const LONG_MS: u64 = 7_200_000;
const SHORT_MS: u64 = 40_000;

/// How many callers there are at each time.
const CALLERS: u64 = 40;

/// The library that breaks what the service does to its files.
struct BrokenDisk {
    folder: tempfile::TempDir,
}

impl BrokenDisk {
    /// `None`, which is said, where it can't be made.
    fn make(what: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/broken_disk.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(folder.path().join("broken_disk.so")).arg(source);
        match compiler.arg("-ldl").status() {
            Ok(done) => assert!(done.success(), "it does not compile"),
            Err(_) => {
                tell(&format!("left out: {what}: no C compiler is installed (cc)"));
                return None;
            }
        }
        Some(Self { folder })
    }

    async fn under(&self, site: &Site) -> Service {
        let library = self.folder.path().join("broken_disk.so");
        Service::start_with(&site.setup, &[("LD_PRELOAD", &library), ("HAPAX_TEST_BROKEN_DISK", &self.control())]).await
    }

    fn control(&self) -> PathBuf {
        self.folder.path().join("control")
    }

    /// From now on this call on files whose names end so fails with this code.
    fn breaks(&self, call: &str, code: u32, end: &str) {
        // At once, or not at all.
        let beside = self.folder.path().join("next");
        std::fs::write(&beside, format!("{call} {code} {end}")).expect("it can be written");
        std::fs::rename(beside, self.control()).expect("it can be renamed");
    }

    /// Nothing fails any more. How often something has.
    fn is_whole(&self) -> usize {
        std::fs::remove_file(self.control()).expect("it was broken");
        let hits = self.folder.path().join("control.hits");
        let times = std::fs::read(&hits).map_or(0, |hits| hits.len());
        let _ = std::fs::remove_file(hits);
        times
    }
}

/// Asks for callers of these numbers, all at once.
async fn ask(site: &Site, service: &mut Service, numbers: std::ops::Range<u64>, wait_ms: u64) {
    for number in numbers {
        service.ask(number, site.want(number, wait_ms)).await;
    }
}

/// Some requests are at the provider when the disk fails; more callers come; then it works again. Whether the process goes
/// on or is killed meanwhile.
async fn fails(disk: &BrokenDisk, (call, code, end): (&str, u32, &str), is_killed: bool) {
    let site =
        Site::open("", Wanted { scale: Some(SCALE), ..Wanted::default() }).await.expect("nothing is needed for it");
    let hung = site.hang(CALLERS, true);
    let mut service = disk.under(&site).await;
    ask(&site, &mut service, 0..CALLERS, if is_killed { 1 } else { LONG_MS }).await;
    hung.reached_times(u32::try_from(CALLERS).expect("small")).await;
    let mut first = Answers::default();
    if is_killed {
        first = Answers::gather(&mut service, CALLERS).await;
    }
    disk.breaks(call, code, end);
    hung.release();
    ask(&site, &mut service, CALLERS..2 * CALLERS, SHORT_MS).await;
    let mut late = Answers::default();
    for _ in 0..CALLERS {
        late.add(service.told_of(CALLERS..2 * CALLERS, &mut first).await);
    }
    let meanwhile = late.hold(&site);
    assert_eq!((meanwhile.succeeded, site.sent()), (0, CALLERS), "{call} {code} {end}: {meanwhile:?}");
    let case = format!("{call} fails with {code} on *{end}, killed: {is_killed}");
    if is_killed {
        service.kill().await;
    }
    let times = disk.is_whole();
    assert!(times > 0, "{case}: nothing has failed, so this shows nothing");
    if is_killed {
        // What was told as not written doesn't come to light when the log is read from its beginning.
        assert_eq!(site.all().await.len() as u64, CALLERS, "{case}");
        service = disk.under(&site).await;
        first = Answers::default();
        ask(&site, &mut service, 0..CALLERS, LONG_MS).await;
    }
    while first.count() < usize::try_from(CALLERS).expect("small") {
        first.add(service.told().await);
    }
    assert_eq!(first.hold(&site).succeeded as u64, CALLERS, "{case}: {}", first.sample());
    tell(&format!("disk: {case}: {times} calls failed, {meanwhile:?}"));
    // Of those who were told that nothing was sent, nothing was sent behind their backs either.
    late.hold(&site);
    late.forget_the_unwritten();
    ask(&site, &mut service, CALLERS..2 * CALLERS, LONG_MS).await;
    let again = Answers::gather(&mut service, CALLERS).await;
    assert!(again.are_of_the_operations_of(&late), "{case}: a key is one operation");
    first.merge(again);
    first.hold_for_ever(&site).await;
    assert_eq!(site.sent(), 2 * CALLERS, "{case}: each was sent once");
    site.is_sound().await;
}

const FAILURES: [(&str, u32, &str); 4] =
    [("sync", EIO, "-wal"), ("write", EIO, "-wal"), ("torn", EIO, "-wal"), ("write", ENOSPC, "-wal")];

#[tokio::test(flavor = "multi_thread")]
async fn what_a_failing_disk_did_not_take_is_not_told_as_written_and_nothing_is_sent() {
    let Some(disk) = BrokenDisk::make("a disk that fails") else { return };
    for failure in FAILURES {
        fails(&disk, failure, false).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_killed_on_a_failing_disk_leaves_nothing_twice() {
    let Some(disk) = BrokenDisk::make("a kill on a disk that fails") else { return };
    for failure in FAILURES {
        fails(&disk, failure, true).await;
    }
}
