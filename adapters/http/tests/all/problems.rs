use crate::{PAYMENTS, TICKETS};

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
    refused(
        TICKETS,
        "[\"agent\", \"{{ mark }}\"]",
        "[\"agent\"]",
        "which the request doesn't carry",
        "[cells.open_ticket.look]",
    );
}

#[test]
fn templates_name_what_there_is_and_paths_stay_below_the_base_url() {
    refused(PAYMENTS, "\"{{ memo }}\"", "\"{{ nemo }}\"", "`nemo`, which is no argument", "path = \"/v1/payments\"");
    refused(PAYMENTS, "\"{{ memo }}\"", "\"{{ memo \"", "`{{ memo ` is no template", "[cells.pay.request.json]");
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
