//! The thread that writes and its callers, in orders that a seed decides: the real code, above something that counts
//! instead of a file. Which bugs this finds is shown by planting them there.

mod paper;
mod play;

use hapax_schedules::{explore, finds};

use paper::Plant;
use play::{Play, lonely, one_flush_for_all_that_wait};

#[test]
fn each_caller_gets_the_answer_of_its_own_append_after_its_flush() {
    explore("sqlite: callers", || Play { callers: 5, ..Play::default() }.run());
}

#[test]
fn a_caller_who_goes_away_takes_nobody_along() {
    explore("sqlite: callers who leave", || Play { callers: 5, leaving: true, ..Play::default() }.run());
}

#[test]
fn a_batch_that_fails_is_answered_whole_and_an_append_that_fails_alone() {
    explore("sqlite: failing batches", || Play { callers: 5, leaving: true, failing: true, ..Play::default() }.run());
}

#[test]
fn nobody_waits_for_a_thread_that_panicked() {
    explore("sqlite: a panic", || Play { callers: 5, leaving: true, panicking: true, ..Play::default() }.run());
}

#[test]
fn what_was_handed_over_is_answered_when_the_last_sender_goes() {
    explore("sqlite: senders that go", || Play { callers: 4, apart: 2, hangs_up: true, ..Play::default() }.run());
}

#[test]
fn nobody_waits_for_company_and_all_that_wait_share_a_flush() {
    explore("sqlite: a lonely caller", lonely);
    explore("sqlite: a shared flush", one_flush_for_all_that_wait);
}

#[test]
fn planted_bugs_are_found() {
    let play = |plant: Plant| {
        let failing = plant == Plant::KeepsWhatFailed;
        move || Play { callers: 4, leaving: true, apart: 1, failing, plant, ..Play::default() }.run()
    };
    for (plant, says) in [
        (Plant::AnswersBeforeFlush, "before the flush"),
        (Plant::SwapsAnswers, "somebody else's answer"),
        (Plant::FailsForOneWhoLeft, "though nothing failed"),
        (Plant::ForgetsOneAtTheFlush, "before the flush"),
        (Plant::LosesAWakeUp, "deadlock"),
        (Plant::KeepsWhatFailed, "flushed"),
    ] {
        let words = finds(&format!("sqlite: {plant:?}"), play(plant));
        assert!(words.contains(says), "{plant:?} was found as something else: {words}");
    }
}
