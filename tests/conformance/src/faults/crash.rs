//! The process ends, sleeps, or the caller goes away.

use std::task::Poll;

use hapax_core::executor::Point;
use hapax_standin::Fault as Proxy;

use super::{Fault, fault, no_look, no_steps, standing};
use crate::kit::{Intent, Invariant, Played, Process, Run, hold};

pub(super) const FAULTS: &[Fault] = &[
    fault!("killed-before-send", Nothing, |run| killed(run, Point::BeforeSend, 1), "killed when nothing has left yet"),
    fault!("killed-after-send", Happened, |run| killed(run, Point::AfterSend, 1), "killed when the answer has come"),
    fault!(
        "killed-in-a-step",
        Succeeded,
        |run| killed(run, Point::AfterPrepareStep, 1),
        "killed between a step and its note"
    )
    .unless(no_steps),
    fault!("killed-before-a-look", Happened, |run| killed_looking(run, Point::BeforeLook), "killed before a look")
        .unless(no_look),
    fault!(
        "killed-after-a-look",
        Happened,
        |run| killed_looking(run, Point::AfterLook),
        "killed when a look has ended"
    )
    .unless(no_look),
    fault!(
        "killed-before-each-write",
        Any,
        |run| at_each_write(run, Point::BeforeCommit),
        "killed before each write in turn"
    ),
    fault!(
        "killed-after-each-write",
        Any,
        |run| at_each_write(run, Point::AfterCommit),
        "killed after each write in turn"
    ),
    fault!("asleep-before-first-byte", Any, asleep, "asleep between the write and the first byte, past the deadline"),
    fault!(
        "caller-gone-before-send",
        Succeeded,
        |run| caller_gone(run, Point::BeforeSend),
        "the caller goes away before the request leaves"
    ),
    fault!(
        "caller-gone-after-send",
        Succeeded,
        |run| caller_gone(run, Point::AfterSend),
        "the caller goes away when the answer has come"
    ),
    fault!(
        "caller-gone-before-commit",
        Succeeded,
        |run| caller_gone(run, Point::BeforeCommit),
        "the caller goes away before a write"
    ),
    fault!(
        "caller-gone-after-commit",
        Succeeded,
        |run| caller_gone(run, Point::AfterCommit),
        "the caller goes away after a write"
    ),
    fault!(
        "caller-gone-at-each-await",
        Succeeded,
        caller_gone_at_each_await,
        "the caller's future is dropped after each number of polls"
    ),
];

/// Kills a process where it stands, with the work in it.
async fn kill_at(run: &Run, process: Process, intent: &Intent, point: Point, nth: u32) -> bool {
    let stop = process.stops().at(point, nth);
    let working = async {
        run.call(&process, intent).await;
        // A look may come only after settle.
        if matches!(point, Point::BeforeLook | Point::AfterLook) {
            let standing = standing(run.spec);
            let _ = run.work_for(&process, standing.within_ms + standing.settle_ms + 60_000).await;
        }
    };
    let reached = tokio::select! {
        () = stop.reached() => true,
        () = working => stop.was_reached(),
    };
    process.kill();
    reached
}

async fn killed(run: &Run, point: Point, nth: u32) -> Played {
    let intent = run.intent().await?;
    let process = run.process().await?;
    let reached = kill_at(run, process, &intent, point, nth).await;
    hold(Invariant::Reached, reached, format!("{} was not reached", point.name()))
}

async fn killed_looking(run: &Run, point: Point) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::CutAfterCommit);
    let process = run.process().await?;
    let reached = kill_at(run, process, &intent, point, 1).await;
    hold(Invariant::Reached, reached, format!("{} was not reached", point.name()))
}

/// One intent for every write that a clean run makes.
async fn at_each_write(run: &Run, point: Point) -> Played {
    for nth in 1..=12 {
        let intent = run.intent().await?;
        let process = run.process().await?;
        if !kill_at(run, process, &intent, point, nth).await {
            return hold(Invariant::Reached, nth > 1, "no write was reached");
        }
    }
    Ok(())
}

/// The lid is closed for an hour. Another process takes the work up; then the sleeper wakes.
async fn asleep(run: &Run) -> Played {
    let intent = run.intent().await?;
    let sleeper = run.process().await?;
    let stop = sleeper.stops().at(Point::BeforeSend, 1);
    run.call_for(&sleeper, &intent, 100).await;
    stop.reached().await;
    run.time.jump(3_600_000);
    let other = run.process().await?;
    run.take_up(&other).await?;
    let before = run.shots();
    stop.release();
    run.wait_until_all_heard(&intent).await?;
    hold(Invariant::DeadlineKept, run.shots() == before, "the sleeper's request left after its deadline")
}

async fn caller_gone(run: &Run, point: Point) -> Played {
    let intent = run.intent().await?;
    let process = run.process().await?;
    let stop = process.stops().at(point, 1);
    tokio::select! {
        // The call is dropped here, with the caller.
        () = stop.reached() => {}
        _ = run.call(&process, &intent) => {
            return hold(Invariant::Reached, false, format!("{} was not reached", point.name()));
        }
    }
    stop.release();
    run.wait_until_final(&intent).await
}

/// A fresh intent for each number of polls, until a call ends before it could be dropped.
async fn caller_gone_at_each_await(run: &Run) -> Played {
    let process = run.process().await?;
    for polls in 1..=8 {
        let intent = run.intent().await?;
        let executor = process.executor().clone();
        let request = run.request(&intent);
        let dropped = process.inside(async move {
            let mut call = Box::pin(executor.run(request));
            let mut left = polls;
            std::future::poll_fn(|context| match call.as_mut().poll(context) {
                Poll::Ready(_) => Poll::Ready(false),
                Poll::Pending => {
                    left -= 1;
                    if left == 0 { Poll::Ready(true) } else { Poll::Pending }
                }
            })
            .await
        });
        let dropped = dropped.await.unwrap_or(true);
        // Dropped before the intent was journaled, nothing is under way, and a caller would call again.
        run.call(&process, &intent).await;
        if !dropped {
            return Ok(());
        }
        run.wait_until_final(&intent).await?;
    }
    Ok(())
}
