//! People: they look at the provider, and say what they saw.

use std::sync::Arc;

use hapax_core::executor::OperationView;
use hapax_core::ledger::Phase;

use super::bed::Bed;
use super::cells::Key;
use super::clock::{Lot, Time};
use super::seat::Live;
use crate::history::{Event, Says};
use crate::worker::{Answer, Want};

/// Looks into the inbox until the run is over.
pub(crate) async fn decide(bed: Arc<Bed>, mut lot: Lot) {
    while !bed.is_over() {
        tokio::time::sleep(lot.pause(30, 150)).await;
        let seat = lot.one_of(&bed.seats).clone();
        if let Some(live) = seat.live() {
            empty(&bed, &live, &seat.name, &mut lot).await;
        }
    }
}

/// Decides what is in the inbox and can be decided.
pub(crate) async fn empty(bed: &Bed, live: &Live, at: &str, lot: &mut Lot) {
    let Some(Answer::Inbox(views)) = live.ask(Want::Inbox).await else { return };
    let keys = bed.keys();
    for view in views {
        let of_view = |key: &&Key| key.text() == view.key && key.job.cell == view.cell;
        let Some(key) = keys.iter().find(of_view) else {
            bed.record.trouble(format!("the inbox has {} of {}, which nobody called with", view.key, view.cell));
            continue;
        };
        match view.phase {
            Phase::Held => approve(live, &view).await,
            // As long as an absence proves nothing there is nothing to be said.
            _ if view.evidence.as_ref().is_none_or(|evidence| evidence.absence_counts_in_seconds > 0) => {}
            _ => say(bed, live, at, lot, key, &view).await,
        }
    }
}

/// Says what they see at the provider. Where there is nothing they may want it to be sent again.
async fn say(bed: &Bed, live: &Live, at: &str, lot: &mut Lot, key: &Key, view: &OperationView) {
    let looked = Time::stamp();
    let effects = bed.effects_of(key);
    let says = match effects.first() {
        Some(effect) => Says::Happened(effect.object.clone()),
        None if lot.percent(50) => Says::SendAgain,
        None => Says::DidNotHappen,
    };
    let by = "dana".to_owned();
    let call = bed.record.call();
    let (key, at) = (key.name(), at.to_owned());
    bed.record.note(Event::Decided { call, key, says: says.clone(), by: by.clone(), at });
    let (operation, seen) = (view.operation, view.revision);
    let answer = live.ask(Want::Resolve { operation, seen, by, looked, says }).await;
    bed.record.came(call, answer.as_ref());
}

/// What a restored ledger holds back may go on: it is looked for first.
async fn approve(live: &Live, view: &OperationView) {
    let (operation, seen) = (view.operation, view.revision);
    // If it may not be approved yet, it stays in the inbox.
    let _ = live.ask(Want::Approve { operation, seen, by: "dana".to_owned() }).await;
}
