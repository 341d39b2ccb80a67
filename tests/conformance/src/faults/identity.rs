//! Who we are, what is wanted, and what changes between two attempts.

use hapax_core::cell::SharedCell;
use hapax_core::executor::ExecutorError;
use hapax_standin::Fault as Proxy;

use super::{Fault, fault};
use crate::kit::{Invariant, Options, Played, Run, hold, upgraded};

pub(super) const FAULTS: &[Fault] = &[
    fault!(
        "credentials-rotated",
        Happened,
        rotated,
        "the credentials of a named account are rotated between two attempts"
    ),
    fault!("credentials-changed-unnamed", Any, unnamed, "the credentials change where nobody named the account"),
    fault!("account-changed", Any, account, "the connection names another account"),
    fault!("scope-changed", Any, region, "the connection goes to another host"),
    fault!("adapter-upgraded", Any, upgraded_adapter, "a new version of the adapter takes the work up"),
    fault!("encoding-changed", Any, encoding, "a new version writes the same request in other words"),
    fault!("key-reused", Succeeded, key_reused, "the caller uses a key again with other arguments"),
    fault!("equal-intents", Succeeded, equal_intents, "two equal intents that are both meant"),
    fault!(
        "equal-intents-one-record",
        Any,
        equal_one_record,
        "two equal intents lose their answers, and one of them its request"
    ),
];

/// Loses an answer and every question after it, then goes on with other options.
async fn goes_on_with(run: &Run, first: Options, second: Options, effect: bool) -> Played {
    let intent = run.intent().await?;
    run.on_shot(if effect { Proxy::CutAfterCommit } else { Proxy::LoseRequest });
    let process = run.process_with(first).await?;
    let stop = process.stops().at(hapax_core::executor::Point::AfterSend, 1);
    run.call_for(&process, &intent, 100).await;
    stop.reached().await;
    process.kill();
    run.time.jump(120_000);
    let other = run.process_with(second).await?;
    run.finish(&other).await
}

async fn rotated(run: &Run) -> Played {
    let second = Options { credentials: Some(run.subject.rotated()), ..Options::default() };
    goes_on_with(run, Options::default(), second, true).await
}

async fn unnamed(run: &Run) -> Played {
    let first = Options { unnamed: true, ..Options::default() };
    let second = Options { credentials: Some(run.subject.rotated()), ..first.clone() };
    goes_on_with(run, first, second, false).await
}

async fn account(run: &Run) -> Played {
    let second = Options { account: Some("another".to_owned()), ..Options::default() };
    goes_on_with(run, Options::default(), second, true).await?;
    hold(Invariant::OneRequest, run.shots() == 1, "something was sent to another account")
}

async fn region(run: &Run) -> Played {
    let elsewhere = run.proxy.url().replace("127.0.0.1", "localhost");
    let second = Options { base_url: Some(elsewhere), ..Options::default() };
    goes_on_with(run, Options::default(), second, false).await
}

async fn upgraded_adapter(run: &Run) -> Played {
    let second = Options { upgrade: Some(upgraded as fn(SharedCell) -> SharedCell), ..Options::default() };
    goes_on_with(run, Options::default(), second, true).await?;
    // Another version may make other tokens, so it may look and must not send beside the first.
    hold(Invariant::OneRequest, run.shots() == 1, "a new version sent beside a request of the old one")
}

async fn encoding(run: &Run) -> Played {
    let second = Options { transport: Some(crate::kit::reworded), ..Options::default() };
    goes_on_with(run, Options::default(), second, false).await
}

async fn key_reused(run: &Run) -> Played {
    let intent = run.intent().await?;
    let process = run.process().await?;
    run.call(&process, &intent).await;
    let mut other = run.request(&intent);
    other.args = run.cell.with_other_arguments(&intent.sample);
    let said = process.run(other).await;
    let refused = matches!(&said, Some(Err(ExecutorError::KeyReused { .. })));
    hold(Invariant::AsTheFaultSays, refused, format!("a key was used again: {said:?}"))?;
    if let Some(said) = &said {
        run.note(&intent.key, said);
    }
    hold(Invariant::OneRequest, run.shots() == 1, "a key was used again, and a request left")
}

async fn equal_intents(run: &Run) -> Played {
    let number = run.number();
    let (one, two) = run.cell.equal_intents(&run.site(), number).await.map_err(crate::kit::set_up)?;
    let (one, two) = (run.watch(one, number), run.watch(two, number + 1));
    let process = run.process().await?;
    run.call(&process, &one).await;
    let said = run.call(&process, &two).await;
    let similar = matches!(&said, Some(Ok(report)) if report.similar.len() == 1);
    hold(Invariant::AsTheFaultSays, similar, format!("a suspected repeat was not reported: {said:?}"))
}

/// Only the second one's request arrives.
async fn equal_one_record(run: &Run) -> Played {
    let number = run.number();
    let (one, two) = run.cell.equal_intents(&run.site(), number).await.map_err(crate::kit::set_up)?;
    let (one, two) = (run.watch(one, number), run.watch(two, number + 1));
    if !run.cell.counts_apart() {
        run.held_up();
        run.allow_effects(&one, 2);
        run.allow_effects(&two, 2);
    }
    run.on_shot(Proxy::LoseRequest);
    run.through(run.shot().nth(2), Proxy::CutAfterCommit);
    let process = run.process().await?;
    let stop = process.stops().at(hapax_core::executor::Point::AfterSend, 1);
    run.call_for(&process, &one, 100).await;
    stop.reached().await;
    run.call_for(&process, &two, 100).await;
    run.wait_until_heard(&two).await?;
    stop.release();
    run.wait_until_heard(&one).await?;
    run.finish(&process).await
}
