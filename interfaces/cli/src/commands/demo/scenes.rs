//! The scenes, each really played against the stand-in.

use hapax_core::executor::OperationView;
use hapax_core::words::{Next, Outcome};
use serde_json::{Value, json};

use super::stage::Stage;
use super::tell::Teller;
use super::{Count, naive, worker};
use crate::exit::Failure;
use crate::report::duration;

/// A payment that was made, and how often it happened.
pub(super) struct Paid {
    pub(super) count: Count,
    pub(super) payment: String,
}

fn price() -> Value {
    json!({ "amount": { "amount": 2500, "currency": "EUR" }, "payment_method": "pm_card_visa" })
}

fn part_of(payment: &str) -> Value {
    json!({ "payment_intent": payment, "amount": { "amount": 500, "currency": "EUR" } })
}

/// Scenes 1 and 2: the answer to a charge is lost.
pub(super) async fn charge_with_lost_answer(stage: &Stage, tell: &Teller) -> Result<Paid, Failure> {
    tell.scene(1, "A retry loop").await;
    tell.say("   A shop charges a card 25.00 EUR. The provider takes the money, and the line breaks before it can");
    tell.say("   say so. The program sees an error, takes it for a failure, and tries again.");
    let before = stage.count("charge");
    stage.lose_answer("/v1/payment_intents");
    for attempt in 1..=3 {
        match naive::charge(stage, attempt).await {
            Some(payment) => {
                tell.say(format!("   attempt {attempt}: paid ({payment})"));
                break;
            }
            None => tell.say(format!("   attempt {attempt}: connection lost")),
        }
    }
    let naive = stage.count("charge") - before;
    tell.counted("25.00 EUR taken", naive);
    tell.scene(2, "The same with hapax").await;
    tell.say("   hapax writes down what it is about to do before it does it, and when an answer is missing it");
    tell.say("   looks before it sends again.");
    tell.command("hapax run stripe.charge --key order:1042:charge --args '{\"amount\": 25.00 EUR, ...}'");
    let before = stage.count("charge");
    stage.lose_answer("/v1/payment_intents/*/confirm");
    let report = worker::run(stage, "stripe.charge", "order:1042:charge", &price()).await?;
    let payment = receipt_id(&report.outcome)?;
    story(tell, &worker::show(stage, "order:1042:charge").await?, &["leaves", "unclear", "looked"]);
    tell.say(format!("   succeeded: it happened once ({payment})"));
    let hapax = stage.count("charge") - before;
    tell.counted("25.00 EUR taken", hapax);
    Ok(Paid { count: Count { situation: "charge, answer lost", intents: 1, naive, hapax }, payment })
}

/// Scene 3: the program itself dies.
pub(super) async fn charge_with_killed_worker(stage: &Stage, tell: &Teller) -> Result<Paid, Failure> {
    tell.scene(3, "The program dies halfway").await;
    tell.say("   The worker is killed (kill -9) when the provider has taken the money and before the worker has");
    tell.say("   written that down. Another one starts and finds what was begun in the ledger.");
    let before = stage.count("charge");
    // A program without a ledger has forgotten everything, so it begins again.
    naive::charge(stage, 1).await;
    naive::charge(stage, 2).await;
    let naive = stage.count("charge") - before;
    let before = stage.count("charge");
    tell.command("hapax run stripe.charge --key order:1043:charge ...");
    worker::run_and_kill(stage, "stripe.charge", "order:1043:charge", &price()).await?;
    tell.bad("killed");
    tell.command("hapax recover");
    let view = worker::recover(stage, "order:1043:charge").await?;
    let payment = receipt_id(&view.outcome)?;
    story(tell, &view, &["leaves", "looked"]);
    tell.say(format!("   succeeded: it happened once ({payment})"));
    let hapax = stage.count("charge") - before;
    tell.counted("25.00 EUR taken", hapax);
    Ok(Paid { count: Count { situation: "charge, program killed", intents: 1, naive, hapax }, payment })
}

/// Scene 4: the answer to a refund is lost.
pub(super) async fn refund_with_lost_answer(stage: &Stage, tell: &Teller, payment: &str) -> Result<Count, Failure> {
    tell.scene(4, "Money back").await;
    tell.say("   5.00 EUR go back to the customer, and again the answer is lost.");
    let other = naive::charge(stage, 1).await.unwrap_or_default();
    let before = stage.count("refund");
    stage.lose_answer("/v1/refunds");
    for attempt in 1..=3 {
        if naive::refund(stage, &other, attempt).await.is_some() {
            break;
        }
    }
    let naive = stage.count("refund") - before;
    let before = stage.count("refund");
    stage.lose_answer("/v1/refunds");
    tell.command("hapax run stripe.refund --key order:1042:refund:line-3 ...");
    let report = worker::run(stage, "stripe.refund", "order:1042:refund:line-3", &part_of(payment)).await?;
    tell.say(format!("   succeeded: it happened once ({})", receipt_id(&report.outcome)?));
    let hapax = stage.count("refund") - before;
    tell.counted("5.00 EUR given back", hapax);
    Ok(Count { situation: "refund, answer lost", intents: 1, naive, hapax })
}

/// Scene 5: the provider itself doesn't know. hapax doesn't guess, and a person decides.
pub(super) async fn refund_that_the_provider_lost(
    stage: &Stage,
    tell: &Teller,
    payment: &str,
) -> Result<(Count, Value), Failure> {
    tell.scene(5, "When nobody can know").await;
    tell.say("   The provider answers a refund with an internal error. Its records show nothing, but it may repair");
    tell.say("   that later. Sending again could be a second refund; giving up could lose the first.");
    let naive = naively_adrift(stage).await;
    let before = stage.count("refund");
    stage.trip("/v1/refunds");
    tell.command("hapax run stripe.refund --key order:1043:refund:line-1 ...");
    let report = worker::run(stage, "stripe.refund", "order:1043:refund:line-1", &part_of(payment)).await?;
    let view = worker::show(stage, "order:1043:refund:line-1").await?;
    let in_inbox = matches!(report.outcome, Outcome::Unknown { next: Next::Person, .. });
    if !in_inbox {
        return Err(unexpected("a refund that nobody can know of was not given to a person"));
    }
    tell.careful("hapax does not guess: it is in the inbox, with evidence, for a person to decide");
    inbox_item(tell, &view);
    tell.pause().await;
    // Had anything been sent again, there would be two from here on.
    stage.skip_the_repair();
    let id = naive::look_up_refund(stage, payment).await?;
    tell.say(format!("   An hour later the provider has repaired it. Dana looks there, finds {id}, and says so:"));
    tell.command(&format!("hapax resolve {} --seen {} --happened {id} --by dana", view.operation, view.revision));
    let report = worker::resolve(stage, &view, &id).await?;
    tell.say(format!(
        "   succeeded: it happened once ({}); hapax has read it and compared",
        receipt_id(&report.outcome)?
    ));
    let hapax = stage.count("refund") - before;
    tell.counted("5.00 EUR given back", hapax);
    let inbox = json!({ "operation": view.operation, "evidence": view.evidence });
    Ok((Count { situation: "refund, provider itself unsure", intents: 1, naive, hapax }, inbox))
}

/// The retry loop in the same situation: the error passes, the second try works, and then the first is
/// repaired.
async fn naively_adrift(stage: &Stage) -> usize {
    let payment = naive::charge(stage, 1).await.unwrap_or_default();
    let before = stage.count("refund");
    stage.trip("/v1/refunds");
    for attempt in 1..=3 {
        if naive::refund(stage, &payment, attempt).await.is_some() {
            break;
        }
    }
    stage.skip_the_repair();
    // Any request lets the provider do what is due.
    let _ = naive::look_up_refund(stage, &payment).await;
    stage.count("refund") - before
}

/// The lines of an operation's own story that have one of these words in them.
fn story(tell: &Teller, view: &OperationView, words: &[&str]) {
    for entry in view.timeline.iter().filter(|entry| words.iter().any(|word| entry.what.contains(word))) {
        tell.say(format!("     journal: {}", entry.what));
    }
}

fn inbox_item(tell: &Teller, view: &OperationView) {
    if let Outcome::Unknown { why, .. } = &view.outcome {
        tell.say(format!("     why      {why}"));
    }
    story(tell, view, &["leaves", "adrift"]);
    let looks = view.timeline.iter().filter(|entry| entry.what.starts_with("looked")).count();
    tell.say(format!("     journal: looked {looks} times: nothing there"));
    let Some(evidence) = &view.evidence else { return };
    let seconds = evidence.absence_counts_in_seconds;
    tell.say(format!("     absence  proves nothing for another {}", duration(seconds)));
    tell.say(format!("     look at  {}", evidence.look_at));
    tell.say(format!("     stakes   {}", evidence.stakes));
}

fn receipt_id(outcome: &Outcome<Value>) -> Result<String, Failure> {
    match outcome {
        Outcome::Succeeded { receipt } => Ok(receipt["id"].as_str().unwrap_or_default().to_owned()),
        Outcome::Refused { reason } => Err(unexpected(&reason.to_string())),
        Outcome::Unknown { why, .. } => Err(unexpected(why)),
    }
}

fn unexpected(what: &str) -> Failure {
    Failure::internal(format!("the demo came to something else than it should: {what}; please report this"))
}
