//! `hapax demo`: in under a minute, on this machine alone, what goes wrong without hapax and what
//! doesn't with it, told as one story: an agent arranges a trip.
//!
//! Nothing is acted: stand-ins for the providers count what happens, proxies lose real answers on real
//! sockets, and the worker is a child process that is really killed. Of the retry loop's own death only
//! what follows is played: it has forgotten everything, and begins again.

mod naive;
mod scenes;
mod stage;
mod tell;
mod trip;
mod worker;

use hapax_core::executor::OperationView;
use serde::Serialize;
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::output::{Output, Style};
use stage::Stage;
use tell::Teller;

/// What the provider counted in one situation.
#[derive(Debug, Serialize)]
struct Count {
    situation: &'static str,
    /// How often the caller wanted it.
    intents: usize,
    /// How often it happened to a retry loop.
    naive: usize,
    /// How often it happened to hapax.
    hapax: usize,
    /// How it ended for hapax: `succeeded`, or `person`.
    ended: &'static str,
}

impl Count {
    /// The lesson holds: twice without, once with.
    fn is_right(&self) -> bool {
        self.naive == 2 && self.hapax == self.intents
    }
}

pub(crate) async fn run(context: &Context) -> Result<Exit, Failure> {
    let output = &context.output;
    let tell = Teller::new(output);
    let stage = Stage::set_up().await?;
    tell.opening();
    let naive = scenes::retry_loop(&stage, &tell).await?;
    let charged = scenes::charge_with_lost_answer(&stage, &tell, naive.charges).await?;
    let mailed = scenes::mail_with_killed_worker(&stage, &tell, naive.mails).await?;
    let (booked, inbox) = scenes::booking_that_nobody_can_prove(&stage, &tell, naive.bookings).await?;
    let counts = [charged, mailed, booked];
    let exit = if counts.iter().all(Count::is_right) { Exit::Succeeded } else { Exit::Internal };
    closing(&tell, output, &counts, exit).await;
    let total = |of: fn(&Count) -> usize| counts.iter().map(of).sum::<usize>();
    let totals = json!({ "intents": total(|one| one.intents), "naive": total(|one| one.naive), "hapax": total(|one| one.hapax) });
    output.answer(exit, &json!({ "counts": counts, "totals": totals, "inbox": item(&inbox) }));
    Ok(exit)
}

/// What waits for a person, for programs.
fn item(view: &OperationView) -> serde_json::Value {
    let OperationView { operation, revision, cell, key, evidence, .. } = view;
    json!({ "operation": operation, "revision": revision, "cell": cell, "key": key, "evidence": evidence })
}

async fn closing(tell: &Teller, output: &Output, counts: &[Count], exit: Exit) {
    tell.pause().await;
    output.line("");
    output.line(output.style(Style::Bold, "What the providers counted"));
    output.line(output.style(Style::Dim, &format!("  {:<40} {:>7} {:>11} {:>7}", "", "wanted", "retry loop", "hapax")));
    for one in counts {
        let naive = output
            .style(if one.naive == one.intents { Style::Good } else { Style::Bad }, &format!("{:>11}", one.naive));
        let hapax =
            output.style(if one.hapax == one.intents { Style::Good } else { Style::Bad }, &format!("{:>7}", one.hapax));
        let ended = if one.ended == scenes::PERSON { "  in the inbox" } else { "" };
        output.line(format!("  {:<40} {:>7} {naive} {hapax}{ended}", one.situation, one.intents));
    }
    output.line("");
    if exit != Exit::Succeeded {
        output.line(output.style(
            Style::Bad,
            "A count is not what it should be. Please report this as a bug, with the output above.",
        ));
        return;
    }
    output.line("Next:");
    output
        .line("  hapax init                   your own configuration, ledger and secret, with a stand-in to play with");
    output.line("  hapax explain stripe.charge  what this rests on, and which risk is left");
    output.line("  hapax matrix                 what else hapax can do once");
}
