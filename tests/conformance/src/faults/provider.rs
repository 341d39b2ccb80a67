//! Inside the provider.

use hapax_standin::{Fault as Proxy, Kind};

use super::{Fault, fault, standing};
use crate::kit::{CellSubject, Options, Played, Run};
use hapax_core::capability::CellSpec;

pub(super) const FAULTS: &[Fault] = &[
    fault!("stored-500", Any, |run| stored(run, false, None), "a failure is stored under the key; nothing happened"),
    fault!("stored-500-with-effect", Happened, |run| stored(run, true, None), "a failure is stored, and it happened"),
    fault!(
        "stored-500-repaired",
        Any,
        |run| stored(run, false, Some(20_000)),
        "a stored failure is rolled forward soon"
    ),
    fault!("429-storm", Succeeded, |run| storm(run, 4), "too many requests, for a while"),
    fault!("429-without-end", Any, |run| storm(run, 0), "too many requests, for ever"),
    fault!("401-in-the-middle", Any, unauthorized, "the credentials are not accepted for a while"),
    fault!(
        "401-on-the-second",
        Any,
        |run| second(run, 401),
        "the second request is refused 401 while the first is open"
    ),
    fault!(
        "403-on-the-second",
        Any,
        |run| second(run, 403),
        "the second request is refused 403 while the first is open"
    ),
    fault!("refused", Refused, refused, "the provider refuses, and goes on refusing").unless(never_refuses),
    fault!("refused-answer-lost", Any, refused_lost, "the provider refuses, and the answer is lost")
        .unless(never_refuses),
    fault!("twins", Any, twins, "two requests of one intent at once"),
    fault!("ignores-its-key", Any, ignores_its_key, "the provider does not look at its own key"),
    fault!("hangs-before", Nothing, |run| hangs(run, false), "the provider works on it and never ends"),
    fault!("hangs-after", Happened, |run| hangs(run, true), "the provider has done it and never answers"),
];

fn never_refuses(_: &CellSpec, subject: &dyn CellSubject) -> Option<&'static str> {
    (!subject.refuses()).then_some("the subject knows no intent that the stand-in refuses")
}

async fn stored(run: &Run, effect: bool, repaired_after_ms: Option<i64>) -> Played {
    if repaired_after_ms.is_some() {
        run.held_up();
    }
    let intent = run.intent().await?;
    run.inside_shot(Kind::StoredError { status: 500, effect, repaired_after_ms });
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.finish(&process).await
}

async fn storm(run: &Run, times: u32) -> Played {
    let intent = run.intent().await?;
    run.inside(run.shot().times(times), Kind::RateLimited { retry_after_s: 2 });
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.finish(&process).await
}

async fn unauthorized(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.inside_shot(Kind::Unauthorized);
    let process = run.process().await?;
    run.call(&process, &intent).await;
    Ok(())
}

/// The first request is held up; whatever second one is sent is refused; then the first arrives, inside settle.
async fn second(run: &Run, status: u16) -> Played {
    run.held_up();
    let intent = run.intent().await?;
    let held = run.on_shot(Proxy::DelayRequest);
    run.proxy.inject(run.shot().nth(2), Proxy::Reply(run.cell.error_reply(status).into()));
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    held.reached().await;
    run.time.jump(standing(run.spec).within_ms + 1);
    run.wait_until_heard(&intent).await?;
    run.work_for(&process, standing(run.spec).settle_ms / 2).await?;
    held.release();
    held.finished().await;
    run.happened(&intent, 1)
}

async fn refused(run: &Run) -> Played {
    let number = run.number();
    let Some(sample) = run.cell.refused_intent(&run.site(), number).await else { return Ok(()) };
    let intent = run.watch(sample.map_err(crate::kit::set_up)?, number);
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.happened(&intent, 0)
}

async fn refused_lost(run: &Run) -> Played {
    let number = run.number();
    let Some(sample) = run.cell.refused_intent(&run.site(), number).await else { return Ok(()) };
    let intent = run.watch(sample.map_err(crate::kit::set_up)?, number);
    run.on_shot(Proxy::CutAfterCommit);
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.happened(&intent, 0)
}

/// Two processes that don't see each other's ledger send the same intent at once, the first one slowly.
async fn twins(run: &Run) -> Played {
    run.held_up();
    let intent = run.intent().await?;
    let slow = run.inside_shot(Kind::Hang { after_effect: false });
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    slow.reached().await;
    process.kill();
    run.time.jump(standing(run.spec).within_ms + 10_000);
    let other = run.process_with(Options::default()).await?;
    run.take_up(&other).await?;
    slow.release();
    slow.finished().await;
    Ok(())
}

async fn ignores_its_key(run: &Run) -> Played {
    run.held_up();
    run.assume("the provider keeps to its own key");
    let intent = run.intent().await?;
    run.inside(run.shot().always(), Kind::KeyIgnored);
    let held = run.on_shot(Proxy::DelayRequest);
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    held.reached().await;
    run.time.jump(standing(run.spec).within_ms + 1);
    run.wait_until_heard(&intent).await?;
    run.work_for(&process, standing(run.spec).settle_ms / 2).await?;
    held.release();
    held.finished().await;
    run.finish(&process).await
}

async fn hangs(run: &Run, after_effect: bool) -> Played {
    run.held_up();
    let intent = run.intent().await?;
    let hang = run.inside_shot(Kind::Hang { after_effect });
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    hang.reached().await;
    run.time.jump(standing(run.spec).within_ms + 1);
    run.wait_until_heard(&intent).await?;
    run.happened(&intent, usize::from(after_effect))
}
