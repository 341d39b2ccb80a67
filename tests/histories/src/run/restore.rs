//! A backup of a ledger in a file is taken, and put back later.

use std::path::Path;
use std::sync::Arc;

use super::bed::Bed;
use super::clock::Lot;
use crate::history::Event;
use crate::worker::{self, Place};

/// Takes a backup, and puts it back after a while. Everybody is stopped for both, as the guide wants it.
pub(crate) async fn restore(bed: Arc<Bed>, mut lot: Lot) {
    let Place::File(ledger) = bed.setup.ledger.clone() else { return };
    let backup = bed.path("backup");
    tokio::time::sleep(lot.pause(500, 1_500)).await;
    let as_of_ms = {
        let _still = bed.still.write().await;
        kill_all(&bed).await;
        let as_of_ms = bed.record.time.now_ms();
        said(&bed, "the backup", copy(&ledger, &backup));
        as_of_ms
    };
    start_all(&bed).await;
    tokio::time::sleep(lot.pause(300, 1_200)).await;
    {
        let _still = bed.still.write().await;
        kill_all(&bed).await;
        said(&bed, "the restore", copy(&backup, &ledger));
        bed.record.note(Event::Restored { as_of_ms });
        let noted =
            async { worker::executor(&bed.setup).await?.note_restored().await.map_err(|error| error.to_string()) };
        said(&bed, "noting that it was restored", noted.await.map(drop));
    }
    start_all(&bed).await;
}

fn said(bed: &Bed, what: &str, done: Result<(), String>) {
    if let Err(why) = done {
        bed.record.trouble(format!("{what}: {why}"));
    }
}

async fn kill_all(bed: &Bed) {
    for seat in &bed.seats {
        seat.kill().await;
    }
}

async fn start_all(bed: &Bed) {
    for seat in &bed.seats {
        bed.start(seat).await;
    }
}

/// Copies a ledger that nobody has open, with the files beside it, in place of another.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    for ending in ["", "-wal", "-shm"] {
        let beside = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            std::path::PathBuf::from(name)
        };
        let (from, to) = (beside(from), beside(to));
        if to.exists() {
            std::fs::remove_file(&to).map_err(|error| error.to_string())?;
        }
        if from.exists() {
            std::fs::copy(&from, &to).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}
