//! On the way to the provider and back.

use hapax_standin::Fault as Proxy;

use super::{Fault, fault, standing};
use crate::kit::{Invariant, Options, Played, Run, hold};

pub(super) const FAULTS: &[Fault] = &[
    fault!("clean", Succeeded, clean, "nothing goes wrong"),
    fault!("connection-refused", Succeeded, connection_refused, "nobody listens, later somebody does"),
    fault!(
        "name-does-not-resolve",
        Succeeded,
        name_does_not_resolve,
        "the provider's name has no address, later it has"
    ),
    fault!("connection-cut-at-once", Nothing, cut_on_connect, "the connection is closed as soon as it is made"),
    fault!("request-lost", Nothing, request_lost, "the request is lost on the way"),
    fault!("request-cut-in-the-middle", Nothing, request_cut, "half of the request arrives"),
    fault!("answer-lost", Happened, answer_lost, "it happened, and the answer is lost"),
    fault!("answer-cut-in-the-middle", Happened, answer_cut, "it happened, and half of the answer arrives"),
    fault!("answer-after-deadline", Happened, answer_after_deadline, "it happened, and the answer comes too late"),
    fault!(
        "effect-after-deadline",
        Any,
        effect_after_deadline,
        "the request arrives after the deadline, inside settle"
    ),
    fault!("effect-beyond-settle", Any, effect_beyond_settle, "the request arrives later than anybody promised"),
    fault!("no-answer-at-all", Nothing, black_hole, "the request is swallowed and the connection stays open"),
];

async fn clean(run: &Run) -> Played {
    let process = run.process().await?;
    let intent = run.intent().await?;
    run.call(&process, &intent).await;
    run.happened(&intent, 1)?;
    hold(Invariant::AsTheFaultSays, run.shots() == 1, format!("{} requests for one intent", run.shots()))
}

async fn connection_refused(run: &Run) -> Played {
    let intent = run.intent().await?;
    let shut = run.proxy.inject(hapax_standin::When::next(), Proxy::RefuseConnection);
    shut.reached().await;
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.happened(&intent, 0)?;
    let bytes = run.proxy.bytes_received();
    hold(Invariant::NothingUnbidden, bytes == 0, format!("{bytes} bytes left through a shut door"))?;
    shut.release();
    shut.finished().await;
    Ok(())
}

async fn name_does_not_resolve(run: &Run) -> Played {
    let intent = run.intent().await?;
    let elsewhere = run.proxy.url().replace(&run.proxy.address().to_string(), "nowhere.invalid");
    let mut nowhere = Options { base_url: Some(elsewhere), ..Options::default() };
    // It must not be on its second try when it is stopped: nobody could say that nothing had left.
    nowhere.policy.bounds.backoff_ms = 3_600_000;
    let process = run.process_with(nowhere).await?;
    run.call_for(&process, &intent, 1_000).await;
    if run.cell.routes().prepare.is_empty() {
        run.wait_until_heard(&intent).await?;
    }
    process.kill();
    run.happened(&intent, 0)
}

async fn cut_on_connect(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.through(hapax_standin::When::next(), Proxy::CutOnConnect);
    let process = run.process().await?;
    run.call(&process, &intent).await;
    Ok(())
}

async fn request_lost(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::LoseRequest);
    let process = run.process().await?;
    run.call(&process, &intent).await;
    Ok(())
}

async fn request_cut(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::CutMidBody);
    let process = run.process().await?;
    run.call(&process, &intent).await;
    Ok(())
}

async fn answer_lost(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::CutAfterCommit);
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.happened(&intent, 1)
}

async fn answer_cut(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::TruncateReply { body_bytes: 9 });
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.happened(&intent, 1)
}

async fn answer_after_deadline(run: &Run) -> Played {
    let intent = run.intent().await?;
    let held = run.on_shot(Proxy::DelayReply);
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    held.reached().await;
    run.time.jump(standing(run.spec).within_ms + 1);
    run.wait_until_heard(&intent).await?;
    held.release();
    run.happened(&intent, 1)
}

/// Holds the first request until after its deadline, lets the work go on for a while, then lets it arrive.
async fn held_up_for(run: &Run, ms: u64) -> Played {
    run.held_up();
    let intent = run.intent().await?;
    let held = run.on_shot(Proxy::DelayRequest);
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    held.reached().await;
    run.time.jump(standing(run.spec).within_ms + 1);
    run.wait_until_heard(&intent).await?;
    run.take_up(&process).await?;
    run.work_for(&process, ms).await?;
    held.release();
    held.finished().await;
    Ok(())
}

async fn effect_after_deadline(run: &Run) -> Played {
    held_up_for(run, standing(run.spec).settle_ms / 2).await
}

async fn effect_beyond_settle(run: &Run) -> Played {
    run.assume_unseen("acted on within settle, or never");
    let standing = standing(run.spec);
    held_up_for(run, (standing.settle_ms + standing.closing_ms).min(standing.patience_ms / 4) + 60_000).await
}

async fn black_hole(run: &Run) -> Played {
    let intent = run.intent().await?;
    let hole = run.on_shot(Proxy::BlackHole);
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    hole.reached().await;
    run.time.jump(standing(run.spec).within_ms + 1);
    run.wait_until_heard(&intent).await
}
