//! Whether a look sees what it is said to see, and as soon.

use std::time::Duration;

use hapax_core::capability::Kind;
use hapax_core::protocol::Receipt;
use hapax_core::words::Finding;

use super::Said;
use super::hand::{Hand, Intent};
use crate::declaration::CellDeclaration;

/// Time between two looks.
const AGAIN: Duration = Duration::from_millis(100);
/// How much longer than promised is waited, to say how late it is.
const GRACE: Duration = Duration::from_secs(10);

/// Nothing is found of an intent that was never sent.
pub(super) async fn finds_nothing(hand: &Hand, written: &CellDeclaration, unsent: &Intent) -> Said {
    let Some(look) = &written.look else { return Said::NotMade("there is no look".to_owned()) };
    let why = match hand.look(unsent).await {
        Ok(Finding::Absent) => return Said::Held,
        Ok(Finding::Happened(_) | Finding::Several(_)) => "the look finds something of an intent that was never sent",
        Ok(Finding::Failed(_) | Finding::NotYet(_) | Finding::CannotTell(_)) => "the look can't tell",
        Err(fault) => return Said::Lie(look.span(), format!("the look fails: {fault}")),
    };
    Said::Lie(look.span(), why.to_owned())
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
    let line = look.get_ref().lag.as_ref().map_or_else(|| look.span(), toml::Spanned::span);
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
                let why = format!("it is said to lag {}, and it took {}", of(promised), of(seen));
                return (Said::Lie(line, why), Some(seen));
            }
            Ok(Finding::Several(_)) => {
                let why = "the look finds several where one request was sent".to_owned();
                return (Said::Lie(look.span(), why), None);
            }
            Ok(_) => missed = Some(asked),
            Err(fault) => return (Said::Lie(look.span(), format!("the look fails: {fault}")), None),
        }
        if seen > promised + GRACE {
            let why = format!("it is said to lag {}, and after {} it shows nothing", of(promised), of(seen));
            return (Said::Lie(line, why), None);
        }
        tokio::time::sleep(AGAIN).await;
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
