//! What goes wrong: workers are killed and stopped, networks are cut, providers and the way to them are broken.

use std::sync::Arc;
use std::time::Duration;

use hapax_standin::{Fault, FaultProxy, Handle, Kind, When};
use tokio::task::JoinSet;

use super::bed::{Bed, Provider};
use super::cells::Job;
use super::clock::Lot;
use super::seat::Seat;
use crate::history::Event;

/// Real milliseconds for which a request or an answer is held back at most. That is less than any settle, so that it
/// breaks no promise of a provider.
const LONGEST_HOLD_MS: u64 = 250;

/// Breaks one thing after the other until the run is over, and lets all of it end.
pub(crate) async fn break_things(bed: Arc<Bed>, mut lot: Lot) {
    let mut ending = JoinSet::new();
    while !bed.is_over() {
        tokio::time::sleep(lot.pause(15, 120)).await;
        break_one(&bed, &mut lot, &mut ending);
        while ending.try_join_next().is_some() {}
    }
    ending.join_all().await;
}

fn break_one(bed: &Arc<Bed>, lot: &mut Lot, ending: &mut JoinSet<()>) {
    match lot.below(100) {
        0..12 => drop(ending.spawn(killed(bed.clone(), lot.one_of(&bed.seats).clone(), lot.pause(5, 250)))),
        12..22 => drop(ending.spawn(paused(lot.one_of(&bed.seats).clone(), lot.pause(50, 1_500)))),
        22..28 => {
            let index = lot.below(bed.providers.len() as u64) as usize;
            drop(ending.spawn(provider_cut(bed.clone(), index, lot.pause(20, 400))));
        }
        28..36 if !bed.ways.is_empty() => {
            let index = lot.below(bed.ways.len() as u64) as usize;
            drop(ending.spawn(ledger_cut(bed.clone(), index, lot.pause(20, 800))));
        }
        _ => {
            let provider = lot.one_of(&bed.providers);
            if let Some(handle) = spoil(bed, provider, lot) {
                let hold = lot.pause(5, LONGEST_HOLD_MS);
                drop(ending.spawn(async move {
                    // What runs into it is held from then on.
                    let met = tokio::time::timeout(Duration::from_secs(2), handle.reached()).await;
                    tokio::time::sleep(if met.is_ok() { hold } else { Duration::ZERO }).await;
                    handle.release();
                }));
            }
        }
    }
}

async fn killed(bed: Arc<Bed>, seat: Arc<Seat>, pause: Duration) {
    if seat.kill().await {
        tokio::time::sleep(pause).await;
        bed.start(&seat).await;
    }
}

async fn paused(seat: Arc<Seat>, pause: Duration) {
    if let Some(live) = seat.pause().await {
        tokio::time::sleep(pause).await;
        seat.resume(&live).await;
    }
}

async fn provider_cut(bed: Arc<Bed>, index: usize, pause: Duration) {
    let provider = &bed.providers[index];
    cut(&bed, format!("workers-{}", provider.integration), &provider.proxy, pause).await;
}

async fn ledger_cut(bed: Arc<Bed>, index: usize, pause: Duration) {
    cut(&bed, format!("{}-ledger", bed.seats[index].name), &bed.ways[index], pause).await;
}

/// Nobody gets through for a while, and what is open is closed.
async fn cut(bed: &Bed, between: String, way: &FaultProxy, pause: Duration) {
    let network = |is_cut| Event::Network { between: between.clone(), is_cut };
    bed.record.note(network(true));
    let handle = way.inject(When::next(), Fault::RefuseConnection);
    tokio::time::sleep(pause).await;
    handle.release();
    bed.record.note(network(false));
}

/// Breaks the next requests that count at a provider, or its next lists, inside it or on the way. What comes back holds
/// something until it is released.
fn spoil(bed: &Bed, provider: &Provider, lot: &mut Lot) -> Option<Handle> {
    let job = *lot.one_of(&provider.jobs);
    let (method, path) = job.shot;
    let times = u32::try_from(lot.between(1, 4)).unwrap_or(1);
    let shot = When::on(method, path).times(times);
    let note = |what: String| {
        bed.record.note(Event::Fault { at: job.cell.to_owned(), what });
    };
    if lot.percent(50) {
        let (kind, holds) = inside(job, lot);
        note(format!("{kind:?} x{times}"));
        let when = if matches!(kind, Kind::ListLags { .. }) { When::on("GET", "/*").times(times) } else { shot };
        return Some(provider.server.injections().add(when, kind)).filter(|_| holds);
    }
    let (fault, holds) = on_the_way(lot);
    note(format!("{fault:?} x{times}"));
    Some(provider.proxy.inject(shot, fault)).filter(|_| holds)
}

/// A fault inside the provider, and whether it holds something.
fn inside(job: Job, lot: &mut Lot) -> (Kind, bool) {
    let settle_ms = u64::try_from(job.spec().resend_settle().as_millis()).unwrap_or(u64::MAX);
    let status = *lot.one_of(&[500, 502, 503]);
    let kind = match lot.below(9) {
        0 => Kind::ErrorBefore { status, code: None },
        1 => Kind::ErrorAfter { status, code: None },
        // Late, and within what the facts allow: it counts from the deadline, this from the arrival.
        2 | 3 => {
            let after_ms = lot.between(1_000, settle_ms * 9 / 10);
            Kind::DelayedEffect { after_ms: i64::try_from(after_ms).unwrap_or(1_000), status: 504 }
        }
        4 => Kind::RateLimited { retry_after_s: 3 },
        5 => Kind::EmptyBody,
        6 => Kind::ForeignHtml,
        7 => Kind::ListLags { by_ms: 30_000 },
        _ => return (Kind::Hang { after_effect: lot.percent(50) }, true),
    };
    (kind, false)
}

/// A fault between worker and provider, and whether it holds something.
fn on_the_way(lot: &mut Lot) -> (Fault, bool) {
    match lot.below(9) {
        0 => (Fault::CutBeforeSend, false),
        1 => (Fault::CutAfterHeaders, false),
        2 => (Fault::CutMidBody, false),
        3 => (Fault::LoseRequest, false),
        4 | 5 => (Fault::CutAfterCommit, false),
        6 => (Fault::TruncateReply { body_bytes: 7 }, false),
        7 => (Fault::DelayReply, true),
        _ => (Fault::DelayRequest, true),
    }
}

/// Takes back what is broken. Workers are all there afterwards, and none stands still.
pub(crate) async fn mend(bed: &Bed) {
    for provider in &bed.providers {
        provider.proxy.clear();
        provider.server.injections().clear();
    }
    for way in &bed.ways {
        way.clear();
    }
    for seat in &bed.seats {
        bed.start(seat).await;
    }
}
