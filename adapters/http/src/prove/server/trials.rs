//! Intents through the executor, with the way to the server broken.

use std::ops::Range;
use std::time::Duration;

use hapax_conformance::kit::{Invariant, Site, Violation};
use hapax_conformance::trial::{Trial, Way, ways};
use hapax_core::words::Finding;
use tokio::task::JoinSet;

use super::hand::Hand;
use super::{Said, TestServer, guard};
use crate::declaration::CellDeclaration;
use crate::prove::subject::starred;

/// Plays every way. A look that lags is given its time before the executor's clock is put forward.
pub(super) async fn play(
    hand: &Hand,
    written: &CellDeclaration,
    server: &TestServer,
    lag: Option<Duration>,
) -> Vec<(&'static str, Said)> {
    let all = |why: &str| ways().iter().map(|way| (way.name, Said::NotMade(why.to_owned()))).collect();
    if server.base_url.scheme() != "http" {
        return all("the way to an address with https:// can't be broken from here; use one with http://");
    }
    if written.look.is_some() && lag.is_none() {
        return all("the look never shows what was done");
    }
    let mut runs = JoinSet::new();
    for (place, way) in ways().into_iter().enumerate() {
        let (trial, site) =
            (trial(hand, server, lag), Site { url: server.base_url.as_str().trim_end_matches('/').to_owned() });
        let (key, secret) = (hand.key(), hand.secret().clone());
        let intent = hand.intent_for(&key);
        runs.spawn(async move {
            let played = trial.play(&site, &intent.args, (&secret, &key), &way).await;
            (place, way, intent, played)
        });
    }
    let mut ended = runs.join_all().await;
    ended.sort_by_key(|(place, ..)| *place);
    // The last of them may have been done just now.
    tokio::time::sleep(pause(lag)).await;
    let mut said = Vec::new();
    for (_, way, intent, played) in ended {
        let held = match played {
            Ok(effects) => count(hand, &intent, effects).await,
            Err(violation) => Err(violation),
        };
        said.push((
            way.name,
            held.map_or_else(|broken| Said::Lie(line(written, &way), words(&broken)), |()| Said::Held),
        ));
    }
    said
}

/// What did not hold, without the kit's own names.
fn words(broken: &Violation) -> String {
    match broken.invariant {
        Invariant::ExpectedEnd => format!("it doesn't end as the file promises ({})", broken.what),
        Invariant::SameReceipt => format!("a second call says something else ({})", broken.what),
        _ => broken.what.clone(),
    }
}

fn trial(hand: &Hand, server: &TestServer, lag: Option<Duration>) -> Trial {
    Trial {
        cell: hand.spec().id,
        integration: hand.connection.integration.clone(),
        credentials: server.credentials.clone(),
        met: hand.connection.met.iter().cloned().collect(),
        shot: starred(&hand.cell),
        completion: hand.spec().published().0.completion,
        lag: pause(lag),
    }
}

/// Half as much again as it lagged: nothing lags the same twice.
fn pause(lag: Option<Duration>) -> Duration {
    lag.map_or(Duration::ZERO, |lag| lag + lag / 2 + Duration::from_millis(200))
}

/// What the look shows, where there is one: so many effects and no more.
async fn count(hand: &Hand, intent: &super::hand::Intent, effects: usize) -> Result<(), Violation> {
    let seen = match hand.look(intent).await {
        Ok(Finding::Happened(_)) => 1,
        Ok(Finding::Several(all)) => all.len(),
        Ok(Finding::Absent) => 0,
        // Nothing can be asked, or it can't tell.
        _ => return Ok(()),
    };
    hapax_conformance::kit::hold(
        Invariant::OneEffect,
        seen == effects,
        format!("{seen} effects where there should be {effects}"),
    )
}

/// What promised otherwise: the guard if there is one, else the look, else the request itself.
fn line(written: &CellDeclaration, way: &Way) -> Range<usize> {
    let look = written.look.as_ref().map(toml::Spanned::span);
    let guard = guard::of(written).map(|guard| guard.line_of_all());
    let request = written.request.path.span();
    if way.arrives { guard.or(look) } else { look.or(guard) }.unwrap_or(request)
}
