//! The end of a run: nothing goes wrong any more, and everything comes to rest.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hapax_core::identity::OperationKey;
use hapax_core::ledger::{By, Filter, OperationId, Phase, Serves, SharedLedger};
use hapax_core::protocol::Stamp;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::bed::Bed;
use super::callers::{How, once};
use super::cells::{Key, jobs};
use super::clock::Lot;
use super::people;
use crate::history::{Event, Rest, Said};
use crate::worker;

/// Milliseconds of the run that a caller waits here.
const WAIT_MS: u64 = 20_000;

/// Real time between two rounds of calls.
const PAUSE: Duration = Duration::from_millis(50);

/// How many call at once.
const AT_ONCE: usize = 12;

/// What a key's caller knows of it.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    is_second: bool,
    is_final: bool,
}

/// Calls with each key until it is final, as people decide, for so long at most; then once more, by somebody who comes
/// later.
pub(crate) async fn come_to_rest(bed: &Arc<Bed>, limit: Duration, mut lot: Lot) {
    bed.record.note(Event::Quiet);
    let began = Instant::now();
    let mut open: BTreeMap<usize, Known> = (0..bed.keys().len()).map(|index| (index, Known::default())).collect();
    let mut ended = BTreeMap::new();
    while !open.is_empty() && began.elapsed() < limit {
        for (index, known) in call_all(bed, &open, WAIT_MS, &mut lot).await {
            if known.is_final {
                open.remove(&index);
                ended.insert(index, known);
            } else {
                open.insert(index, known);
            }
        }
        let seat = lot.one_of(&bed.seats).clone();
        if let Some(live) = seat.live() {
            people::empty(bed, &live, &seat.name, &mut lot).await;
        }
        tokio::time::sleep(PAUSE).await;
    }
    call_all(bed, &ended, 1, &mut lot).await;
}

async fn call_all(bed: &Arc<Bed>, all: &BTreeMap<usize, Known>, wait_ms: u64, lot: &mut Lot) -> Vec<(usize, Known)> {
    let keys = bed.keys();
    let places = Arc::new(tokio::sync::Semaphore::new(AT_ONCE));
    let mut calls = JoinSet::new();
    for (index, known) in all {
        let (index, known, key) = (*index, *known, keys[*index].clone());
        let (bed, seat, places) = (bed.clone(), lot.one_of(&bed.seats).clone(), places.clone());
        calls.spawn(async move {
            let _place = places.acquire_owned().await;
            let Some(live) = seat.live() else { return (index, known) };
            let how = How { by: "last", at: &seat.name, is_second: known.is_second, wait_ms, until_ms: None };
            (index, after(known, &once(&bed, &live, &key, how).await))
        });
    }
    calls.join_all().await
}

fn after(known: Known, said: &Said) -> Known {
    match said {
        Said::Ok(_) | Said::Refused { .. } => Known { is_final: true, ..known },
        // The key is the other intent's.
        Said::NothingSent { code } if code == "key-reused" => Known { is_second: !known.is_second, ..known },
        _ => known,
    }
}

/// Writes down where each key lies. No worker lives any more.
///
/// # Errors
/// Why the ledger can't be read.
pub(crate) async fn rests(bed: &Bed) -> Result<(), String> {
    /// How often it is read again. A database may still be at what a worker that was killed told it last, and a list of
    /// what is due leaves out what is being written.
    const AGAIN: usize = 40;
    let ledger = worker::open(&bed.setup).await?;
    let mut rests = read(bed, &ledger).await?;
    for _ in 0..AGAIN {
        tokio::time::sleep(PAUSE).await;
        let again = read(bed, &ledger).await?;
        let is_still = again == rests;
        rests = again;
        if is_still {
            break;
        }
    }
    for (key, rest) in rests {
        bed.record.note(Event::Rests { key, rest });
    }
    Ok(())
}

/// Where each key lies at this moment.
async fn read(bed: &Bed, ledger: &SharedLedger) -> Result<Vec<(String, Rest)>, String> {
    let lies = Lies::read(ledger).await?;
    let mut rests = Vec::new();
    for key in bed.keys() {
        let operation = operation(ledger, &key).await?;
        rests.push((key.name(), operation.map_or(Rest::Missing, |operation| lies.rest(operation))));
    }
    Ok(rests)
}

async fn operation(ledger: &SharedLedger, key: &Key) -> Result<Option<OperationId>, String> {
    let text = OperationKey::new(key.text()).map_err(|error| error.to_string())?;
    let by = By::Key { connection: key.job.integration(), cell: key.job.cell, key: &text };
    Ok(ledger.load(by).await.map_err(|error| error.to_string())?.map(|stored| stored.operation))
}

/// Where operations lie.
struct Lies {
    phases: Vec<(Phase, Vec<OperationId>)>,
    due: Vec<OperationId>,
}

impl Lies {
    async fn read(ledger: &SharedLedger) -> Result<Self, String> {
        let serves =
            |job: &super::cells::Job| Serves { connection: job.integration().to_owned(), cell: job.cell.to_owned() };
        let serves: Vec<Serves> = jobs().iter().map(serves).collect();
        let mut phases = Vec::new();
        for phase in Phase::ALL {
            let filter = Filter { phases: vec![phase], ..Filter::default() };
            phases.push((phase, ledger.list(&filter).await.map_err(|error| error.to_string())?));
        }
        let some_time = Stamp { wall_ms: i64::MAX, boot_ms: 0, boot: 0 };
        let due = ledger.due(&serves, some_time, 1_000_000).await.map_err(|error| error.to_string())?;
        Ok(Self { phases, due })
    }

    fn rest(&self, operation: OperationId) -> Rest {
        let phase = self.phases.iter().find(|(_, all)| all.contains(&operation)).map(|(phase, _)| *phase);
        match phase {
            Some(Phase::Succeeded | Phase::Refused) => Rest::Final,
            Some(Phase::Held) => Rest::Held,
            Some(Phase::Person) => Rest::Person,
            Some(Phase::Open) if self.due.contains(&operation) => Rest::Due,
            Some(Phase::Open) => Rest::Stuck,
            None => Rest::Missing,
        }
    }
}
