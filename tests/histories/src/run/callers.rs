//! Callers: they call with keys that others call with too, and with keys of their own, and some with another intent.

use std::sync::Arc;
use std::time::Duration;

use super::bed::Bed;
use super::cells::{Job, Key, name, wanted};
use super::clock::Lot;
use super::record::lock;
use super::seat::Live;
use crate::history::{Event, Said};
use crate::worker::Want;

/// Keys that are called with by everybody at a time.
const SHARED: usize = 4;

/// What a key is called with before everybody goes on to another one.
const CALLS_OF_ONE: u64 = 12;

/// Milliseconds of the run that a caller waits: from no time at all to longer than two deadlines.
const WAITS: [u64; 5] = [1, 2_000, 10_000, 60_000, 200_000];

/// Keys that are shared at the moment, with the number of calls that each has had.
#[derive(Default)]
pub(crate) struct Shared(std::sync::Mutex<Vec<(Key, u64)>>);

impl Shared {
    /// One of them; one that has had its calls is replaced.
    fn one(&self, bed: &Bed, lot: &mut Lot, jobs: &[Job]) -> Key {
        let mut all = lock(&self.0);
        while all.len() < SHARED {
            all.push((bed.fresh(*lot.one_of(jobs)), 0));
        }
        let (key, calls) = &mut all[lot.below(SHARED as u64) as usize];
        *calls += 1;
        if *calls > CALLS_OF_ONE {
            (*key, *calls) = (bed.fresh(*lot.one_of(jobs)), 1);
        }
        key.clone()
    }
}

/// Calls until the run is over.
pub(crate) async fn call(bed: Arc<Bed>, shared: Arc<Shared>, mut lot: Lot, by: String) {
    let jobs = wanted();
    let mut own: Vec<Key> = Vec::new();
    while !bed.is_over() {
        let key = match lot.below(100) {
            0..50 => shared.one(&bed, &mut lot, &jobs),
            50..75 if !own.is_empty() => lot.one_of(&own).clone(),
            _ => {
                own.push(bed.fresh(*lot.one_of(&jobs)));
                own[own.len() - 1].clone()
            }
        };
        let is_second = lot.percent(8);
        let wait_ms = *lot.one_of(&WAITS);
        let until_ms = key.expires().then(|| lot.between(5_000, 150_000));
        let seat = lot.one_of(&bed.seats).clone();
        match seat.live() {
            Some(live) => {
                let how = How { by: &by, at: &seat.name, is_second, wait_ms, until_ms };
                once(&bed, &live, &key, how).await;
            }
            // The worker is about to be started again.
            None => tokio::time::sleep(Duration::from_millis(5)).await,
        }
        tokio::time::sleep(lot.pause(0, 12)).await;
    }
}

/// How a call is made.
pub(crate) struct How<'a> {
    pub(crate) by: &'a str,
    pub(crate) at: &'a str,
    pub(crate) is_second: bool,
    pub(crate) wait_ms: u64,
    /// Milliseconds after which nothing is to be sent.
    pub(crate) until_ms: Option<u64>,
}

/// Calls one time and writes down both ends of it.
pub(crate) async fn once(bed: &Bed, live: &Live, key: &Key, how: How<'_>) -> Said {
    let args = key.args(how.is_second).await;
    let call = bed.record.call();
    bed.record.note(Event::Invoked {
        call,
        key: key.name(),
        intent: name(how.is_second).to_owned(),
        by: how.by.to_owned(),
        at: how.at.to_owned(),
    });
    let now_ms = bed.record.time.wall_ms();
    let good_until_ms = how.until_ms.map(|ms| now_ms + i64::try_from(ms).unwrap_or(i64::MAX / 2));
    let connection = key.job.integration().to_owned();
    let (cell, wait_ms) = (key.job.cell.to_owned(), how.wait_ms);
    let answer = live.ask(Want::Run { connection, cell, key: key.text(), args, good_until_ms, wait_ms }).await;
    bed.record.came(call, answer.as_ref())
}
