//! The scenes, each really played against the stand-ins.

use hapax_core::executor::OperationView;
use hapax_core::words::{Next, Outcome};
use serde_json::Value;

use super::stage::Stage;
use super::tell::Teller;
use super::{Count, naive, trip, worker};
use crate::exit::Failure;
use crate::report::duration;

const SUCCEEDED: &str = "succeeded";

/// It waits for a person.
pub(super) const PERSON: &str = "person";

/// What the providers counted of an agent with a retry loop.
pub(super) struct Naive {
    pub(super) charges: usize,
    pub(super) mails: usize,
    pub(super) bookings: usize,
}

/// Scene 1: everything happens twice.
pub(super) async fn retry_loop(stage: &Stage, tell: &Teller) -> Result<Naive, Failure> {
    tell.scene(1, "An agent with a retry loop").await;
    tell.say("   It charges the traveler, confirms by mail and books the flight. When a line breaks before the");
    tell.say("   answer is through, it sees an error, takes it for a failure, and tries again.");
    stage.stripe.lose_answer("/v1/payment_intents");
    attempts(tell, "charge", [naive::charge(stage).await, naive::charge(stage).await]);
    // The mail is out, and the agent is gone before it has noted that; one without a ledger begins again.
    let sent = [naive::mail(stage).await, naive::mail(stage).await];
    tell.say(format!("   mail    sent ({}), and the agent is killed", id_of(&sent[0])));
    tell.say(format!("           started again, it knows of nothing and sends it ({})", id_of(&sent[1])));
    stage.amadeus.lose_answer(trip::ORDERS);
    attempts(tell, "flight", [naive::book(stage).await, naive::book(stage).await]);
    let (charges, mails) = (stage.stripe.count("charge"), stage.gmail.count("mail"));
    let bookings = stage.amadeus.count("booking");
    tell.counted("423.20 EUR taken", charges);
    tell.counted("confirmation sent", mails);
    tell.counted("flight booked", bookings);
    Ok(Naive { charges, mails, bookings })
}

fn attempts(tell: &Teller, what: &str, came_to: [Option<String>; 2]) {
    for (number, one) in came_to.into_iter().enumerate() {
        let what = if number == 0 { what } else { "" };
        let words = one.map_or_else(|| "connection lost".to_owned(), |id| format!("done ({id})"));
        tell.say(format!("   {what:<7} attempt {}: {words}", number + 1));
    }
}

fn id_of(sent: &Option<String>) -> &str {
    sent.as_deref().unwrap_or("no answer")
}

/// Scene 2: the answer to a charge is lost.
pub(super) async fn charge_with_lost_answer(stage: &Stage, tell: &Teller, naive: usize) -> Result<Count, Failure> {
    const KEY: &str = "trip:1042:charge";
    tell.scene(2, "The same with hapax: the charge").await;
    tell.say("   hapax writes down what it is about to do before it does it, and when an answer is missing it");
    tell.say("   looks before it sends again.");
    tell.command(&format!("hapax run stripe.charge --key {KEY} --args '{{\"amount\": {{\"amount\": 42320, ...}}}}'"));
    let before = stage.stripe.count("charge");
    stage.stripe.lose_answer(trip::CONFIRM);
    let report = worker::run(stage, "stripe.charge", KEY, &trip::charge()).await?;
    let payment = receipt_id(&report.outcome)?;
    story(tell, &worker::show(stage, KEY).await?, &["leaves", "unclear", "looked"]);
    tell.say(format!("   succeeded: it happened once ({payment})"));
    let hapax = stage.stripe.count("charge") - before;
    tell.counted("423.20 EUR taken", hapax);
    Ok(Count { situation: "charge, answer lost", intents: 1, naive, hapax, ended: SUCCEEDED })
}

/// Scene 3: the program itself dies.
pub(super) async fn mail_with_killed_worker(stage: &Stage, tell: &Teller, naive: usize) -> Result<Count, Failure> {
    const KEY: &str = "trip:1042:confirmation";
    tell.scene(3, "The mail: the program dies halfway").await;
    tell.say("   The worker is killed (kill -9) when Gmail has sent the mail and before the worker has written");
    tell.say("   that down. Another one finds in the ledger what was begun: a draft, which can be sent once.");
    let before = stage.gmail.count("mail");
    tell.command(&format!("hapax run gmail.send --key {KEY} ..."));
    worker::run_and_kill(stage, "gmail.send", KEY, &trip::mail()).await?;
    tell.bad("killed");
    tell.command("hapax recover");
    let view = worker::recover(stage, KEY).await?;
    let mail = receipt_id(&view.outcome)?;
    story(tell, &view, &["leaves", "looked"]);
    tell.say(format!("   succeeded: it happened once ({mail})"));
    let hapax = stage.gmail.count("mail") - before;
    tell.counted("confirmation sent", hapax);
    Ok(Count { situation: "mail, program killed", intents: 1, naive, hapax, ended: SUCCEEDED })
}

/// Scene 4: nobody can prove whether it happened. hapax doesn't guess, and leaves it to a person.
pub(super) async fn booking_that_nobody_can_prove(
    stage: &Stage,
    tell: &Teller,
    naive: usize,
) -> Result<(Count, OperationView), Failure> {
    const KEY: &str = "trip:1042:flight";
    tell.scene(4, "The flight: nobody can know").await;
    tell.say("   The answer to the booking is lost. Amadeus takes no key, and orders can't be searched: sending");
    tell.say("   again could be a second booking, and giving up could lose the first.");
    let before = stage.amadeus.count("booking");
    stage.amadeus.lose_answer(trip::ORDERS);
    tell.command(&format!("hapax run amadeus.book_flight --key {KEY} ..."));
    let report = worker::run(stage, "amadeus.book_flight", KEY, &trip::flight()).await?;
    let Outcome::Unknown { next: Next::Person, why, .. } = &report.outcome else {
        return Err(unexpected("a booking that nobody can know of was not given to a person"));
    };
    tell.careful("hapax does not guess: it is in the inbox, with evidence, for a person to decide");
    let view = worker::show(stage, KEY).await?;
    tell.command("hapax ls --inbox");
    inbox_item(tell, &view, why);
    let hapax = stage.amadeus.count("booking") - before;
    tell.counted("flight booked", hapax);
    tell.pause().await;
    how_to_close(tell, &view);
    Ok((Count { situation: "flight, answer lost", intents: 1, naive, hapax, ended: PERSON }, view))
}

/// The lines of an operation's own story that have one of these words in them.
fn story(tell: &Teller, view: &OperationView, words: &[&str]) {
    for entry in view.timeline.iter().filter(|entry| words.iter().any(|word| entry.what.contains(word))) {
        tell.say(format!("     journal: {}", entry.what));
    }
}

fn inbox_item(tell: &Teller, view: &OperationView, why: &str) {
    tell.say(format!("     {}  {}  {}", view.operation, view.cell, view.key));
    tell.pair("why", why);
    story(tell, view, &["leaves", "unclear"]);
    let Some(evidence) = &view.evidence else { return };
    let seconds = evidence.absence_counts_in_seconds;
    tell.pair("absence", &format!("proves nothing for another {}", duration(seconds)));
    tell.pair("look at", &evidence.look_at);
    tell.pair("stakes", &evidence.stakes);
}

/// What a person would type. The demo leaves it to them.
fn how_to_close(tell: &Teller, view: &OperationView) {
    let resolve = format!("hapax resolve {} --seen {}", view.operation, view.revision);
    tell.say("   It stays there until a person has looked. Who finds the booking names it, and hapax reads and");
    tell.say("   compares it; who finds nothing when an absence counts says so, or lets it be sent again:");
    tell.command(&format!("{resolve} --happened RECORD_LOCATOR --by YOU"));
    tell.command(&format!("{resolve} --did-not-happen --by YOU    (or --send-again)"));
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
