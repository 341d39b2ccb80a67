use crate::{PAYMENTS, PROFILES, TICKETS};

/// The problem of a declaration in which `old` is replaced; the line is that of `at`.
fn refused(text: &str, old: &str, new: &str, says: &str, at: &str) {
    assert!(text.contains(old), "{old}");
    let text = text.replacen(old, new, 1);
    let problem = match hapax_http::Declared::read("mine.toml", &text) {
        Err(problem) => problem.to_string(),
        Ok(_) => panic!("{new} was taken"),
    };
    let line = text.lines().position(|line| line.contains(at)).map(|place| place + 1).expect("the line");
    assert!(problem.starts_with(&format!("nothing was sent: mine.toml, line {line}: ")), "{line}: {problem}");
    assert!(problem.contains(says), "{problem}");
}

#[test]
fn a_field_that_does_not_exist_is_named_with_its_line() {
    refused(PAYMENTS, "life = \"24 h\"", "live = \"24 h\"", "unknown field `live`", "live = ");
    refused(PAYMENTS, "life = \"24 h\"", "life = \"a day\"", "a time such as `24 h`", "life = \"a day\"");
    refused(PAYMENTS, "\"one-wins\"", "\"both\"", "expected `one-wins` or `both-may-pass`", "twins = ");
    refused(PAYMENTS, "form = \"uuid\"", "form = \"text:3\"", "text:N (8 to 50)", "form = ");
}

#[test]
fn a_guard_that_the_request_does_not_carry_is_no_guard() {
    let header = "headers = { Idempotency-Key = \"{{ key }}\" }";
    refused(
        PAYMENTS,
        header,
        "",
        "the request doesn't carry it: write {{ key }} where Idempotency-Key goes",
        "[cells.pay.key]",
    );
    refused(TICKETS, "[\"agent\", \"{{ mark }}\"]", "[\"agent\"]", "which the request doesn't carry", "ours = {");
}

#[test]
fn templates_name_what_there_is_and_paths_stay_below_the_base_url() {
    refused(PAYMENTS, "\"{{ memo }}\"", "\"{{ nemo }}\"", "`nemo`, which is no argument", "{{ nemo }}");
    refused(PAYMENTS, "\"{{ memo }}\"", "\"{{ memo \"", "`{{ memo ` is no template", "{{ memo ");
    for path in ["https://evil.example/v1", "//evil.example/v1", "v1/payments", "/v1/payments?x=1"] {
        refused(PAYMENTS, "path = \"/v1/payments\"", &format!("path = \"{path}\""), "a path begins with one `/`", path);
    }
    refused(PAYMENTS, "{{ token }}", "{{ tokem }}", "there is no credential `tokem`", "value = ");
    refused(PAYMENTS, "method = \"POST\"", "method = \"GET\"", "POST, PUT, PATCH or DELETE", "method = ");
}

#[test]
fn secrets_stand_in_no_declaration() {
    refused(PAYMENTS, "\"PAYMENTS_TOKEN\"", "\"sk-live 1\"", "not a secret", "variable = ");
    refused(PAYMENTS, "https://payments", "https://me:secret@payments", "holds a name or a password", "base_url = ");
}

#[test]
fn paths_into_answers_are_paths() {
    refused(PAYMENTS, "id = \"$.id\"", "id = \"id\"", "no JSONPath", "id = \"id\"");
    refused(PAYMENTS, "absence = \"suggests\"", "absence = \"surely\"", "expected one of", "absence = ");
    refused(PAYMENTS, "read = \"2026-11-28\"", "read = \"yesterday\"", "YYYY-MM-DD", "source = ");
}

#[test]
fn a_slip_in_a_look_would_take_everybodys_records_for_ours() {
    let ours = "ours = { \"$.reference\" = \"{{ mark }}\" }";
    let says = "`$.reference` names `marc`, which is no argument";
    refused(PAYMENTS, ours, "ours = { \"$.reference\" = \"{{ marc }}\" }", says, "ours = ");
    let says = "`$.memo` goes by `id`, which the request doesn't carry";
    refused(PAYMENTS, ours, "ours = { \"$.memo\" = \"{{ id }}\" }", says, "ours = ");
    // What may be absent, or is always the same, tells nothing apart.
    let says = "`ours` must say what a record holds that makes it ours";
    for loose in ["ours = { \"$.memo\" = \"{{ memo }}\" }", "ours = { \"$.status\" = \"paid\" }", "ours = {}"] {
        refused(PAYMENTS, ours, loose, says, "[cells.pay.look]");
    }
    refused(
        PAYMENTS,
        "query = { reference = \"{{ mark }}\" }",
        "query = { reference = \"{{ marc }}\" }",
        "`marc`",
        "query = ",
    );
    refused(PAYMENTS, "hits = \"$.data[*]\"", "hits = \"$..data\"", "ends in `[*]`", "hits = ");
    refused(PAYMENTS, "\"$.amount\" = \"{{ amount }}\"", "\"$.amount\" = \"{{ amont }}\"", "`amont`", "echo = ");
}

#[test]
fn names_of_arguments_leave_hapaxs_own_alone() {
    let says = "`id` is hapax's own name in templates";
    refused(
        TICKETS,
        "queue = { type",
        "id = { type = \"string\" }, queue = { type",
        says,
        "[cells.open_ticket.arguments]",
    );
    let says = "the request names `key`, and there is no [key]";
    refused(TICKETS, "title = \"{{ title }}\"", "title = \"{{ key }}\"", says, "path = \"/queues/");
    refused(
        PAYMENTS,
        "/v1/payments/{{ id }}",
        "/v1/payments/{{ supplier }}",
        "names its `{{ id }}`",
        "/v1/payments/{{",
    );
}

#[test]
fn money_that_a_policy_could_not_read_is_refused() {
    let says = "money: `amonut` must be a required argument";
    refused(PAYMENTS, "amount = \"amount\"", "amount = \"amonut\"", says, "money = ");
    let says = "money: `amount` must be a required argument, an integer";
    refused(PAYMENTS, "amount = { type = \"integer\", minimum = 1", "amount = { type = \"number\"", says, "money = ");
    refused(PAYMENTS, "[\"amount\", \"currency\"", "[\"amount\"", "money: `currency` must be a required", "money = ");
    refused(
        PAYMENTS,
        "stakes = \"high\"",
        "volatile = [\"mmeo\"]",
        "volatile: there is no argument `mmeo`",
        "volatile = ",
    );
}

#[test]
fn a_success_without_a_body_has_no_receipt() {
    refused(TICKETS, "stakes = \"low\"", "empty_success = 204", "has no receipt to read", "empty_success = ");
    refused(TICKETS, "stakes = \"low\"", "empty_success = 404", "no receipt to read", "empty_success = ");
}

#[test]
fn a_profile_says_what_it_lacks() {
    let at = "profile = \"client-id\"";
    refused(PROFILES, "[cells.ship.record]\npath = \"/shipments/{{ id }}\"\n", "", "add [record] with its path", at);
    let echo = "echo = { \"$.customer\" = \"{{ customer }}\", \"$.address\" = \"{{ address }}\" }\n";
    refused(PROFILES, echo, "", "say in receipt.echo what it holds", "profile = \"upsert\"");
    refused(PROFILES, at, "profile = \"client\"", "unknown variant `client`", "profile = \"client\"");
    refused(PAYMENTS, "field = \"Idempotency-Key\"\n", "", "add `field`", "[cells.pay.key]");
}

#[test]
fn an_example_that_is_no_intent_would_prove_nothing() {
    let intent = "intent = { amount = 1050, ";
    refused(
        PAYMENTS,
        intent,
        "intent = { amount = \"1050\", ",
        "example.intent doesn't fit the arguments: amount",
        intent.split(' ').next().expect("it"),
    );
    refused(PAYMENTS, intent, "intent = { ", "\"amount\" is a required property", "intent = ");
    refused(PAYMENTS, "other = { amount = 9900 }", "other = { amount = 0 }", "example.other doesn't fit", "other = ");
    refused(PAYMENTS, "{ amount = 100000000 }", "{ sum = 1 }", "example.refused doesn't fit", "refused = ");
}

#[test]
fn where_a_person_looks_names_what_there_is() {
    let at = "person = ";
    refused(PAYMENTS, "q={mark}", "q={marc}", "person names {marc}, which is neither an argument nor `mark`", at);
    refused(PAYMENTS, "q={mark}", "q={{ mark }}", "person takes single braces", at);
}

#[test]
fn a_time_to_settle_is_a_text_or_has_its_source() {
    let with = |settle: &str| PAYMENTS.replace("stakes = \"high\"", &format!("stakes = \"high\"\n{settle}"));
    for settle in ["settle = \"30 s\"", "settle = { time = \"30 s\" }"] {
        let read = hapax_http::Declared::read("mine.toml", &with(settle)).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(read.integration().cells()[0].spec().settle.as_secs(), 30, "{settle}");
    }
    refused(&with("settle = 30"), "settle = 30", "settle = 31", "a time such as `30 s`", "settle = ");
    refused(&with("settle = 30"), "settle = 30", "settle = \"soon\"", "`soon` is no time such as `30 s`", "settle = ");
}

#[test]
fn what_is_absent_is_said_at_its_cell_and_what_is_not_sent_where_it_stands() {
    let text = PAYMENTS.replace("memo = \"{{ memo }}\"\n", "");
    let declared = hapax_http::Declared::read("mine.toml", &text).unwrap_or_else(|problem| panic!("{problem}"));
    let line = |what: &str| {
        let found = declared.advice().into_iter().find(|advice| advice.what.contains(what));
        text.lines().nth(found.expect("it is said").line - 1).expect("a line").to_owned()
    };
    assert_eq!(line("settle isn't stated"), "[cells.pay]");
    assert!(line("`memo` is an argument that the request doesn't carry").starts_with("memo = "));
}
