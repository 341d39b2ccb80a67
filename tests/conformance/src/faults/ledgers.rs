//! The ledger is full, locked, read-only, away, empty or restored.

use hapax_core::executor::{ExecutorError, Point};
use hapax_core::words::Outcome;

use super::{Fault, fault, no_look, no_steps};
use crate::kit::{Broken, Invariant, Options, Played, Run, hold};

pub(super) const FAULTS: &[Fault] = &[
    fault!(
        "ledger-full-before",
        Succeeded,
        |run| before(run, Broken::Full),
        "the disk is full before anything is sent"
    ),
    fault!(
        "ledger-locked-before",
        Succeeded,
        |run| before(run, Broken::Locked),
        "the ledger is locked before anything is sent"
    ),
    fault!(
        "ledger-read-only-before",
        Succeeded,
        |run| before(run, Broken::ReadOnly),
        "the ledger can't be written before anything is sent"
    ),
    fault!("ledger-full-after", Succeeded, |run| after(run, Broken::Full), "the disk is full when the answer has come"),
    fault!(
        "ledger-locked-after",
        Succeeded,
        |run| after(run, Broken::Locked),
        "the ledger is locked when the answer has come"
    ),
    fault!(
        "ledger-read-only-after",
        Succeeded,
        |run| after(run, Broken::ReadOnly),
        "the ledger can't be written when the answer has come"
    ),
    fault!(
        "ledger-full-after-then-killed",
        Happened,
        full_then_killed,
        "the answer could not be written, and the process ended"
    ),
    fault!(
        "ledger-writes-and-fails",
        Succeeded,
        writes_and_fails,
        "what was written is answered with an error, at each write in turn"
    ),
    fault!(
        "ledger-in-doubt",
        Any,
        |run| in_doubt(run, Broken::WritesInDoubt),
        "the intent is written, the answer to that is lost, and nothing can be read"
    ),
    fault!(
        "ledger-in-doubt-late",
        Any,
        |run| in_doubt(run, Broken::WritesLate),
        "the answer to writing the intent is lost, and it is written when nobody waits for it any more"
    ),
    fault!("ledger-missing", Any, missing, "the ledger's file is gone"),
    fault!("ledger-empty", Any, empty, "a new ledger is used, and the operator says so").unless(no_look),
    fault!("ledger-restored", Any, |run| restored(run, None), "a backup from before the intent is put back")
        .unless(no_look),
    fault!(
        "ledger-restored-midway",
        Any,
        |run| restored(run, Some(Point::BeforeSend)),
        "a backup from before the first byte is put back"
    ),
    fault!(
        "ledger-restored-after-send",
        Any,
        |run| restored(run, Some(Point::AfterSend)),
        "a backup from before the answer was written is put back"
    ),
    fault!(
        "ledger-restored-in-a-step",
        Any,
        |run| restored(run, Some(Point::AfterPrepareStep)),
        "a backup from before the handle was noted is put back"
    )
    .unless(no_steps),
];

async fn before(run: &Run, broken: Broken) -> Played {
    let intent = run.intent().await?;
    let process = run.process().await?;
    run.ledger.break_at(broken, 1);
    let said = run.call(&process, &intent).await;
    let honest = matches!(said, Some(Err(ExecutorError::Ledger(_))));
    hold(Invariant::AsTheFaultSays, honest, format!("nothing could be written, and it says {said:?}"))?;
    hold(Invariant::NothingUnbidden, run.shots() == 0, "something was sent that is written nowhere")?;
    hold(Invariant::Reached, run.ledger.refused() > 0, "the ledger was not met")?;
    run.ledger.heal();
    run.call(&process, &intent).await;
    Ok(())
}

/// The caller must be told the receipt with the outcome Unknown, and the write is tried until it works.
async fn after(run: &Run, broken: Broken) -> Played {
    let intent = run.intent().await?;
    let process = run.process().await?;
    let stop = process.stops().at(Point::AfterSend, 1);
    let calling = async {
        let said = run.call_for(&process, &intent, 20_000).await;
        let honest = match &said {
            Some(Ok(report)) => matches!(&report.outcome, Outcome::Unknown { receipt: Some(_), .. }),
            _ => false,
        };
        hold(Invariant::AsTheFaultSays, honest, format!("the answer is not written down, and it says {said:?}"))
    };
    let breaking = async {
        stop.reached().await;
        run.ledger.break_at(broken, 1);
        stop.release();
    };
    let (said, ()) = tokio::join!(calling, breaking);
    said?;
    run.ledger.heal();
    run.wait_until_final(&intent).await
}

async fn full_then_killed(run: &Run) -> Played {
    let intent = run.intent().await?;
    let process = run.process().await?;
    let stop = process.stops().at(Point::AfterSend, 1);
    run.call_for(&process, &intent, 100).await;
    stop.reached().await;
    run.ledger.break_at(Broken::Full, 1);
    stop.release();
    run.time.jump(5_000);
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    process.kill();
    run.ledger.heal();
    Ok(())
}

async fn writes_and_fails(run: &Run) -> Played {
    let process = run.process().await?;
    for nth in 1..=8 {
        let intent = run.intent().await?;
        run.ledger.break_for(Broken::WritesAndFails, nth, 1);
        let met = run.ledger.refused();
        run.call(&process, &intent).await;
        let was_met = run.ledger.refused() > met;
        run.ledger.heal();
        run.call(&process, &intent).await;
        if !was_met {
            return hold(Invariant::Reached, nth > 1, "no write was met");
        }
    }
    Ok(())
}

/// Who is told that nothing was sent begins anew under another key; this one may be written, and then it is sent.
async fn in_doubt(run: &Run, broken: Broken) -> Played {
    let intent = run.intent().await?;
    let process = run.process().await?;
    run.ledger.break_for(broken, 1, 1);
    let said = run.call_for(&process, &intent, 20_000).await;
    let honest = matches!(&said, Some(Ok(report)) if matches!(report.outcome, Outcome::Unknown { .. }));
    hold(
        Invariant::AsTheFaultSays,
        honest,
        format!("whether the intent is written isn't known, and it says {said:?}"),
    )?;
    hold(Invariant::NothingUnbidden, run.shots() == 0, "something was sent that nobody knows to be written")?;
    hold(Invariant::Reached, run.ledger.refused() > 0, "the ledger was not met")?;
    run.ledger.heal();
    run.call(&process, &intent).await;
    Ok(())
}

async fn missing(run: &Run) -> Played {
    let intent = run.intent().await?;
    let process = run.process().await?;
    run.call(&process, &intent).await;
    process.kill();
    let shots = run.shots();
    run.lose_the_file();
    let again = run.try_process(Options::default()).await;
    let refused = again.as_ref().is_err_and(|why| why.contains("does not exist"));
    hold(Invariant::AsTheFaultSays, refused, "a missing ledger was taken for an empty one")?;
    hold(Invariant::OneRequest, run.shots() == shots, "something was sent without a ledger")?;
    run.forget_the_intents();
    run.empty_ledger()
}

/// The operator starts with an empty ledger and runs `hapax ledger restored`; the caller calls again.
async fn empty(run: &Run) -> Played {
    let intent = run.intent().await?;
    let process = run.process().await?;
    run.call(&process, &intent).await;
    process.kill();
    run.happened(&intent, 1)?;
    run.forget_what_was_said();
    run.empty_ledger()?;
    let process = run.process().await?;
    run.note_restored(&process).await?;
    run.call(&process, &intent).await;
    run.finish(&process).await
}

/// Takes a backup at a point (or before the intent), lets the run end, puts the backup back and says so.
async fn restored(run: &Run, midway: Option<Point>) -> Played {
    run.forgets();
    let ledger = run.in_memory();
    let intent = run.intent().await?;
    let process = run.process().await?;
    let mut backup = ledger.backup();
    match midway {
        None => {
            run.call(&process, &intent).await;
        }
        Some(point) => {
            let stop = process.stops().at(point, 1);
            run.call_for(&process, &intent, 100).await;
            stop.reached().await;
            backup = ledger.backup();
            stop.release();
            run.wait_until_final(&intent).await?;
        }
    }
    run.happened(&intent, 1)?;
    process.kill();
    run.time.jump(3_600_000);
    ledger.put_back(&backup);
    run.forget_what_was_said();
    let process = run.process().await?;
    run.note_restored(&process).await?;
    run.call(&process, &intent).await;
    run.finish(&process).await
}
