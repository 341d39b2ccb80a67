//! A configuration is read or refused, whatever stands in it; a refusal says first that nothing was sent, and holds nothing
//! that may be a secret. `docs/internals/fuzzing.md` has the other targets.

use std::collections::HashSet;
use std::panic::catch_unwind;
use std::path::Path;

use super::*;
use crate::bytes::{EXECUTIONS, LONGEST, Tape, changed_text};

/// It stands where people have put secrets.
const SECRET: &str = "canary__Jx7verysecret9Qz";

/// A namespace secret in the file itself.
const HEXADECIMAL: &str = "3f6b1c9e3f6b1c9e3f6b1c9e3f6b1c9e3f6b1c9e3f6b1c9e3f6b1c9e3f6b1c9e";

const LEDGERS: [&str; 9] = [
    "path = \"hapax.ledger\"",
    "path = \"hapax.ledger\"\nkey_env = \"SECRET\"",
    "path = \"hapax.ledger\"\nkey_file = \"SECRET\"",
    "path = \"hapax.ledger\"\nkey_file = \"HEXADECIMAL\"",
    "url = \"postgres://app@db.example:5432/shop\"\nschema = \"eu\"\npassword_env = \"HAPAX_NO_SUCH_PASSWORD\"",
    "url = \"postgres://app:SECRET@db.example/shop?sslmode=require\"",
    "url_env = \"postgres://app:SECRET@db.example/shop\"",
    "url = \"postgres://app@db.example/shop\"\npassword_env = \"SECRET\"",
    "url = \"postgres://app@db.example/shop\"\npassword_file = \"SECRET\"\nca_file = \"SECRET\"",
];

const NAMESPACES: [&str; 3] = ["secret_file = \"hapax.secret\"", "secret_file = \"HEXADECIMAL\"", ""];

const CONNECTIONS: [&str; 7] = [
    "api_key_env = \"STRIPE_API_KEY\"\nbase_url = \"http://127.0.0.1:4242\"\nstand_in = true\nmeets = []",
    "api_key = \"SECRET\"",
    "api_key_env = \"SECRET\"",
    "api_key_file = \"SECRET\"",
    "token = \"SECRET\"",
    "api_key = { env = \"SECRET\" }",
    "stand_in = \"SECRET\"",
];

const POLICIES: [&str; 4] = [
    "hold_repeats = false\nlikely = \"never\"\n[policy.bounds]\nattempts = 3\n[[policy.retention]]\ncell = \"gmail.*\"\nkeep = \"90d\"",
    "[policy.require]\nsecond_effect = \"proved\"\n[[policy.approve]]\ncell = \"stripe.refund\"\nabove = { amount = 10000, currency = \"EUR\" }",
    "likely = \"SECRET\"\nhold_repeats = \"SECRET\"",
    "[[policy.retention]]\nkeep = \"some time\"",
];

/// Each is read twice, in a millisecond.
const FILES: usize = EXECUTIONS / 10;

/// How a file is read; another one stands for a reader with a bug.
type Read = fn(&str) -> Result<String, String>;

/// Everything that is said of a file when it is read, and when its database and its keys are looked for.
fn sound(text: &str) -> Result<String, String> {
    let config = Config::parse(Path::new("hapax.toml"), text).map_err(|failure| failure.message)?;
    config.ledger_keys().map_err(|failure| failure.message)?;
    let shown = config.ledger.to_string();
    match &config.ledger {
        LedgerPlace::Postgres(at) => at.address().map(|_| shown).map_err(|failure| failure.message),
        LedgerPlace::File(_) => Ok(String::new()),
    }
}

fn written(tape: &mut Tape<'_>) -> String {
    let (ledger, namespace) = (tape.pick(&LEDGERS), tape.pick(&NAMESPACES));
    let (connection, policy) = (tape.pick(&CONNECTIONS), tape.pick(&POLICIES));
    let text = format!(
        "[ledger]\n{ledger}\n[namespace]\n{namespace}\n[policy]\n{policy}\n[connections.a]\nintegration = \"stripe\"\n{connection}\n"
    );
    text.replace("SECRET", SECRET).replace("HEXADECIMAL", HEXADECIMAL)
}

/// Whether so much of a secret is there that the rest could be guessed.
fn tells_a_secret(said: &str) -> bool {
    let windows = |text: &str| -> HashSet<[u8; 10]> {
        text.as_bytes().windows(10).filter_map(|part| part.try_into().ok()).collect()
    };
    let there = windows(said);
    let part = |secret: &str| windows(secret).iter().any(|part| there.contains(part));
    part(&SECRET[8..]) || part(HEXADECIMAL)
}

/// Whether what was changed still has its secrets in the fields in which they were. Known and let pass: a name (of a field, an
/// integration, a need, a connection, a cell) is repeated whatever it is, with the nearest one that there is.
fn has_secrets_in_place(changed: &str, text: &str) -> bool {
    let is_one = |line: &&str| tells_a_secret(line);
    let fields: Vec<&str> = text.lines().filter(is_one).filter_map(|line| line.split('"').next()).collect();
    changed.lines().filter(is_one).all(|line| fields.iter().any(|field| line.starts_with(field)))
}

fn hold(text: &str, read: Read) {
    let said = match read(text) {
        Ok(shown) => shown,
        Err(message) => {
            assert!(message.starts_with("nothing was sent"), "{message}");
            message
        }
    };
    assert!(!tells_a_secret(&said), "{said}\nwas said of\n{text}");
}

#[test]
fn a_configuration_is_read_or_refused_without_telling_a_secret() {
    bolero::check!().with_iterations(FILES).with_max_len(LONGEST).for_each(|bytes: &[u8]| {
        let mut tape = Tape::new(bytes);
        let text = written(&mut tape);
        hold(&text, sound);
        let changed = changed_text(&text, &mut tape);
        if has_secrets_in_place(&changed, &text) {
            hold(&changed, sound);
        }
    });
}

/// A reader that shows the line, one that shows the value, and one that says first what is wrong.
#[test]
fn a_reader_that_tells_a_secret_is_found() {
    fn shows_the_line(text: &str) -> Result<String, String> {
        toml::from_str::<toml::Table>(text).map(|_| String::new()).map_err(|error| format!("nothing was sent: {error}"))
    }
    fn shows_the_value(text: &str) -> Result<String, String> {
        Err(format!("nothing was sent: api_key must not be {}", text.split('"').nth(1).unwrap_or_default()))
    }
    fn says_first_what_is_wrong(text: &str) -> Result<String, String> {
        sound(text).map_err(|message| message.replacen("nothing was sent: ", "", 1))
    }
    let inline = format!("api_key = \"{SECRET}\"");
    for (name, reader, text) in [
        ("the line", shows_the_line as Read, format!("{inline} x")),
        ("the value", shows_the_value, inline.clone()),
        ("what is wrong", says_first_what_is_wrong, inline),
    ] {
        assert!(catch_unwind(|| hold(&text, reader)).is_err(), "{name} was not found");
    }
}
