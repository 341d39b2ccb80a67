//! The model's words, as people and tables write them.

use std::time::Duration;

use hapax_core::capability::{
    Absence, Class, Completion, Failures, Guarantee, Kind, Meaning, Repeat, Scope, SecondEffect, Source, Stakes, Sure,
    Then, Twins, Window,
};
use hapax_core::identity::Form;

/// A length of time in its largest whole unit.
pub(super) fn time(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (count, unit) = match seconds {
        0 if duration.is_zero() => return "none".to_owned(),
        0 => return format!("{} ms", duration.as_millis()),
        s if s % 86_400 == 0 => (s / 86_400, "day"),
        s if s % 3_600 == 0 => (s / 3_600, "hour"),
        s if s % 60 == 0 => (s / 60, "minute"),
        s => (s, "second"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

pub(super) const fn class(class: Class) -> &'static str {
    match class {
        Class::Native => "native",
        Class::Query => "query",
        Class::Human => "human",
    }
}

pub(super) const fn second_effect(effect: SecondEffect) -> &'static str {
    match effect {
        SecondEffect::Enforced => "enforced",
        SecondEffect::Proved => "proved",
        SecondEffect::Likely => "likely",
        SecondEffect::Withheld => "withheld",
    }
}

/// The word for a completion, and its seconds if it has any.
pub(super) const fn completion(completion: Completion) -> (&'static str, Option<u64>) {
    match completion {
        Completion::Automatic => ("automatic", None),
        Completion::AutomaticWithin(seconds) => ("automatic-within", Some(seconds)),
        Completion::AutomaticIfFound => ("automatic-if-found", None),
        Completion::NeedsPerson => ("needs-person", None),
    }
}

/// A completion for a table; how many exceptions it has, the cell's page says which.
pub(super) fn completed(guarantee: &Guarantee) -> String {
    let word = match completion(guarantee.completion) {
        (_, Some(seconds)) => format!("automatic within {}", time(Duration::from_secs(seconds))),
        ("needs-person", None) => "needs a person".to_owned(),
        (word, None) => word.replace('-', " "),
    };
    match guarantee.exceptions.len() {
        0 => word,
        1 => format!("{word}, with one exception"),
        count => format!("{word}, with {count} exceptions"),
    }
}

/// The first half for a table: `enforced 1 day, then proved`.
pub(super) fn halves(guarantee: &Guarantee) -> String {
    let lasting = crate::generate::facts::lasting(guarantee);
    let each = guarantee.second_effect.iter().zip(lasting).map(|((effect, _), seconds)| {
        let word = second_effect(*effect);
        match (effect, seconds) {
            (SecondEffect::Enforced, Some(seconds)) => format!("{word} for {}", time(Duration::from_secs(seconds))),
            (SecondEffect::Proved | SecondEffect::Likely, Some(seconds)) => {
                format!("{word} looking back {}", time(Duration::from_secs(seconds)))
            }
            _ => word.to_owned(),
        }
    });
    each.collect::<Vec<_>>().join(", then ")
}

pub(super) const fn stakes(stakes: Stakes) -> &'static str {
    match stakes {
        Stakes::Low => "low",
        Stakes::Medium => "medium",
        Stakes::High => "high",
    }
}

pub(super) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::DoOnce => "do once",
        Kind::BeSo => "be so: anybody's doing satisfies, and the receipt says whose",
    }
}

pub(super) fn window(window: Window) -> String {
    match window {
        Window::Zero => "nothing is promised".to_owned(),
        Window::Unstated => format!("unstated; {} presumed, one retry loop", time(Window::RETRY_LOOP)),
        Window::AtLeast(floor) => format!("at least {}", time(floor)),
        Window::Ever => "without end".to_owned(),
    }
}

pub(super) const fn then(then: Then) -> &'static str {
    match then {
        Then::RunsAnew => "runs anew",
        Then::Refuses => "is refused",
    }
}

pub(super) const fn twins(twins: Twins) -> &'static str {
    match twins {
        Twins::OneWins => "one wins",
        Twins::BothMayPass => "both may pass",
    }
}

pub(super) const fn repeat(repeat: Repeat) -> &'static str {
    match repeat {
        Repeat::Replays => "the first answer again",
        Repeat::Returns => "the present state of the object",
        Repeat::Names => "an error that names the existing object",
        Repeat::Refuses => "an error",
        Repeat::Accepts => "a success that says nothing",
        Repeat::Converges => "the same end state",
    }
}

pub(super) const fn failures(failures: Failures) -> &'static str {
    match failures {
        Failures::Kept => "is stored and replayed",
        Failures::Rerun => "leaves it unspent: a repeat runs anew",
        Failures::Burnt => "spends it though nothing came of it",
        Failures::Unknown => "undocumented: the worst is assumed",
    }
}

pub(super) const fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Account => "account",
        Scope::Credential => "credential",
        Scope::Endpoint => "endpoint",
        Scope::Region => "region",
        Scope::Mode => "mode",
        Scope::Parent => "parent object",
    }
}

pub(super) const fn absence(absence: Absence) -> &'static str {
    match absence {
        Absence::Proves => "proves that there is no effect, after settle",
        Absence::Suggests => "suggests that there is no effect",
        Absence::Nothing => "nothing",
    }
}

pub(super) fn form(form: Form) -> String {
    match form {
        Form::Uuid => "UUID".to_owned(),
        Form::Text(length) => format!("{length} letters and digits"),
        Form::Base32Hex(length) => format!("{length} of 0-9a-v"),
        Form::Integer => "63-bit integer".to_owned(),
    }
}

/// What a row of the table of answers means, and what follows.
pub(super) const fn meaning(meaning: Meaning) -> (&'static str, &'static str) {
    match meaning {
        Meaning::Refused => ("refused", "this attempt had no effect; asking again changes nothing"),
        Meaning::RefusedOnRecord => ("refused, on record", "also speaks for earlier attempts with this very token"),
        Meaning::NotDone => ("not done", "not processed; the same goes again later"),
        Meaning::Taken => ("taken", "the token is spent; a look says by whom"),
        Meaning::Adrift => ("adrift", "the provider itself doesn't know; found, or a person"),
        Meaning::KeyBurnt => ("key burnt", "a stored failure; the key is replaced, the stronger token stays"),
        Meaning::Unclear => ("unclear", "says nothing; a look comes next"),
    }
}

const fn sure(sure: Sure) -> &'static str {
    match sure {
        Sure::Official => "official document",
        Sure::Spec => "official specification",
        Sure::Sdk => "SDK source",
        Sure::Practice => "practice",
        Sure::Presumed => "presumed",
    }
}

/// A source with its date and how sure it is.
pub(super) fn source(source: &Source) -> String {
    match source.sure {
        Sure::Presumed => format!("presumed: {}", source.url),
        kind => format!("{} ({}, read {})", super::markdown::link(source.url), sure(kind), source.checked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_their_largest_whole_unit() {
        assert_eq!(time(Duration::from_secs(86_400)), "1 day");
        assert_eq!(time(Duration::from_secs(90)), "90 seconds");
        assert_eq!(time(Duration::from_secs(120)), "2 minutes");
        assert_eq!(time(Duration::ZERO), "none");
    }
}
