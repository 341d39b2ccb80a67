//! Histories that can be: calls that overlap, workers that die, people, and ledgers that were put back.

use super::rules::broken;

#[track_caller]
fn holds(text: &str) {
    assert_eq!(broken(text), [], "{text}");
}

#[test]
fn calls_that_overlap_may_see_either_state() {
    // The second began before the first came back, so "unknown" may have been true.
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 invoke c2 k intent=a by=y at=w2
         3 effect k object=o1 intent=a
         4 ok c1 receipt=o1~d
         5 unknown c2 next=again
         6 invoke c3 k intent=a by=y at=w2
         7 ok c3 receipt=o1~d
         8 rests k as=final",
    );
    // It began at the very moment at which the other came back.
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 ok c1 receipt=o1~d
         3 invoke c2 k intent=a by=y at=w2
         4 unknown c2 next=again",
    );
}

#[test]
fn an_effect_and_the_answer_about_it_may_have_one_moment() {
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         2 ok c1 receipt=o1~d",
    );
}

#[test]
fn a_worker_that_dies_may_have_done_anything_or_nothing() {
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 killed w1
         3 lost c1
         9 rests k as=missing",
    );
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 killed w1
         3 lost c1
         4 effect k object=o1
         5 rests k as=due",
    );
}

#[test]
fn an_error_of_the_ledger_may_have_begun_it() {
    // Its commit went through, and the answer was lost: another worker takes it up.
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 nothing-sent c1 code=ledger
         3 effect k object=o1
         4 invoke c2 k intent=a by=x at=w2
         5 ok c2 receipt=o1~d",
    );
}

#[test]
fn of_two_intents_one_has_the_key() {
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 invoke c2 k intent=b by=y at=w2
         3 effect k object=o1 intent=b
         4 nothing-sent c1 code=key-reused
         5 ok c2 receipt=o1~d
         6 invoke c3 k intent=a by=x at=w1
         7 nothing-sent c3 code=key-reused",
    );
    // The one that has it is dead, and nobody heard of it.
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 lost c1
         3 invoke c2 k intent=b by=y at=w2
         4 nothing-sent c2 code=key-reused",
    );
    // It was only about to begin when its caller went, and another one was faster.
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 unknown c1 next=unwritten
         3 invoke c2 k intent=b by=y at=w2
         4 effect k object=o1 intent=b
         5 ok c2 receipt=o1~d
         6 invoke c3 k intent=a by=x at=w1
         7 nothing-sent c3 code=key-reused
         8 rests k as=final",
    );
}

#[test]
fn a_person_who_wants_one_more_gets_it() {
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 unknown c1 next=person
         4 decide c2 k says=send-again by=dana at=w1
         5 effect k object=o2
         6 ok c2 receipt=o2~d
         7 rests k as=final",
    );
    // The worker died, and the decision may have been taken.
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 decide c2 k says=send-again by=dana at=w1
         4 lost c2
         5 effect k object=o2",
    );
}

#[test]
fn what_a_person_says_ends_it() {
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 effect k object=o1
         3 unknown c1 next=person
         4 decide c2 k says=happened:o1 by=dana at=w1
         5 ok c2 receipt=o1~d
         6 invoke c3 k intent=a by=x at=w1
         7 ok c3 receipt=o1~d",
    );
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 unknown c1 next=person
         3 decide c2 k says=did-not-happen by=dana at=w1
         4 refused c2 code=by-a-person
         5 rests k as=final",
    );
}

#[test]
fn what_was_said_after_a_backup_may_be_forgotten_with_it() {
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         3 effect k object=o1
         4 ok c1 receipt=o1~d
         6 restored ledger as-of=2
         7 invoke c2 k intent=a by=x at=w1
         8 unknown c2 next=again
         9 invoke c3 k intent=a by=x at=w1
        10 ok c3 receipt=o1~found",
    );
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         4 refused c1 code=declined
         6 restored ledger as-of=2
         7 invoke c2 k intent=b by=y at=w1
         8 effect k object=o1 intent=b
         9 ok c2 receipt=o1~d",
    );
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 unknown c1 next=again
         3 restored ledger as-of=0
         4 rests k as=missing",
    );
}

#[test]
fn keys_know_nothing_of_each_other() {
    holds(
        "1 invoke c1 k intent=a by=x at=w1
         2 invoke c2 l intent=a by=y at=w2
         3 effect k object=o1
         4 effect l object=o2
         5 ok c1 receipt=o1~d
         6 unknown c2 next=again
         7 invoke c3 l intent=a by=y at=w2
         8 ok c3 receipt=o2~d",
    );
}
