//! Answers of providers: whatever comes, it is not taken for an effect or for the lack of one without reason.

use std::panic::AssertUnwindSafe;

use hapax_core::transport::Response;
use hapax_core::words::{Answer, Finding};
use serde::de::IgnoredAny;
use tokio::runtime::{Builder, Runtime};

use crate::bytes::{EXECUTIONS, LONGEST, Tape, changed};
use crate::recorded::{self, Player, Recording};

const STATUSES: [u16; 16] = [200, 201, 202, 204, 206, 301, 400, 401, 402, 403, 404, 409, 422, 429, 500, 503];

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Waits that headers and rate limits ask for would only cost time: what asks for one is left out.
fn asks_to_wait(response: &Response) -> bool {
    response.status == 429 || response.header("retry-after").is_some()
}

fn changed_answer(valid: &Response, tape: &mut Tape<'_>) -> Response {
    let mut answer = valid.clone();
    if tape.below(3) == 0 {
        answer.status = *tape.pick(&STATUSES);
    }
    if tape.below(4) == 0 && !answer.headers.is_empty() {
        let at = tape.below(answer.headers.len());
        answer.headers[at].1 = String::from_utf8_lossy(&changed(answer.headers[at].1.as_bytes(), tape)).into_owned();
    }
    answer.body = changed(&valid.body, tape);
    answer
}

/// Whether a body may prove something at all. Texts that no cell reads may hold what is no UTF-8: the parser passes over them.
fn can_be_read(answer: &Response) -> bool {
    answer.body.is_empty() || serde_json::from_slice::<IgnoredAny>(&answer.body).is_ok()
}

/// What must hold of what was made of one answer to a shot.
fn hold_of_answer<R: std::fmt::Debug>(cell: &str, heard: &Response, answer: &Answer<R>) {
    let text = String::from_utf8_lossy(&heard.body);
    match answer {
        Answer::Happened(_) => {
            assert!(heard.is_success(), "{cell}: status {} is no success: {text}", heard.status);
            assert!(can_be_read(heard), "{cell}: an effect was read from {text:?}");
        }
        Answer::Refused(..) | Answer::Taken(..) => {
            assert!(can_be_read(heard), "{cell}: {answer:?} was read from {text:?}");
        }
        Answer::NotDone(..) | Answer::Unclear(_) => {}
    }
}

/// What must hold of a look of which one answer was changed.
fn hold_of_look<R: std::fmt::Debug>(cell: &str, heard: &Response, found: &Finding<R>) {
    let proves = !matches!(found, Finding::CannotTell(_) | Finding::NotYet(_));
    if proves {
        assert!(can_be_read(heard), "{cell}: {found:?} from {:?}", String::from_utf8_lossy(&heard.body));
        let is_absence_or_success = heard.is_success() || (400..500).contains(&heard.status);
        assert!(is_absence_or_success, "{cell}: {found:?} from status {}", heard.status);
    }
}

fn recordings(runtime: &Runtime) -> Vec<Recording> {
    let all = runtime.block_on(recorded::all());
    assert!(all.iter().all(|one| !one.attempt.is_empty()));
    all
}

#[test]
fn no_answer_to_a_shot_is_taken_for_more_than_it_says() {
    let runtime = runtime();
    let all = AssertUnwindSafe(recordings(&runtime));
    bolero::check!().with_iterations(EXECUTIONS).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let mut tape = Tape::new(bytes);
        let one = tape.pick(&all);
        let mut answers = one.attempt.clone();
        let last = answers.len() - 1;
        answers[last] = changed_answer(&answers[last], &mut tape);
        if asks_to_wait(&answers[last]) {
            return;
        }
        let heard = answers[last].clone();
        let answer = runtime.block_on(one.attempt(Player::of(answers)));
        hold_of_answer(one.job.cell, &heard, &answer);
        assert!(!one.tells_a_secret(&format!("{answer:?}")), "{} tells a secret", one.job.cell);
    });
}

#[test]
fn no_answer_to_a_look_is_taken_for_more_than_it_says() {
    let runtime = runtime();
    let mut all = AssertUnwindSafe(recordings(&runtime));
    all.retain(|one| !one.find.is_empty());
    assert!(all.len() > 20, "most cells can look");
    bolero::check!().with_iterations(EXECUTIONS).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let mut tape = Tape::new(bytes);
        let one = tape.pick(&all);
        let mut answers = one.find.clone();
        let at = tape.below(answers.len());
        answers[at] = changed_answer(&answers[at], &mut tape);
        if asks_to_wait(&answers[at]) {
            return;
        }
        let heard = answers[at].clone();
        let found = runtime.block_on(one.find(Player::of(answers)));
        assert!(!one.tells_a_secret(&format!("{found:?}")), "{} tells a secret", one.job.cell);
        if let Ok(found) = found {
            hold_of_look(one.job.cell, &heard, &found);
        }
    });
}

#[test]
fn what_takes_an_answer_for_more_is_found() {
    let fails = |check: &(dyn Fn() + std::panic::RefUnwindSafe)| std::panic::catch_unwind(check).is_err();
    let of = |status: u16, body: &str| Response { status, headers: Vec::new(), body: body.into() };
    for heard in [of(200, "{\"id\":"), of(200, "<html>"), of(500, "{}"), of(404, "{}")] {
        assert!(fails(&|| hold_of_answer("toy", &heard, &Answer::Happened(1))), "{heard:?}");
    }
    for heard in [of(200, "{\"data\":["), of(502, "<html>"), of(500, "{}")] {
        assert!(fails(&|| hold_of_look("toy", &heard, &Finding::<u8>::Absent)), "{heard:?}");
        assert!(fails(&|| hold_of_look("toy", &heard, &Finding::Happened(1))), "{heard:?}");
    }
    hold_of_answer("toy", &of(201, "{}"), &Answer::Happened(1));
    hold_of_look("toy", &of(404, "{}"), &Finding::<u8>::Absent);
}
