//! What ties answers to what happened at the provider.

use super::case::{Case, Told};

/// [`super::Rule::OneEffect`].
pub(super) fn one_effect(case: &Case<'_>) -> Option<String> {
    let allowed = 1 + case.calls.iter().filter(|called| called.sends_again()).count();
    let objects: Vec<&str> = case.effects.iter().map(|effect| effect.object).collect();
    (case.key.is_some() && objects.len() > allowed)
        .then(|| format!("{} effects where {allowed} may be: {}", objects.len(), objects.join(", ")))
}

/// [`super::Rule::HappenedBefore`].
pub(super) fn happened_before(case: &Case<'_>) -> Option<String> {
    let first = case.effects.iter().map(|effect| effect.at_ms).min().unwrap_or(u64::MAX);
    let (call, at_ms, _) = case.receipts().find(|(_, at_ms, _)| *at_ms < first)?;
    Some(format!("c{} was told at {at_ms} that it had happened, and it had not", call.0))
}

/// [`super::Rule::NamesItsEffect`]. Where there is no effect at all, the rule above speaks.
pub(super) fn names_its_effect(case: &Case<'_>) -> Option<String> {
    let is_named = |id: &str| case.effects.is_empty() || case.effects.iter().any(|effect| effect.object == id);
    let (call, _, receipt) = case.receipts().find(|(.., receipt)| !is_named(&receipt.id))?;
    Some(format!("c{} was given a receipt of {}, which is no effect of this key", call.0, receipt.id))
}

/// [`super::Rule::RefusedHasNone`].
pub(super) fn refused_has_none(case: &Case<'_>) -> Option<String> {
    let refused = case.ends().into_iter().filter(|end| matches!(end.said, Told::Refused(_)));
    refused.into_iter().find_map(|end| {
        let effect = case.effects.iter().find(|effect| effect.at_ms < end.until_ms)?;
        Some(format!(
            "c{} was refused at {}, and {} happened at {}",
            end.call.0, end.at_ms, effect.object, effect.at_ms
        ))
    })
}

/// [`super::Rule::NothingAfterOk`].
pub(super) fn nothing_after_ok(case: &Case<'_>) -> Option<String> {
    let ok = case.ends().into_iter().find(|end| matches!(end.said, Told::Ok(_)))?;
    let late = case.effects.iter().find(|effect| effect.at_ms > ok.at_ms)?;
    // The first one after the first answer breaks the rule about their order.
    let is_first = case.effects.iter().all(|effect| effect.at_ms >= late.at_ms);
    (!is_first).then(|| {
        format!(
            "c{} was told at {} that it had happened, and {} happened at {}",
            ok.call.0, ok.at_ms, late.object, late.at_ms
        )
    })
}

/// [`super::Rule::CalledFor`].
pub(super) fn called_for(case: &Case<'_>) -> Option<String> {
    let calls = case.calls.iter().filter(|called| called.intent().is_some() && called.may_begin());
    let first = calls.map(|called| called.began_ms).min().unwrap_or(u64::MAX);
    let early = case.effects.iter().find(|effect| effect.at_ms < first)?;
    Some(format!("{} happened at {}, and nobody had called for it", early.object, early.at_ms))
}
