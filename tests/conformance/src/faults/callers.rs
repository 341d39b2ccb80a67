//! Many callers, many processes, lost leases.

use std::sync::Arc;

use hapax_core::executor::Point;

use super::{Fault, fault, no_look, standing};
use crate::kit::{Invariant, Played, Run, hold, story_of};

pub(super) const FAULTS: &[Fault] = &[
    fault!("2-callers", Succeeded, |run| callers(run, 2, 1), "two callers of one key in one process"),
    fault!("50-callers", Succeeded, |run| callers(run, 50, 1), "fifty callers of one key in one process"),
    fault!("2-processes", Succeeded, |run| callers(run, 2, 2), "two callers of one key, each in a process"),
    fault!(
        "50-callers-4-processes",
        Succeeded,
        |run| callers(run, 50, 4),
        "fifty callers of one key in four processes"
    ),
    fault!(
        "lease-lost-owner-returns",
        Happened,
        lease_lost,
        "the owner returns with the answer when another has taken over"
    )
    .unless(no_look),
    fault!(
        "lease-lost-in-a-look",
        Happened,
        lease_lost_in_a_look,
        "the owner returns with a finding when another has taken over"
    )
    .unless(no_look),
];

async fn callers(run: &Run, callers: usize, processes: usize) -> Played {
    let intent = run.intent().await?;
    let mut started = Vec::new();
    for _ in 0..processes {
        started.push(Arc::new(run.process().await?));
    }
    let calls = (0..callers).map(|number| {
        let process = started[number % processes].clone();
        let request = run.request(&intent).wait_ms(300_000);
        tokio::spawn(async move { process.run(request).await })
    });
    for call in calls.collect::<Vec<_>>() {
        match call.await {
            Ok(Some(said)) => {
                run.note(&intent.key, &said);
                let succeeded = said.as_ref().is_ok_and(|report| report.receipt().is_some());
                hold(Invariant::AsTheFaultSays, succeeded, format!("a caller who waits is told {said:?}"))?;
            }
            _ => return hold(Invariant::Runs, false, "a call panicked"),
        }
    }
    // One owner at a time: nobody sends a second request while the first is under way.
    let shots = run.shots();
    let story = story_of(run, &intent).await;
    hold(Invariant::AsTheFaultSays, shots == 1, format!("{shots} requests for {callers} callers; {story}"))
}

async fn lease_lost(run: &Run) -> Played {
    let intent = run.intent().await?;
    let owner = run.process().await?;
    let stop = owner.stops().at(Point::AfterSend, 1);
    run.call_for(&owner, &intent, 100).await;
    stop.reached().await;
    run.happened(&intent, 1)?;
    run.time.jump(standing(run.spec).within_ms + 30_000);
    let other = run.process().await?;
    run.take_up(&other).await?;
    stop.release();
    run.wait_until_final(&intent).await
}

async fn lease_lost_in_a_look(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(hapax_standin::Fault::CutAfterCommit);
    let owner = run.process().await?;
    let stop = owner.stops().at(Point::AfterLook, 1);
    run.call_for(&owner, &intent, 100).await;
    stop.reached().await;
    run.time.jump(120_000);
    let other = run.process().await?;
    run.take_up(&other).await?;
    stop.release();
    run.wait_until_final(&intent).await
}
