//! A key as a register that is written once: free, taken by an intent, final.

use super::case::{Called, Case, Told};
use crate::history::{Rest, Said};

/// [`super::Rule::SameAnswer`].
pub(super) fn same_answer(case: &Case<'_>) -> Option<String> {
    let ends = case.ends();
    let clash = |index: usize| {
        let later = ends[index];
        ends[..index].iter().find(|earlier| !is_same(earlier.said, later.said, earlier.until_ms < later.at_ms))
    };
    let (earlier, later) = (0..ends.len()).find_map(|index| Some((clash(index)?, ends[index])))?;
    Some(format!("c{} was told {}, and c{} {}", earlier.call.0, words(earlier.said), later.call.0, words(later.said)))
}

/// Whether two were told the same. What was forgotten in between is found again: the same effect, in other words maybe;
/// and what was refused may be tried once more.
fn is_same(earlier: Told<'_>, later: Told<'_>, forgotten: bool) -> bool {
    match (earlier, later) {
        (Told::Ok(one), Told::Ok(other)) => one == other || forgotten && one.id == other.id,
        (Told::Refused(one), Told::Refused(other)) => one == other || forgotten,
        (Told::Refused(_), Told::Ok(_)) => forgotten,
        (Told::Ok(_), Told::Refused(_)) => false,
    }
}

fn words(said: Told<'_>) -> String {
    match said {
        Told::Ok(receipt) => format!("that it happened as {receipt}"),
        Told::Refused(code) => format!("that it is refused ({code})"),
    }
}

/// [`super::Rule::StaysKnown`].
pub(super) fn stays_known(case: &Case<'_>) -> Option<String> {
    let ends = case.ends();
    let unknown = case.calls.iter().filter(|called| matches!(called.came, Some((_, Said::Unknown { .. }))));
    unknown.into_iter().find_map(|called| {
        let known = |at_ms: u64, until_ms: u64| at_ms < called.began_ms && called.began_ms < until_ms;
        let end = ends.iter().find(|end| known(end.at_ms, end.until_ms))?;
        Some(format!(
            "c{} was told the end at {}, and c{}, which began later, that it isn't known",
            end.call.0, end.at_ms, called.call.0
        ))
    })
}

/// [`super::Rule::OneIntent`].
pub(super) fn one_intent(case: &Case<'_>) -> Option<String> {
    // What may have been forgotten since says nothing of who has the key.
    let kept = |called: &&Called<'_>| called.came.is_none_or(|(at_ms, _)| case.kept_until(at_ms) == u64::MAX);
    let calls: Vec<&Called<'_>> = case.calls.iter().filter(kept).collect();
    let accepted: Vec<&&Called<'_>> = calls.iter().filter(|called| called.is_accepted()).collect();
    let mut holders: Vec<&str> = accepted.iter().filter_map(|called| called.intent()).collect();
    let effects = case.effects.iter().filter(|effect| case.kept_until(effect.at_ms) == u64::MAX);
    holders.extend(effects.filter_map(|effect| effect.intent));
    holders.sort_unstable();
    holders.dedup();
    if let [one, other, ..] = holders[..] {
        return Some(format!("two intents have the key: {one} and {other}"));
    }
    turned_away(case, &calls, holders.first().copied())
}

/// Calls that were told that the key is another intent's must leave room for that to be true: one intent that is not
/// theirs, the one that has the key if that is known, and that came before they were told.
fn turned_away(case: &Case<'_>, calls: &[&Called<'_>], holder: Option<&str>) -> Option<String> {
    let turned_away: Vec<&&Called<'_>> = calls.iter().filter(|called| called.is_reused()).collect();
    let first = turned_away.iter().filter_map(|called| called.came).map(|(at_ms, _)| at_ms).min()?;
    let mut could_hold = case.calls.iter().filter(|called| called.may_begin() && called.began_ms <= first);
    let fits = |intent: &str| {
        holder.is_none_or(|holder| holder == intent) && turned_away.iter().all(|called| called.intent() != Some(intent))
    };
    if could_hold.any(|called| called.intent().is_some_and(fits)) {
        return None;
    }
    let numbers: Vec<String> = turned_away.iter().map(|called| format!("c{}", called.call.0)).collect();
    Some(format!("{} were told that the key is another intent's, and none can have had it", numbers.join(", ")))
}

/// [`super::Rule::NothingForgotten`]. A history that was cut off says nothing of the end.
pub(super) fn nothing_forgotten(case: &Case<'_>) -> Option<String> {
    let is_kept = |called: &&Called<'_>| called.came.is_some_and(|(at_ms, _)| case.kept_until(at_ms) == u64::MAX);
    let told = case.calls.iter().filter(is_kept).any(Called::is_accepted);
    let ended = case.ends().iter().any(|end| end.until_ms == u64::MAX);
    match case.rest? {
        Rest::Stuck => Some("it is open in the end, and nobody will take it up".to_owned()),
        Rest::Missing if told => Some("somebody was told of it, and it isn't in the ledger in the end".to_owned()),
        Rest::Held | Rest::Person | Rest::Due if ended => {
            Some("somebody was told its end, and it isn't final in the end".to_owned())
        }
        _ => None,
    }
}
