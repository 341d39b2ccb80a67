//! Questions that fail, lag, lie, or find what they should not.

use hapax_standin::{Fault as Proxy, Kind};

use super::{Fault, fault, no_first_look, no_look, no_proof, standing};
use crate::kit::{CellSubject, Invariant, Played, Run, hold, set_up};
use hapax_core::capability::CellSpec;

pub(super) const FAULTS: &[Fault] = &[
    fault!("look-fails", Happened, look_fails, "the question fails a few times").unless(no_look),
    fault!("look-fails-for-ever", Any, look_fails_for_ever, "the question never works").unless(no_look),
    fault!("look-is-cut", Happened, look_cut, "the answer to the question breaks off").unless(no_look),
    fault!("look-gets-a-foreign-page", Happened, look_foreign, "somebody else's page answers the question")
        .unless(no_look),
    fault!("look-gets-a-foreign-404", Happened, look_foreign_404, "somebody else says that there is nothing")
        .unless(no_look),
    fault!("look-lags", Happened, look_lags, "the effect shows in lists only after a while").unless(no_look),
    fault!("look-lags-nothing", Nothing, look_lags_nothing, "lists are behind, and nothing happened")
        .unless(no_first_look),
    fault!("look-too-early", Any, look_too_early, "the question is asked before the request arrives").unless(no_proof),
    fault!("look-finds-many", Happened, look_finds_many, "the effect lies behind a page of other people's")
        .unless(no_clutter),
    fault!("look-finds-two", Any, look_finds_two, "the question finds two").unless(no_second),
    fault!("look-finds-anothers", Nothing, look_finds_anothers, "the question finds only somebody else's")
        .unless(no_hand),
    fault!("found-but-dead", Any, found_dead, "what is found has come to nothing").unless(no_kill),
];

fn no_clutter(spec: &CellSpec, subject: &dyn CellSubject) -> Option<&'static str> {
    no_look(spec, subject).or((!subject.clutters()).then_some("no list is searched on the way of this run"))
}

fn no_second(spec: &CellSpec, subject: &dyn CellSubject) -> Option<&'static str> {
    no_first_look(spec, subject).or((!subject.can_happen_twice()).then_some("what it acts on can be spent only once"))
}

fn no_kill(_: &CellSpec, subject: &dyn CellSubject) -> Option<&'static str> {
    (!subject.can_die()).then_some("a record here does not come to nothing before its fate")
}

fn no_hand(spec: &CellSpec, subject: &dyn CellSubject) -> Option<&'static str> {
    let by_hand = subject.has_hands() && !subject.a_hand_satisfies();
    no_look(spec, subject).or((!by_hand).then_some("somebody else's doing can't be mistaken for ours, or satisfies"))
}

/// Loses an answer, with this in the way of the questions after it.
async fn with_questions(run: &Run, times: u32, fault: Proxy) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::CutAfterCommit);
    if let Some(look) = run.look() {
        run.through(look.times(times), fault);
    }
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.happened(&intent, 1)?;
    if times > 0 { run.finish(&process).await } else { run.work_for(&process, 3_600_000).await }
}

async fn look_fails(run: &Run) -> Played {
    with_questions(run, 2, Proxy::Reply(run.cell.error_reply(500).into())).await
}

async fn look_fails_for_ever(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::CutAfterCommit);
    if let Some(look) = run.look() {
        run.through(look.always(), Proxy::Reply(run.cell.error_reply(500).into()));
    }
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.finish(&process).await
}

async fn look_cut(run: &Run) -> Played {
    with_questions(run, 2, Proxy::TruncateReply { body_bytes: 7 }).await
}

async fn look_foreign(run: &Run) -> Played {
    let page = hapax_standin::Reply::html(200, "Please sign in to the network");
    with_questions(run, 2, Proxy::Reply(page.into())).await
}

async fn look_foreign_404(run: &Run) -> Played {
    let page = hapax_standin::Reply::html(404, "Nothing here");
    with_questions(run, 2, Proxy::Reply(page.into())).await
}

async fn look_lags(run: &Run) -> Played {
    let intent = run.intent().await?;
    let lag = i64::try_from(standing(run.spec).settle_ms / 2).unwrap_or(0);
    run.on_shot(Proxy::CutAfterCommit);
    if let Some(look) = run.look() {
        run.inside(look.always(), Kind::ListLags { by_ms: lag });
    }
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.happened(&intent, 1)?;
    run.finish(&process).await
}

async fn look_lags_nothing(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::LoseRequest);
    if let Some(look) = run.look() {
        run.inside(look.always(), Kind::ListLags { by_ms: 10_000 });
    }
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.finish(&process).await
}

/// The question finds nothing because the request is still on its way, inside settle. Absence must not be believed.
async fn look_too_early(run: &Run) -> Played {
    run.held_up();
    let intent = run.intent().await?;
    let held = run.on_shot(Proxy::DelayRequest);
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    held.reached().await;
    let standing = standing(run.spec);
    // The last moment at which it may still arrive: settle, from the deadline.
    let arrives = run.time.elapsed_ms() + standing.within_ms + standing.settle_ms - 5_000;
    run.time.jump(standing.within_ms + 1);
    run.wait_until_heard(&intent).await?;
    // Whatever is sent now is lost too, so that only an early belief could close the first.
    run.proxy.inject(run.shot().always(), Proxy::LoseRequest);
    run.work_for(&process, arrives.saturating_sub(run.time.elapsed_ms())).await?;
    held.release();
    held.finished().await;
    run.happened(&intent, 1)
}

async fn look_finds_many(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::CutAfterCommit);
    let process = run.process().await?;
    let stop = process.stops().at(hapax_core::executor::Point::AfterSend, 1);
    run.call_for(&process, &intent, 100).await;
    stop.reached().await;
    if let Some(done) = run.cell.clutter(&run.site(), &intent.sample).await {
        done.map_err(set_up)?;
    }
    process.kill();
    run.happened(&intent, 1)?;
    run.time.jump(standing(run.spec).within_ms + 10_000);
    let shots = run.shots();
    let other = run.process().await?;
    run.finish(&other).await?;
    hold(Invariant::NothingUnbidden, run.shots() == shots, "a page was taken for the whole list, and a request left")
}

/// A copy of the request took effect as well: a hostile network, or a provider that ran it twice.
async fn look_finds_two(run: &Run) -> Played {
    run.assume("the provider keeps to its own key");
    run.forgets();
    let intent = run.intent().await?;
    run.inside(run.shot().always(), Kind::KeyIgnored);
    run.on_shot(Proxy::CutAfterCommit);
    let process = run.process().await?;
    let stop = process.stops().at(hapax_core::executor::Point::AfterSend, 1);
    run.call_for(&process, &intent, 100).await;
    stop.reached().await;
    run.copy_the_last_shot().await?;
    run.happened(&intent, 2)?;
    process.kill();
    run.time.jump(standing(run.spec).within_ms + 10_000);
    let other = run.process().await?;
    run.finish(&other).await?;
    let story = crate::kit::story_of(run, &intent).await;
    hold(Invariant::Loud, run.is_loud(&intent).await, format!("two effects were found, and nobody was told: {story}"))
}

async fn look_finds_anothers(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::LoseRequest);
    let process = run.process().await?;
    if let Some(done) = run.cell.by_hand(&run.site(), &intent.sample).await {
        done.map_err(set_up)?;
    }
    run.call(&process, &intent).await;
    run.finish(&process).await
}

async fn found_dead(run: &Run) -> Played {
    let intent = run.intent().await?;
    run.on_shot(Proxy::LoseRequest);
    let process = run.process().await?;
    let stop = process.stops().at(hapax_core::executor::Point::AfterSend, 1);
    run.call_for(&process, &intent, 100).await;
    stop.reached().await;
    if let Some(done) = run.cell.kill(&run.site(), &intent.sample, &intent.mark).await {
        done.map_err(set_up)?;
    }
    stop.release();
    run.wait_until_heard(&intent).await?;
    run.finish(&process).await?;
    run.happened(&intent, 0)
}
