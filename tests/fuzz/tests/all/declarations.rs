//! Declared cells and policies: a file is read to its end, or a problem names its place.

use hapax_core::policy::Policy;
use hapax_http::Declared;

use crate::bytes::{EXECUTIONS, LONGEST, Tape, changed_text};

const FILES: [&str; 3] = [
    include_str!("../../../../docs/declare/relay.toml"),
    include_str!("../../../../docs/declare/tickets.toml"),
    include_str!("../../../../docs/declare/payments.toml"),
];

/// Reading one takes a hundred times as long as a row.
const READS: usize = EXECUTIONS / 10;

#[test]
fn a_declaration_is_read_or_refused_with_its_place() {
    for file in FILES {
        Declared::read("valid.toml", file).expect("the guide's files can be read");
    }
    bolero::check!().with_iterations(READS).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let mut tape = Tape::new(bytes);
        let valid = *tape.pick(&FILES);
        let text = changed_text(valid, &mut tape);
        match (Declared::read("fuzzed.toml", &text), Declared::read("fuzzed.toml", &text)) {
            (Err(one), Err(other)) => {
                let said = one.to_string();
                assert_eq!(said, other.to_string(), "the same text has the same problem");
                assert!(said.contains("fuzzed.toml"), "a problem names its file: {said}");
            }
            (Ok(declared), Ok(_)) => {
                drop(declared.advice());
                let spelled = |declared: &Declared| -> Vec<String> {
                    let cells = declared.integration().cells();
                    cells.iter().map(|cell| format!("{:?}", cell.spec().published())).collect()
                };
                let again = Declared::read("fuzzed.toml", &text).expect("it was read before");
                assert_eq!(spelled(&declared), spelled(&again), "the same text promises the same");
            }
            _ => panic!("one text was read and refused: {text}"),
        }
    });
}

#[test]
fn a_policy_is_read_or_refused() {
    let valid = toml::to_string(&Policy::default()).expect("a policy is TOML");
    bolero::check!().with_iterations(EXECUTIONS / 2).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let text = changed_text(&valid, &mut Tape::new(bytes));
        if let Ok(policy) = toml::from_str::<Policy>(&text) {
            let again = toml::to_string(&policy).expect("what was read can be written");
            assert_eq!(toml::from_str::<Policy>(&again).as_ref(), Ok(&policy), "{text}");
        }
    });
}
