//! Each rule rejects a history that every other rule lets pass.

use hapax_histories::check::{Rule, check};
use hapax_histories::history::History;

/// A history, with moments and keys as short as can be.
pub(crate) fn read(text: &str) -> History {
    text.parse().unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// The rules that a history breaks.
pub(crate) fn broken(text: &str) -> Vec<Rule> {
    check(&read(text)).iter().map(|violation| violation.rule).collect()
}

/// Bad histories, each with the one rule that it breaks.
pub(crate) const BAD: &[(Rule, &str)] = &[
    (
        Rule::Recorded,
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 ok c1 receipt=o1~d
         4 ok c1 receipt=o1~d",
    ),
    (
        Rule::Recorded,
        "1 invoke c1 k intent=a by=x at=w1
         2 invoke c1 k intent=a by=y at=w1",
    ),
    (
        Rule::OneEffect,
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 effect k object=o2
         4 ok c1 receipt=o1~d",
    ),
    (
        // One decision pays for one more effect, not for two.
        Rule::OneEffect,
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 unknown c1 next=person
         4 decide c2 k says=send-again by=dana at=w1
         5 effect k object=o2
         6 effect k object=o3
         7 ok c2 receipt=o1~d",
    ),
    (
        // A decision that was not taken pays for none.
        Rule::OneEffect,
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 decide c2 k says=send-again by=dana at=w1
         4 nothing-sent c2 code=stale-revision
         5 effect k object=o2",
    ),
    (
        // Neither does a ledger that was put back.
        Rule::OneEffect,
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 restored ledger as-of=0
         4 invoke c2 k intent=a by=x at=w1
         5 effect k object=o2
         6 lost c2",
    ),
    (
        Rule::HappenedBefore,
        "1 invoke c1 k intent=a by=x at=w1
         2 ok c1 receipt=o1~d
         3 effect k object=o1",
    ),
    (
        Rule::HappenedBefore,
        "1 invoke c1 k intent=a by=x at=w1
         2 unknown c1 next=again receipt=o1~d",
    ),
    (
        Rule::NamesItsEffect,
        "1 invoke c1 k intent=a by=x at=w1
         2 invoke c2 l intent=a by=y at=w1
         3 effect k object=o1
         4 effect l object=o2
         5 ok c1 receipt=o2~d
         6 ok c2 receipt=o2~d",
    ),
    (
        Rule::RefusedHasNone,
        "1 invoke c1 k intent=a by=x at=w1
         2 refused c1 code=declined
         3 effect k object=o1",
    ),
    (
        Rule::RefusedHasNone,
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 refused c1 code=expired",
    ),
    (
        Rule::SameAnswer,
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 ok c1 receipt=o1~d
         4 invoke c2 k intent=a by=y at=w2
         5 ok c2 receipt=o1~e",
    ),
    (
        Rule::SameAnswer,
        "1 invoke c1 k intent=a by=x at=w1
         2 invoke c2 k intent=a by=y at=w2
         3 refused c1 code=expired
         4 refused c2 code=declined",
    ),
    (
        Rule::StaysKnown,
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 ok c1 receipt=o1~d
         4 invoke c2 k intent=a by=y at=w2
         5 unknown c2 next=again",
    ),
    (
        Rule::StaysKnown,
        "1 invoke c1 k intent=a by=x at=w1
         2 refused c1 code=declined
         3 invoke c2 k intent=a by=y at=w2
         4 unknown c2 next=unwritten",
    ),
    (
        // What was said before the backup is in it.
        Rule::StaysKnown,
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 ok c1 receipt=o1~d
         5 restored ledger as-of=4
         6 invoke c2 k intent=a by=y at=w2
         7 unknown c2 next=again",
    ),
    (
        // The person wanted one more, and got it; the first request happened all the same, after the answer.
        Rule::NothingAfterOk,
        "1 invoke c1 k intent=a by=x at=w1
         2 unknown c1 next=person
         3 decide c2 k says=send-again by=dana at=w1
         4 effect k object=o2
         5 ok c2 receipt=o2~d
         6 effect k object=o1",
    ),
    (
        Rule::OneIntent,
        "1 invoke c1 k intent=a by=x at=w1
         2 invoke c2 k intent=b by=y at=w2
         3 unknown c1 next=again
         4 unknown c2 next=again",
    ),
    (
        // What happened was the other's.
        Rule::OneIntent,
        "1 invoke c1 k intent=a by=x at=w1
         2 invoke c2 k intent=b by=y at=w2
         3 effect k object=o1 intent=b
         4 nothing-sent c2 code=key-reused
         5 ok c1 receipt=o1~d",
    ),
    (
        // Nobody else had come.
        Rule::OneIntent,
        "1 invoke c1 k intent=a by=x at=w1
         2 nothing-sent c1 code=key-reused
         3 invoke c2 k intent=b by=y at=w2
         4 unknown c2 next=again",
    ),
    (
        // Each says that the other has it.
        Rule::OneIntent,
        "1 invoke c1 k intent=a by=x at=w1
         2 invoke c2 k intent=b by=y at=w2
         3 nothing-sent c1 code=key-reused
         4 nothing-sent c2 code=key-reused",
    ),
    (
        // The same, and either may have been taken by a worker that died: but not both.
        Rule::OneIntent,
        "1 invoke c1 k intent=a by=x at=w1
         2 lost c1
         3 invoke c2 k intent=b by=y at=w2
         4 lost c2
         5 invoke c3 k intent=a by=x at=w1
         6 nothing-sent c3 code=key-reused
         7 invoke c4 k intent=b by=y at=w2
         8 nothing-sent c4 code=key-reused",
    ),
    (
        Rule::OneIntent,
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1 intent=a
         3 ok c1 receipt=o1~d
         4 invoke c2 k intent=a by=y at=w2
         5 nothing-sent c2 code=key-reused",
    ),
    (
        Rule::CalledFor,
        "1 effect k object=o1
         2 invoke c1 k intent=a by=x at=w1
         3 ok c1 receipt=o1~d",
    ),
    (Rule::CalledFor, "1 effect - object=o1"),
    (
        // It was turned away before anything was written.
        Rule::CalledFor,
        "1 invoke c1 k intent=a by=x at=w1
         2 nothing-sent c1 code=bad-arguments
         3 effect k object=o1",
    ),
    (
        Rule::NothingForgotten,
        "1 invoke c1 k intent=a by=x at=w1
         2 unknown c1 next=again
         3 rests k as=missing",
    ),
    (
        Rule::NothingForgotten,
        "1 invoke c1 k intent=a by=x at=w1
         2 lost c1
         3 rests k as=stuck",
    ),
    (
        Rule::NothingForgotten,
        "1 invoke c1 k intent=a by=x at=w1
         2 refused c1 code=declined
         3 rests k as=due",
    ),
];

#[test]
fn each_bad_history_breaks_its_rule_and_no_other() {
    for (rule, text) in BAD {
        assert_eq!(broken(text), [*rule], "{text}");
    }
}

#[test]
fn each_rule_has_a_history_that_it_alone_rejects() {
    for rule in Rule::ALL {
        assert!(BAD.iter().any(|(known, _)| *known == rule), "{} rejects nothing", rule.name());
    }
}

#[test]
fn a_violation_says_which_key_and_how() {
    let violations = check(&read(BAD[2].1));
    let said: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["one-effect: k: 2 effects where 1 may be: o1, o2"]);
}
