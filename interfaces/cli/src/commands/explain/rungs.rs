//! The rungs of a ladder in words.

use hapax_core::capability::{
    Absence, Annul, Failures, Mark, Native, Query, Repeat, Rung, Source, Then, Token, Twins, Window,
};

use crate::report::duration;

/// One rung as a sentence.
pub(super) fn words(rung: &Rung) -> String {
    match rung {
        Rung::Native(native) => self::native(native),
        Rung::Query(query) => self::query(query),
        Rung::Annul(annul) => self::annul(annul),
        Rung::Human(human) => format!("a person who looks at {}", human.place),
    }
}

/// Where a rung is written.
pub(super) fn sources(rung: &Rung) -> &'static [Source] {
    match rung {
        Rung::Native(native) => native.sources,
        Rung::Query(query) => query.sources,
        Rung::Annul(annul) => annul.sources,
        Rung::Human(_) => &[],
    }
}

fn native(native: &Native) -> String {
    let token = match native.token {
        Token::Key(field) => format!("a key of ours in {}", field.name),
        Token::ClientId(field) => format!("an id of ours in {}", field.name),
        Token::Handle(name) => format!("the provider's {name}, journaled before use"),
        Token::State(name) => format!("the precondition {name}, captured once"),
    };
    let then = match native.life.then {
        Then::RunsAnew => "after that a repeat runs anew",
        Then::Refuses => "after that a repeat is refused",
    };
    let life = match native.life.floor {
        Window::Ever => format!("for good ({})", native.life.ends),
        Window::Zero => "for no stated time".to_owned(),
        Window::Unstated => format!("presumably for {}; {then}", duration(Window::RETRY_LOOP.as_secs())),
        Window::AtLeast(floor) => format!("for at least {} ({}); {then}", duration(floor.as_secs()), native.life.ends),
    };
    let twins = match native.twins {
        Twins::OneWins => "of two at once one wins",
        Twins::BothMayPass => "two at once may both pass",
    };
    let repeat = match native.repeat {
        Repeat::Replays => "a repeat gets the first answer again",
        Repeat::Returns => "a repeat gets the present state",
        Repeat::Names => "a repeat gets an error that names the object",
        Repeat::Refuses => "a repeat gets an error",
        Repeat::Accepts => "a repeat gets a success that says nothing",
        Repeat::Converges => "a repeat leads to the same state",
    };
    let failures = match native.failures {
        Failures::Kept => "a failure is kept and replayed",
        Failures::Rerun => "after a failure a repeat runs anew",
        Failures::Burnt => "a failure spends it",
        Failures::Unknown => "what a failure leaves is undocumented",
    };
    format!("{token}: spent once, {life}; {twins}; {repeat}; {failures}{}", needs(native.needs))
}

fn query(query: &Query) -> String {
    let asks = match query.mark {
        Mark::Planted(place, _) if query.reads_one => format!("a read of the one record with our mark in {place}"),
        Mark::Planted(place, _) => format!("a search for our mark in {place}"),
        Mark::Token => "a read by the token".to_owned(),
        Mark::Content(fields) => format!("a search for the same {}", fields.join(", ")),
    };
    let absence = match query.absence {
        Absence::Proves => "finding nothing proves that nothing happened",
        Absence::Suggests => "finding nothing only suggests that nothing happened",
        Absence::Nothing => "finding nothing says nothing",
    };
    let told = if query.told { " (the provider tells us; it can't be asked)" } else { "" };
    let reach = match query.horizon.floor_ms() {
        None => "without end".to_owned(),
        Some(ms) => duration(ms / 1000),
    };
    let lag = match query.lag.as_secs() {
        0 => "doesn't lag".to_owned(),
        seconds => format!("lags by at most {}", duration(seconds)),
    };
    format!("{asks}{told}: {absence}; it {lag} and reaches back {reach}{}", needs(query.needs))
}

fn annul(annul: &Annul) -> String {
    format!("telling the provider that it shall not have happened, until {}{}", annul.until, needs(annul.needs))
}

fn needs(needs: &[hapax_core::capability::Need]) -> String {
    if needs.is_empty() {
        return String::new();
    }
    let words: Vec<&str> = needs.iter().map(|need| need.words()).collect();
    format!("; needs {}", words.join(", "))
}
