use crate::protocol::{Event, Final, Heard, OpState, Verdict};

/// What evidence that was gathered on a `known` state still says on a `fresh` one; `None`: nothing.
pub(super) fn carried_over(event: Event, known: &OpState, fresh: &OpState) -> Option<Event> {
    match event {
        Event::Heard(heard) if is_another_attempt(heard.attempt, known, fresh) => heard_of_a_forgotten_attempt(heard),
        // The fate of a receipt that isn't the one on record says nothing of the one that is.
        Event::Fated { .. } if receipt_id(known) != receipt_id(fresh) => None,
        event => Some(event),
    }
}

/// Whether the number isn't our attempt's any more: the ledger was restored from a backup that didn't know ours, and may have
/// gone on from there, or may go on before this can be written.
fn is_another_attempt(number: u32, known: &OpState, fresh: &OpState) -> bool {
    let departed = |state: &OpState| {
        state.attempts.iter().find(|attempt| attempt.number == number).map(|attempt| (attempt.epoch, attempt.departed))
    };
    matches!((departed(known), departed(fresh)), (Some(ours), theirs) if theirs != Some(ours))
}

/// That it happened counts wherever it comes from; anything else would close an attempt that it
/// doesn't speak of (rule 2).
fn heard_of_a_forgotten_attempt(heard: Heard) -> Option<Event> {
    match heard.verdict {
        Verdict::Happened { receipt } => {
            Some(Event::Witnessed { source: "an answer from before the restore".to_owned(), receipt })
        }
        _ => None,
    }
}

fn receipt_id(state: &OpState) -> Option<&str> {
    match &state.outcome {
        Some(Final::Succeeded(receipt)) => Some(&receipt.id),
        _ => None,
    }
}
