//! Windows that end, and clocks that are wrong.

use hapax_core::protocol::Elapsed;
use hapax_standin::{Fault as Proxy, Kind};

use super::{Fault, fault, standing};
use crate::kit::{Invariant, Options, Played, Run, hold};
use hapax_core::clock::Clock as _;
use hapax_core::executor::ExecutorError;

pub(super) const FAULTS: &[Fault] = &[
    fault!(
        "window-over",
        Any,
        |run| window(run, true),
        "nobody is there until the key has been forgotten; it happened"
    ),
    fault!(
        "window-over-nothing",
        Any,
        |run| window(run, false),
        "nobody is there until the key has been forgotten; nothing happened"
    ),
    fault!(
        "window-ends-under-way",
        Any,
        window_ends,
        "a further request would arrive after the key has been forgotten"
    ),
    fault!("clock-steps-back", Any, clock_back, "the wall clock is set back by an hour"),
    fault!("clock-steps-forward", Any, clock_forward, "the wall clock jumps ahead by a day"),
    fault!("good-until-over", Any, good_until, "the intent may not be sent any more when the work goes on"),
];

/// The longest window of a key that is relied on.
fn window_ms(run: &Run) -> u64 {
    standing(run.spec).guards.iter().filter_map(|guard| guard.floor_ms).max().unwrap_or(86_400_000)
}

async fn window(run: &Run, effect: bool) -> Played {
    let intent = run.intent().await?;
    run.on_shot(if effect { Proxy::CutAfterCommit } else { Proxy::LoseRequest });
    let process = run.process().await?;
    // Killed before it can look.
    let stop = process.stops().at(hapax_core::executor::Point::AfterSend, 1);
    run.call_for(&process, &intent, 100).await;
    stop.reached().await;
    process.kill();
    run.time.jump(window_ms(run) + 3_600_000);
    run.happened(&intent, usize::from(effect))
}

/// The provider can't be asked, so only the key could make a further request harmless; and whatever is sent is held up
/// until the key has been forgotten.
async fn window_ends(run: &Run) -> Played {
    run.held_up();
    let intent = run.intent().await?;
    run.on_shot(Proxy::CutAfterCommit);
    if let Some(look) = run.look() {
        run.proxy.inject(look.always(), Proxy::Reply(run.cell.error_reply(503).into()));
    }
    run.proxy.inject(run.shot().nth(2).always(), Proxy::DelayRequest);
    let process = run.process().await?;
    let stop = process.stops().at(hapax_core::executor::Point::AfterSend, 1);
    run.call_for(&process, &intent, 100).await;
    stop.reached().await;
    process.kill();
    let standing = standing(run.spec);
    run.time.jump(window_ms(run).saturating_sub(standing.within_ms + standing.settle_ms / 2));
    let late = run.process().await?;
    let _ = tokio::time::timeout(std::time::Duration::from_millis(300), run.take_up(&late)).await;
    run.time.jump(standing.within_ms + standing.settle_ms);
    // What was held up arrives now.
    run.proxy.clear();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    run.happened(&intent, 1)
}

async fn clock_back(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::CutAfterCommit);
    if let Some(look) = run.look() {
        run.server.injections().add(look.times(2), Kind::ErrorBefore { status: 503, code: None });
    }
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    run.wait_until_heard(&intent).await?;
    // What is written after the step would be the newest record; here nobody writes.
    process.kill();
    let new = run.intent().await?;
    run.clock.step(-3_600_000);
    let process = run.process().await?;
    let said = run.call(&process, &new).await;
    let refused = matches!(said, Some(Err(ExecutorError::Future(_))));
    hold(Invariant::AsTheFaultSays, refused, format!("a ledger from the future was used: {said:?}"))?;
    run.happened(&new, 0)?;
    run.take_up(&process).await?;
    run.clock.correct();
    run.call(&process, &new).await;
    Ok(())
}

/// A jump of the wall alone ends no settle: what is held up still arrives inside it.
async fn clock_forward(run: &Run) -> Played {
    run.held_up();
    let intent = run.intent().await?;
    let held = run.on_shot(Proxy::DelayRequest);
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    held.reached().await;
    let before = run.clock.now();
    run.time.jump(standing(run.spec).within_ms + 1);
    run.wait_until_heard(&intent).await?;
    run.clock.step(43_200_000);
    hold(Invariant::Runs, Elapsed::between(before, run.clock.now()).at_most_ms > 43_000_000, "the clock did not step")?;
    run.take_up(&process).await?;
    held.release();
    held.finished().await;
    run.finish(&process).await
}

async fn good_until(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::LoseRequest);
    let process = run.process_with(Options::default()).await?;
    let until = run.clock.now().wall_ms + 30_000;
    let stop = process.stops().at(hapax_core::executor::Point::AfterSend, 1);
    let request = run.request(&intent).good_until_ms(until).wait_ms(100);
    if let Some(said) = process.run(request).await {
        run.note(&intent.key, &said);
    }
    stop.reached().await;
    process.kill();
    run.time.jump(60_000);
    let shots = run.shots();
    let late = run.process().await?;
    run.finish(&late).await?;
    hold(Invariant::DeadlineKept, run.shots() == shots, "something was sent after the intent had expired")
}
