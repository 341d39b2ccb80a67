//! A failing history gets smaller, and fails as before.

use hapax_histories::check::{Rule, check};
use hapax_histories::history::{Event, History};
use hapax_histories::shrink::{shrink, story};

use super::rules::{BAD, broken, read};

/// Many keys that are as they should be, workers and networks, and in the middle of it a bad one.
fn hidden(bad: &str) -> History {
    let mut history = read(bad);
    for number in 0..20_u32 {
        let at = u64::from(number % 9);
        let (first, second) = (1_000 + 2 * number, 1_001 + 2 * number);
        let good = format!(
            "{} invoke c{first} good:{number} intent=a by=x at=w1
             {} invoke c{second} good:{number} intent=a by=y at=w2
             {} effect good:{number} object=g{number}
             {} ok c{first} receipt=g{number}~d
             {} unknown c{second} next=again
             {} killed w{number}
             {} cut w{number}-ledger",
            at + 1,
            at + 2,
            at + 3,
            at + 4,
            at + 5,
            at,
            at + 20,
        );
        history.entries.extend(read(&good).entries);
    }
    history.sort();
    history
}

fn rules(history: &History) -> Vec<Rule> {
    check(history).iter().map(|violation| violation.rule).collect()
}

#[test]
fn what_is_left_breaks_the_same_rule_for_the_same_key() {
    for (rule, bad) in BAD {
        let whole = hidden(bad);
        let violations = check(&whole);
        assert_eq!(violations.len(), 1, "{whole}");
        let least = shrink(&whole, &violations[0]);
        assert_eq!(rules(&least), [*rule], "{least}");
        assert_eq!(check(&least)[0].key, violations[0].key);
        assert!(least.entries.len() < whole.entries.len() / 4, "{least}");
        assert!(!least.keys().iter().any(|key| key.starts_with("good")), "{least}");
    }
}

#[test]
fn nothing_more_can_be_left_out() {
    let bad = "1 invoke c1 k intent=a by=x at=w1
         2 invoke c2 k intent=a by=y at=w1
         3 effect k object=o1
         4 unknown c1 next=again
         5 ok c2 receipt=o1~d
         6 effect k object=o2
         7 invoke c3 k intent=a by=x at=w1
         8 ok c3 receipt=o1~d
         9 rests k as=final";
    let whole = read(bad);
    let violations = check(&whole);
    assert_eq!(broken(bad), [Rule::OneEffect, Rule::NothingAfterOk]);
    let least = shrink(&whole, &violations[0]);
    // Two effects, and the call that asked for them.
    assert_eq!(least.entries.len(), 3, "{least}");
    for index in 0..least.entries.len() {
        let mut shorter = least.clone();
        shorter.entries.remove(index);
        assert_ne!(rules(&shorter), rules(&least), "{least}");
    }
    // The other rule needs the answer too.
    let other = shrink(&whole, &violations[1]);
    assert!(rules(&other).contains(&Rule::NothingAfterOk), "{other}");
    assert_eq!(other.entries.len(), 4, "{other}");
}

#[test]
fn a_story_has_all_of_its_key_and_what_went_on_meanwhile() {
    let bad = "10 invoke c1 k intent=a by=x at=w1
         20 effect k object=o1
         30 effect k object=o2
         40 ok c1 receipt=o1~d";
    let mut whole = hidden(bad);
    whole.entries.extend(read("15 paused w1\n25 fault a.b what=Hang\n35 resumed w1\n45 killed w1").entries);
    whole.sort();
    let told = story(&whole, &check(&whole)[0]);
    let of_key = told.entries.iter().filter(|entry| entry.event.key().is_some() || entry.event.call().is_some());
    assert_eq!(of_key.count(), 4, "{told}");
    assert!(told.entries.iter().all(|entry| (10..=40).contains(&entry.at_ms)), "{told}");
    let stopped = |event: &Event| matches!(event, Event::Worker { worker, .. } if worker == "w1");
    assert_eq!(told.entries.iter().filter(|entry| stopped(&entry.event)).count(), 2, "{told}");
}
