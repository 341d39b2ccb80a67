use std::path::Path;

use super::*;

fn problem(text: &str) -> String {
    let whole = format!("[ledger]\npath = \"l\"\n[namespace]\nsecret_file = \"s\"\n{text}");
    Config::parse(Path::new("hapax.toml"), &whole).expect_err("a bad file").message
}

#[test]
fn the_sample_is_a_configuration() {
    let config = Config::parse(Path::new("/etc/hapax/hapax.toml"), SAMPLE).expect("the sample");
    assert_eq!(config.ledger.file(), Some(Path::new("/etc/hapax/hapax.ledger")));
    assert_eq!(config.connections.len(), 1);
    assert!(config.is_stand_in_only());
}

#[test]
fn everything_that_the_sample_mentions_is_known() {
    // Lines that are commented out are examples: they must parse, too.
    let examples = SAMPLE.lines().map(|line| {
        let bare = line.strip_prefix("# ").unwrap_or(line);
        let is_example = bare.starts_with('[') || bare.split_once(" = ").is_some_and(|(name, _)| !name.contains(' '));
        if is_example { bare } else { line }
    });
    let text: Vec<&str> =
        examples.filter(|line| !line.starts_with("scale") && !line.starts_with("api_key_file")).collect();
    let text = text.join("\n").replace("[clock]", "");
    // Beside the declaration that it mentions.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/declare/hapax.toml");
    let config = Config::parse(&file, &text).expect("the examples");
    assert!(config.known.is_own("payments"));
    assert_eq!(config.connections.len(), 2);
    assert_eq!(config.policy.approve.len(), 1);
    assert_eq!(config.policy.bounds.looks, 20);
}

#[test]
fn a_problem_names_file_line_and_field_and_what_was_meant() {
    let check = |text, says: &[&str]| {
        let said = problem(text);
        assert!(said.starts_with("nothing was sent: hapax.toml line 6: "), "{said}");
        for part in says {
            assert!(said.contains(part), "{said} should contain {part}");
        }
    };
    check("[policy]\nhold_repeat = true", &["no field `hold_repeat`", "did you mean `hold_repeats`?"]);
    check("[policy]\nhold_repeats = \"maybe\"", &["hold_repeats must be a boolean"]);
    check("[policy]\nlikely = \"always\"", &["likely must be", "never"]);
    check("[connections.a]\nintegration = \"strip\"", &["no integration", "did you mean `stripe`?"]);
}

#[test]
fn fields_of_a_connection_are_checked() {
    let of = |text: &str| problem(&format!("[connections.a]\nintegration = \"stripe\"\n{text}"));
    let slip = of("api_key_fil = \"x\"");
    assert!(slip.contains("line 7") && slip.contains("did you mean `api_key_file`?"), "{slip}");
    let inline = of("api_key = \"sk_live_verysecret\"");
    assert!(inline.contains("line 7") && inline.contains("api_key_env") && !inline.contains("verysecret"), "{inline}");
    let swapped = of("api_key_env = \"sk_live_verysecret\"");
    assert!(swapped.contains("api_key_env") && !swapped.contains("verysecret"), "{swapped}");
    let unknown = of("meets = [\"luck\"]");
    assert!(unknown.contains("no cell of stripe needs"), "{unknown}");
    let scaled = problem("[clock]\nscale = 5\n[connections.a]\nintegration = \"stripe\"");
    assert!(scaled.contains("stand-ins only"), "{scaled}");
}

#[test]
fn a_ledger_is_a_file_or_a_database_and_its_url_holds_no_password() {
    let of = |ledger: &str| Config::parse(Path::new("hapax.toml"), &format!("[ledger]\n{ledger}"));
    let at = of("url = \"postgres://app@db.example/shop\"\nschema = \"hapax_eu\"").expect("a database").ledger;
    assert_eq!(at.to_string(), "postgres://db.example:5432/shop (schema hapax_eu)");
    for (ledger, says) in [
        ("url = \"postgres://app:verysecret@db.example/shop\"", "password_env"),
        ("url_env = \"postgres://app:verysecret@db.example/shop\"", "url_env must be the name"),
        ("url = \"postgres://db/shop\"\npassword_env = \"verysecret\"", "password_env must be the name"),
        ("path = \"l\"\nurl = \"postgres://db/shop\"", "only one of"),
        ("path = \"l\"\nschema = \"x\"", "only path"),
        ("path = \"postgres://app:verysecret@db.example/shop\"", "say it as url"),
        ("schema = \"x\"", "missing field `path` or `url`"),
    ] {
        let said = of(ledger).expect_err(ledger).message;
        assert!(said.contains(says) && !said.contains("verysecret"), "{said}");
    }
}

#[test]
fn a_rule_that_speaks_of_nothing_is_refused() {
    let keep = "[[policy.retention]]\nkeep = \"for ever\"\n";
    for (rule, says) in [
        (format!("{keep}cell = \"stripe.refnd\""), "did you mean `stripe.refund`?"),
        (format!("{keep}cell = \"strip.*\""), "a rule of policy.retention names the cell `strip.*`"),
        (format!("{keep}connection = \"nowhere\""), "names the connection `nowhere`"),
        ("[[policy.approve]]\ncell = \"stripe.refnd\"".to_owned(), "did you mean `stripe.refund`?"),
        ("[[policy.approve]]\ncell = \"strip.*\"".to_owned(), "a rule of policy.approve names the cell `strip.*`"),
    ] {
        let said = problem(&rule);
        assert!(said.starts_with("nothing was sent, and nothing removed: ") && said.contains(says), "{said}");
    }
}

#[test]
fn a_rule_may_speak_of_one_cell_an_integration_or_all() {
    let of = |cell: &str| {
        let text = format!("[ledger]\npath = \"l\"\n[[policy.approve]]\ncell = \"{cell}\"");
        Config::parse(Path::new("hapax.toml"), &text)
    };
    for cell in ["stripe.refund", "stripe.*", "*"] {
        assert!(of(cell).is_ok(), "{cell}");
    }
}
