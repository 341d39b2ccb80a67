//! Answers that say something else than what happened.

use hapax_standin::{Fault as Proxy, Kind};

use super::{Fault, fault};
use crate::kit::{CellSubject, Played, Run};
use hapax_core::capability::CellSpec;

pub(super) const FAULTS: &[Fault] = &[
    fault!("500-before", Any, |run| before(run, 500), "500, and nothing happened"),
    fault!("502-before", Nothing, |run| before(run, 502), "502 from a gateway, and nothing happened"),
    fault!("503-before", Nothing, |run| before(run, 503), "503, and nothing happened"),
    fault!("504-before", Nothing, |run| before(run, 504), "504 from a gateway, and nothing happened"),
    fault!("500-after", Happened, |run| after(run, 500), "500, and it happened"),
    fault!("502-after", Happened, |run| after(run, 502), "502 from a gateway, and it happened"),
    fault!("503-after", Happened, |run| after(run, 503), "503, and it happened"),
    fault!("504-after", Happened, |run| after(run, 504), "504 from a gateway, and it happened"),
    fault!("2xx-that-refuses", Any, success_that_refuses, "a success that carries a refusal").unless(no_such_success),
    fault!("redirect", Nothing, |run| redirect(run, false), "a redirect, and nothing happened"),
    fault!("redirect-after", Happened, |run| redirect(run, true), "a redirect, and it happened"),
    fault!("truncated-json", Happened, |run| spoilt(run, Kind::TruncatedJson { bytes: 11 }), "200 with half a body"),
    fault!("empty-body", Happened, |run| spoilt(run, Kind::EmptyBody), "200 without a body"),
    fault!("foreign-html", Happened, |run| spoilt(run, Kind::ForeignHtml), "200 with somebody else's page"),
    fault!("foreign-object", Contradicted, foreign_object, "200 that speaks of another object"),
];

fn no_such_success(_: &CellSpec, subject: &dyn CellSubject) -> Option<&'static str> {
    subject.refusal_inside_a_success().is_none().then_some("the provider never refuses inside a success")
}

async fn spoilt(run: &Run, kind: Kind) -> Played {
    let intent = run.intent().await?;
    run.inside_shot(kind);
    let process = run.process().await?;
    run.call(&process, &intent).await;
    run.happened(&intent, 1)
}

async fn before(run: &Run, status: u16) -> Played {
    let intent = run.intent().await?;
    run.inside_shot(Kind::ErrorBefore { status, code: None });
    let process = run.process().await?;
    run.call(&process, &intent).await;
    Ok(())
}

async fn after(run: &Run, status: u16) -> Played {
    spoilt(run, Kind::ErrorAfter { status, code: None }).await
}

async fn success_that_refuses(run: &Run) -> Played {
    let Some(reply) = run.cell.refusal_inside_a_success() else { return Ok(()) };
    let intent = run.intent().await?;
    run.on_shot(Proxy::Reply(reply.into()));
    let process = run.process().await?;
    run.call(&process, &intent).await;
    Ok(())
}

/// It points at the very place that was asked, so that whoever follows asks twice.
async fn redirect(run: &Run, effect: bool) -> Played {
    let intent = run.intent().await?;
    let location = format!("{}/elsewhere", run.proxy.url());
    run.inside_shot(Kind::Redirect { location, effect });
    let process = run.process().await?;
    run.call(&process, &intent).await;
    let elsewhere = run.proxy.count("POST", "/elsewhere") + run.proxy.count("GET", "/elsewhere");
    crate::kit::hold(crate::kit::Invariant::OneRequest, elsewhere == 0, "a redirect was followed")
}

async fn foreign_object(run: &Run) -> Played {
    spoilt(run, Kind::ForeignObject { members: run.cell.foreign_members() }).await
}
