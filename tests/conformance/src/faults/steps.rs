//! At each of the harmless steps before the request that counts, one intent for each.

use hapax_core::capability::CellSpec;
use hapax_standin::{Fault as Proxy, Kind, When};

use super::{Fault, fault};
use crate::kit::{CellSubject, Played, Run};

pub(super) const FAULTS: &[Fault] = &[
    fault!("step-request-lost", Succeeded, |run| on_the_way(run, Proxy::LoseRequest), "a step's request is lost")
        .unless(no_steps),
    fault!("step-answer-lost", Succeeded, |run| on_the_way(run, Proxy::CutAfterCommit), "a step's answer is lost")
        .unless(no_steps),
    fault!(
        "step-answer-cut-in-the-middle",
        Succeeded,
        |run| on_the_way(run, Proxy::TruncateReply { body_bytes: 7 }),
        "a few bytes of a step's answer arrive"
    )
    .unless(no_steps),
    fault!("step-503", Succeeded, |run| answered(run, false), "a step is answered 503, and was not done")
        .unless(no_steps),
    fault!("step-503-after", Succeeded, |run| answered(run, true), "a step is answered 503, and was done")
        .unless(no_steps),
    fault!("step-stored-500", Succeeded, |run| stored(run, false), "a step's failure is stored; it was not done")
        .unless(no_steps_that_change),
    fault!(
        "step-stored-500-with-effect",
        Succeeded,
        |run| stored(run, true),
        "a step's failure is stored; it was done"
    )
    .unless(no_steps_that_change),
    fault!("step-429", Succeeded, too_many, "a step meets a rate limit").unless(no_steps),
];

fn no_steps(_: &CellSpec, subject: &dyn CellSubject) -> Option<&'static str> {
    subject.routes().prepare.is_empty().then_some("nothing comes before the request that counts")
}

fn no_steps_that_change(_: &CellSpec, subject: &dyn CellSubject) -> Option<&'static str> {
    let none = changing(subject).next().is_none();
    none.then_some("nothing that a failure could be stored for comes before the request that counts")
}

/// The steps that write something down at the provider.
fn changing(subject: &dyn CellSubject) -> impl Iterator<Item = When> {
    let steps = subject.routes().prepare.iter();
    steps.filter(|(method, _)| *method != "GET").map(|(method, path)| When::on(method, path))
}

fn all(subject: &dyn CellSubject) -> impl Iterator<Item = When> {
    subject.routes().prepare.iter().map(|(method, path)| When::on(method, path))
}

async fn on_the_way(run: &Run, fault: Proxy) -> Played {
    for step in all(&*run.cell) {
        run.through(step, fault.clone());
        one(run).await?;
    }
    Ok(())
}

async fn answered(run: &Run, done: bool) -> Played {
    let reply = || run.cell.error_reply(503).into();
    on_the_way(run, if done { Proxy::ReplyAfterCommit(reply()) } else { Proxy::Reply(reply()) }).await
}

async fn stored(run: &Run, effect: bool) -> Played {
    for step in changing(&*run.cell) {
        run.inside(step, Kind::StoredError { status: 500, effect, repaired_after_ms: None });
        one(run).await?;
    }
    Ok(())
}

async fn too_many(run: &Run) -> Played {
    for step in all(&*run.cell) {
        run.inside(step, Kind::RateLimited { retry_after_s: 2 });
        one(run).await?;
    }
    Ok(())
}

/// One intent through a broken step to its end. The run itself looks whether the fault was met.
async fn one(run: &Run) -> Played {
    let process = run.process().await?;
    let intent = run.intent().await?;
    run.call(&process, &intent).await;
    run.finish(&process).await?;
    run.happened(&intent, 1)
}
