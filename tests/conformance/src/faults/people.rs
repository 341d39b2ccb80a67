//! People decide, act by hand, approve, and try again on purpose.

use hapax_core::clock::Clock as _;
use hapax_core::executor::{PersonSays, Point};
use hapax_core::policy::{ApprovalRule, Policy};
use hapax_core::words::Outcome;
use hapax_standin::{Fault as Proxy, Kind};

use super::{Fault, fault, is_named_by_a_repeat, no_look, standing};
use crate::kit::{CellSubject, Intent, Invariant, Options, Played, Process, Run, hold, set_up};
use hapax_core::capability::CellSpec;

pub(super) const FAULTS: &[Fault] = &[
    fault!(
        "late-answer-against-a-decision",
        Any,
        late_answer,
        "a person says that nothing happened; then the answer comes"
    ),
    fault!("person-says-it-happened", Succeeded, says_happened, "a person names what happened").unless(no_look),
    fault!("person-says-send-again", Any, says_send_again, "a person says: send it again"),
    fault!("person-decides-on-old-evidence", Any, stale, "a person decides on a revision that has moved on"),
    fault!("hand-while-under-way", Any, hand, "a person takes over while a request is out"),
    fault!("witness", Succeeded, witness, "a webhook proves what the look can't").unless(no_look),
    fault!("held-then-approved", Succeeded, held, "policy holds it until somebody approves"),
    fault!("held-then-denied", Refused, denied, "policy holds it, and somebody denies it"),
    fault!("superseded", Succeeded, superseded, "a refused intent is tried again on purpose").unless(no_refusal),
    fault!("fate-failed", Any, fate_failed, "what was accepted fails later").unless(no_fate),
];

fn no_refusal(_: &CellSpec, subject: &dyn CellSubject) -> Option<&'static str> {
    (!subject.refuses()).then_some("the subject knows no intent that the stand-in refuses")
}

fn no_fate(_: &CellSpec, subject: &dyn CellSubject) -> Option<&'static str> {
    (!subject.can_fail_later()).then_some("what is accepted here does not fail later")
}

/// Leaves an operation with a person: the answer is lost and the provider can't be asked.
async fn with_a_person(run: &Run, effect: bool) -> Result<(Intent, Process), crate::kit::Violation> {
    let intent = run.intent().await?;
    run.on_shot(if effect { Proxy::CutAfterCommit } else { Proxy::LoseRequest });
    run.proxy.inject(run.shot().always(), Proxy::LoseRequest);
    // Where only a repeat names what could be asked for, losing all of them is enough.
    if let Some(look) = run.look().filter(|_| !is_named_by_a_repeat(run.spec)) {
        run.inside(look.always(), Kind::ErrorBefore { status: 503, code: None });
    }
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.finish(&process).await?;
    run.lift();
    Ok((intent, process))
}

async fn late_answer(run: &Run) -> Played {
    run.held_up();
    if standing(run.spec).look.is_none() {
        // Where nothing can be asked, a person's word closes it, and here the person is wrong.
        run.assume("a person who looks after settle sees what is there");
    }
    let intent = run.intent().await?;
    if let Some(look) = run.look() {
        run.proxy.inject(look.always(), Proxy::Reply(run.cell.error_reply(503).into()));
    }
    let owner = run.process().await?;
    let stop = owner.stops().at(Point::AfterSend, 1);
    run.call_for(&owner, &intent, 100).await;
    stop.reached().await;
    run.happened(&intent, 1)?;
    run.proxy.inject(run.shot().always(), Proxy::Reply(run.cell.error_reply(403).into()));
    run.time.jump(standing(run.spec).within_ms + 60_000);
    let other = run.process().await?;
    run.work_for(&other, standing(run.spec).patience_ms + 60_000).await?;
    run.resolve(&other, &intent, PersonSays::DidNotHappen).await;
    // The person looked in a hurry; the answer proves them wrong before the decision is carried out.
    stop.release();
    run.wait_until_all_heard(&intent).await?;
    run.wait_until_final(&intent).await
}

async fn says_happened(run: &Run) -> Played {
    let (intent, process) = with_a_person(run, true).await?;
    let Some(effect) = run.effects(&intent).pop() else { return run.happened(&intent, 1) };
    run.resolve(&process, &intent, PersonSays::Happened { id: effect.object }).await;
    run.finish(&process).await
}

async fn says_send_again(run: &Run) -> Played {
    let (intent, process) = with_a_person(run, false).await?;
    run.time.jump(standing(run.spec).within_ms + standing(run.spec).closing_ms + 1_000);
    run.resolve(&process, &intent, PersonSays::SendAgain).await;
    run.finish(&process).await
}

async fn stale(run: &Run) -> Played {
    let (intent, process) = with_a_person(run, true).await?;
    let Some((operation, revision)) = run.where_it_stands(&intent).await else { return Ok(()) };
    let looked = run.clock.now();
    let executor = process.executor().clone();
    let seen = revision.saturating_sub(1);
    let said = process
        .inside(async move { executor.resolve(operation, seen, "somebody", looked, PersonSays::DidNotHappen).await })
        .await;
    let refused = matches!(&said, Some(Err(error)) if matches!(error.code(), "stale-revision" | "not-now"));
    hold(Invariant::AsTheFaultSays, refused, format!("a decision on old evidence was taken: {said:?}"))
}

/// The person takes over while the first request is out. Nothing more may leave; what had left takes effect.
async fn hand(run: &Run) -> Played {
    run.held_up();
    let intent = run.intent().await?;
    let held = run.on_shot(Proxy::DelayRequest);
    let process = run.process().await?;
    run.call_for(&process, &intent, 100).await;
    held.reached().await;
    let Some((operation, revision)) = run.where_it_stands(&intent).await else {
        return hold(Invariant::NothingForgotten, false, "a request is out and the ledger has nothing");
    };
    let executor = process.executor().clone();
    let taken = process.inside(async move { executor.take_over(operation, revision, "somebody").await }).await;
    hold(Invariant::AsTheFaultSays, matches!(taken, Some(Ok(_))), format!("taking over failed: {taken:?}"))?;
    run.time.jump(standing(run.spec).within_ms + 1);
    run.wait_until_heard(&intent).await?;
    let shots = run.shots();
    held.release();
    held.finished().await;
    run.finish(&process).await?;
    hold(Invariant::NothingUnbidden, run.shots() == shots, "something left after a person had taken over")
}

async fn witness(run: &Run) -> Played {
    let (intent, process) = with_a_person(run, true).await?;
    let Some(effect) = run.effects(&intent).pop() else { return run.happened(&intent, 1) };
    let Some((operation, _)) = run.where_it_stands(&intent).await else { return Ok(()) };
    let executor = process.executor().clone();
    let told = process.inside(async move { executor.witness(operation, "webhook", &effect.object).await }).await;
    hold(Invariant::AsTheFaultSays, matches!(told, Some(Ok(_))), format!("a witness was not believed: {told:?}"))
}

fn wants_approval(run: &Run) -> Options {
    let approve = vec![ApprovalRule { cell: run.cell.id().to_owned(), above: None }];
    Options { policy: Policy { approve, ..Policy::default() }, ..Options::default() }
}

async fn held(run: &Run) -> Played {
    let intent = run.intent().await?;
    let process = run.process_with(wants_approval(run)).await?;
    run.call(&process, &intent).await;
    run.happened(&intent, 0)?;
    let Some((operation, revision)) = run.where_it_stands(&intent).await else { return run.happened(&intent, 1) };
    let executor = process.executor().clone();
    let said = process.inside(async move { executor.approve(operation, revision, "somebody", 20_000).await }).await;
    if let Some(said) = said {
        run.note(&intent.key, &said);
    }
    run.finish(&process).await
}

async fn denied(run: &Run) -> Played {
    let intent = run.intent().await?;
    let process = run.process_with(wants_approval(run)).await?;
    run.call(&process, &intent).await;
    let Some((operation, revision)) = run.where_it_stands(&intent).await else { return Ok(()) };
    let executor = process.executor().clone();
    process.inside(async move { executor.deny(operation, revision, "somebody").await }).await;
    hold(Invariant::NothingUnbidden, run.shots() == 0, "a denied intent was sent")
}

async fn superseded(run: &Run) -> Played {
    let number = run.number();
    let Some(sample) = run.cell.refused_intent(&run.site(), number).await else { return Ok(()) };
    let mut intent = run.watch(sample.map_err(set_up)?, number);
    let process = run.process().await?;
    let said = run.call(&process, &intent).await;
    let refused = matches!(&said, Some(Ok(report)) if matches!(report.outcome, Outcome::Refused { .. }));
    hold(Invariant::AsTheFaultSays, refused, format!("it was not refused: {said:?}"))?;
    let better = run.cell.intent(&run.site(), number + 500).await.map_err(set_up)?;
    intent.sample = better;
    run.replace(&intent);
    let Some((operation, _)) = run.where_it_stands(&intent).await else { return Ok(()) };
    // Twice, as somebody does whose first call got no answer.
    for _ in 0..2 {
        let (executor, args) = (process.executor().clone(), intent.sample.args.clone());
        let said =
            process.inside(async move { executor.supersede(operation, 0, "somebody", Some(args), 20_000).await }).await;
        if let Some(said) = said {
            run.note(&intent.key, &said);
        }
    }
    run.finish(&process).await
}

async fn fate_failed(run: &Run) -> Played {
    let number = run.number();
    let Some(sample) = run.cell.failing_intent(&run.site(), number).await else { return Ok(()) };
    let intent = run.watch(sample.map_err(set_up)?, number);
    let process = run.process().await?;
    let said = run.call(&process, &intent).await;
    let happened = matches!(&said, Some(Ok(report)) if report.receipt().is_some());
    hold(Invariant::AsTheFaultSays, happened, format!("it was not accepted: {said:?}"))?;
    run.time.jump(3_600_000);
    let Some((operation, _)) = run.where_it_stands(&intent).await else { return Ok(()) };
    let executor = process.executor().clone();
    let fate = process.inside(async move { executor.follow(operation).await }).await;
    let told = matches!(&fate, Some(Ok(report)) if report.receipt().is_some() && report.fate.is_some());
    hold(Invariant::AsTheFaultSays, told, format!("the fate was not followed: {fate:?}"))?;
    hold(Invariant::AsTheFaultSays, run.fate_has_failed(&intent).await, format!("a failed fate is not told: {fate:?}"))
}
