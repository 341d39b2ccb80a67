//! Short texts from outside: a header that asks for a wait, fingerprints, addresses with a password.

use hapax_core::identity::Fingerprint;
use hapax_core::ledger::OperationId;
use hapax_core::transport::Response;
use hapax_ledger_postgres::Address;

use crate::bytes::{EXECUTIONS, LONGEST, Tape, changed_text};

/// What must hold of a wait that was read from a header: it is no shorter than what is asked, and nothing else is a wait.
fn hold_of_wait(given: &str, read: Option<u64>) {
    let given = given.trim();
    let is_plain = !given.is_empty() && given.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match (read, given.parse::<f64>()) {
        (Some(ms), Ok(seconds)) => {
            assert!(is_plain, "{given:?} is no wait");
            // Beyond 2^53 a float can't tell neighbours apart.
            assert!(seconds > 9e12 || ms as f64 >= seconds * 1000.0 - 0.001, "{given:?} is longer than {ms} ms");
            assert!(seconds > 9e12 || ms as f64 <= seconds * 1000.0 + 1000.0, "{given:?} is much shorter than {ms} ms");
        }
        (Some(ms), Err(_)) => panic!("{ms} ms was read from {given:?}"),
        (None, _) => assert!(given.len() > 19 || !given.bytes().all(|byte| byte.is_ascii_digit()) || given.is_empty()),
    }
}

#[test]
fn a_wait_is_never_shorter_than_asked() {
    let valid = ["0", "30", "2.128", "5.0", "18446744073709551615", "Sat, 28 Nov 2026 16:00:00 GMT"];
    bolero::check!().with_iterations(EXECUTIONS).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let mut tape = Tape::new(bytes);
        let chosen = tape.below(valid.len());
        let given = changed_text(valid[chosen], &mut tape);
        let headers = vec![("retry-after".to_owned(), given.clone())];
        hold_of_wait(&given, Response { status: 429, headers, body: Vec::new() }.retry_after_ms());
    });
}

#[test]
fn a_wait_that_is_cut_short_is_found() {
    for (given, read) in [("2.128", Some(2_000)), ("1e3", Some(1_000_000)), ("30", None), ("soon", Some(0))] {
        assert!(std::panic::catch_unwind(|| hold_of_wait(given, read)).is_err(), "{given}");
    }
}

#[test]
fn an_id_is_written_as_it_was_read() {
    let valid = ["0192f0c1-7a3b-7cc0-8000-00000000002a", "0192f0c17a3b7cc0800000000000002a"];
    bolero::check!().with_iterations(EXECUTIONS).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let mut tape = Tape::new(bytes);
        let chosen = tape.below(valid.len());
        let text = changed_text(valid[chosen], &mut tape);
        if let Ok(id) = text.parse::<OperationId>() {
            assert_eq!(id.to_string().parse::<OperationId>(), Ok(id));
        }
    });
}

#[test]
fn a_fingerprint_is_written_as_it_was_read() {
    let valid = format!("v1:{}", "0f".repeat(32));
    bolero::check!().with_iterations(EXECUTIONS).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let text = changed_text(&valid, &mut Tape::new(bytes));
        if let Ok(print) = Fingerprint::try_from(text.clone()) {
            assert_eq!(print.to_string(), text, "there is one written form");
        }
    });
}

#[test]
fn no_address_tells_its_password() {
    const PASSWORD: &str = "verysecret123";
    let valid = [
        format!("postgres://ada:{PASSWORD}@127.0.0.1:5432/ledger?sslmode=require"),
        format!("host=127.0.0.1 user=ada password={PASSWORD} dbname=ledger connect_timeout=3"),
    ];
    bolero::check!().with_iterations(EXECUTIONS).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let mut tape = Tape::new(bytes);
        let chosen = tape.below(valid.len());
        let text = changed_text(&valid[chosen], &mut tape);
        if let Err(error) = Address::parse(&text.into()) {
            assert!(!format!("{error} {error:?}").contains(PASSWORD), "{error}");
        }
    });
}
