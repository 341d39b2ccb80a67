//! Whether a look sees what it is said to see, and as soon.

use std::ops::Range;
use std::time::Duration;

use hapax_core::capability::Kind;
use hapax_core::protocol::Receipt;
use hapax_core::words::{Fault, Finding};
use toml::Spanned;

use super::Said;
use super::hand::{Hand, Intent};
use crate::declaration::{CellDeclaration, LookDeclaration};

/// Time between two looks.
const AGAIN: Duration = Duration::from_millis(100);
/// How much longer than promised is waited, to say how late it is.
const GRACE: Duration = Duration::from_secs(10);

/// Nothing is found of an intent that was never sent.
pub(super) async fn finds_nothing(hand: &Hand, written: &CellDeclaration, unsent: &Intent) -> Said {
    let Some(look) = &written.look else { return Said::NotMade("there is no look".to_owned()) };
    let why = match hand.look(unsent).await {
        Ok(Finding::Absent) => return is_filtered(hand, look, unsent).await,
        Ok(Finding::Happened(_) | Finding::Several(_)) => "the look finds something of an intent that was never sent",
        Ok(Finding::Failed(_) | Finding::NotYet(_) | Finding::CannotTell(_)) => "the look can't tell",
        Err(fault) => return failed(look, &fault),
    };
    Said::Lie(look.span(), why.to_owned())
}

/// A list that is asked for something shows nothing else. Where pages aren't walked, others' records could hide ours.
async fn is_filtered(hand: &Hand, look: &Spanned<LookDeclaration>, unsent: &Intent) -> Said {
    let asks = look.get_ref().query.values().find(|value| value.get_ref().contains("{{"));
    let (Some(asks), Some(_)) = (asks, &look.get_ref().hits) else { return Said::Held };
    match hand.shown(unsent).await {
        Ok(0) => Said::Held,
        Ok(many) => {
            let why = format!("the look shows {many} records that weren't asked for: its query isn't kept to");
            Said::Lie(asks.span(), why)
        }
        Err(fault) => failed(look, &fault),
    }
}

/// How long it takes until what was done is found, which must not be longer than promised. None: it is never found.
pub(super) async fn lag(
    hand: &Hand,
    written: &CellDeclaration,
    intent: &Intent,
    receipt: &Receipt,
) -> (Said, Option<Duration>) {
    let Some(look) = &written.look else { return (Said::NotMade("there is no look".to_owned()), None) };
    let Some(promised) = hand.spec().queries().next().map(|query| query.lag) else {
        return (Said::NotMade("there is no look".to_owned()), None);
    };
    let line = look.get_ref().lag.as_ref().map_or_else(|| look.span(), Spanned::span);
    let begun = hand.now_ms();
    let mut missed = None;
    loop {
        let asked = Duration::from_millis(hand.now_ms() - begun);
        let found = hand.look(intent).await;
        let seen = Duration::from_millis(hand.now_ms() - begun);
        match found {
            Ok(Finding::Happened(found)) if found.id != receipt.id => {
                let why = format!("the look finds {} where the answer said {}", found.id, receipt.id);
                return (Said::Lie(look.span(), why), None);
            }
            // Nobody asked between then and now.
            Ok(Finding::Happened(_)) if missed.is_none_or(|missed| missed <= promised) => {
                return (Said::Held, Some(seen));
            }
            Ok(Finding::Happened(_)) => {
                let why = format!("the look is said to lag at most {}, and showed it after {}", of(promised), of(seen));
                return (Said::Lie(line, why), Some(seen));
            }
            Ok(Finding::Several(_)) => {
                let why = "the look finds several where one request was sent".to_owned();
                return (Said::Lie(look.span(), why), None);
            }
            Ok(_) => missed = Some(asked),
            Err(fault) => return (failed(look, &fault), None),
        }
        if seen > promised + GRACE {
            return (unseen(hand, look, intent, line, (promised, seen)).await, None);
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// A look that failed, at the line of the list where it has one.
fn failed(look: &Spanned<LookDeclaration>, fault: &Fault) -> Said {
    let hits = look.get_ref().hits.as_ref().filter(|_| matches!(fault, Fault::Unread(_)));
    Said::Lie(hits.map_or_else(|| look.span(), Spanned::span), format!("the look fails: {fault}"))
}

/// Nothing of ours was ever shown: the look lags, or `ours` asks for what its records don't hold.
async fn unseen(
    hand: &Hand,
    look: &Spanned<LookDeclaration>,
    intent: &Intent,
    lag: Range<usize>,
    (promised, seen): (Duration, Duration),
) -> Said {
    let ours = look.get_ref().ours.values().next().map(Spanned::span);
    match (hand.shown(intent).await, ours) {
        (Ok(many), Some(ours)) if many > 0 => {
            let why = format!("the look shows {many} records, and none of them holds what `ours` says");
            Said::Lie(ours, why)
        }
        _ => {
            let why =
                format!("the look is said to lag at most {}, and after {} it shows nothing", of(promised), of(seen));
            Said::Lie(lag, why)
        }
    }
}

/// A record that is read by its id is the one that was made.
pub(super) async fn record(hand: &Hand, written: &CellDeclaration, intent: &Intent, receipt: &Receipt) -> Said {
    let Some(record) = written.record.as_ref().filter(|_| hand.spec().kind == Kind::DoOnce) else {
        return Said::NotMade("the file says of no request that it reads one record".to_owned());
    };
    let why = match hand.fetch(intent, &receipt.id).await {
        Ok(Some(found)) if found.id == receipt.id => return Said::Held,
        Ok(Some(found)) => format!("the record of {} says that it is {}", receipt.id, found.id),
        Ok(None) => format!("there is no record of {}, which was just made", receipt.id),
        Err(fault) => format!("the record can't be read: {fault}"),
    };
    Said::Lie(record.path.span(), why)
}

/// Milliseconds are enough for people.
fn of(time: Duration) -> humantime::FormattedDuration {
    humantime::format_duration(Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)))
}
