//! Many callers, many processes, lost leases.

use std::sync::Arc;

use hapax_core::executor::Point;
use hapax_standin::Fault as Proxy;

use super::{Fault, fault, no_first_look, no_look, standing};
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
    .unless(no_first_look),
    fault!(
        "second-caller-while-under-way",
        Succeeded,
        second_caller,
        "a second caller in the same process while the first one's request is out"
    ),
    fault!("two-recover-at-once", Nothing, two_recover, "two processes take up the same work at the same moment"),
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
            _ => return hold(Invariant::NoPanic, false, "a call panicked"),
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
    run.on_shot(Proxy::CutAfterCommit);
    let owner = run.process().await?;
    let stop = owner.stops().at(Point::AfterLook, 1);
    let looking = async {
        run.call_for(&owner, &intent, 100).await;
        run.wait_until_heard(&intent).await?;
        let standing = standing(run.spec);
        run.work_for(&owner, standing.within_ms + standing.settle_ms + 60_000).await
    };
    tokio::select! {
        () = stop.reached() => {}
        ended = looking => ended?,
    }
    run.time.jump(120_000);
    let other = run.process().await?;
    run.take_up(&other).await?;
    stop.release();
    // What lags is seen by a later look only.
    run.finish(&other).await?;
    run.wait_until_final(&intent).await
}

/// Rule 9: the second caller waits for the first, neither asking nor sending.
async fn second_caller(run: &Run) -> Played {
    let intent = run.intent().await?;
    let held = run.on_shot(Proxy::DelayRequest);
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    held.reached().await;
    run.call_for(&process, &intent, 5_000).await;
    let story = story_of(run, &intent).await;
    hold(Invariant::AsTheFaultSays, run.shots() == 1, format!("a second caller sent beside the first; {story}"))?;
    let looks = run.state(&intent).await?.map_or(0, |state| state.looks);
    hold(Invariant::AsTheFaultSays, looks == 0, format!("a second caller asked beside the first; {story}"))?;
    held.release();
    run.wait_until_final(&intent).await
}

/// Both have loaded the operation before either writes.
async fn two_recover(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::LoseRequest);
    let first = run.process().await?;
    let stop = first.stops().at(Point::AfterSend, 1);
    run.call_for(&first, &intent, 100).await;
    stop.reached().await;
    first.kill();
    let standing = standing(run.spec);
    run.time.jump(standing.within_ms + standing.settle_ms + 60_000);
    let (one, two) = (run.process().await?, run.process().await?);
    let (at_one, at_two) = (one.stops().at(Point::BeforeCommit, 1), two.stops().at(Point::BeforeCommit, 1));
    let meeting = async {
        tokio::join!(at_one.reached(), at_two.reached());
        at_one.release();
        at_two.release();
    };
    let (taken_one, taken_two, ()) = tokio::join!(run.take_up(&one), run.take_up(&two), meeting);
    taken_one?;
    taken_two?;
    let story = story_of(run, &intent).await;
    hold(Invariant::AsTheFaultSays, run.shots() <= 2, format!("both processes sent; {story}"))
}
