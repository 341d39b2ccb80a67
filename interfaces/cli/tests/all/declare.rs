//! Cells of one's own, as the guide `docs/declare/README.md` tells it.

use serde_json::json;

use crate::support::{Ended, StandIn, hapax};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/declare");

/// A folder as the guide leaves it, with the made provider running.
struct Desk {
    folder: tempfile::TempDir,
    payments: StandIn,
}

impl Desk {
    fn open() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("payments.toml");
        std::fs::copy(format!("{FOLDER}/payments.toml"), &file).expect("copied");
        let payments = StandIn::serve(&["--declaration", file.to_str().expect("UTF-8")]);
        assert_eq!(payments.greeting["integration"], "payments");
        assert_eq!(Ended::of(hapax().arg("init").arg(folder.path())).exit, 0);
        let desk = Self { folder, payments };
        let connection = format!(
            "[connections.payments]\nintegration = \"payments\"\nbase_url = \"{}\"\nstand_in = true\n",
            desk.payments.url
        );
        let ledger = "[ledger]\npath = \"hapax.ledger\"\n[namespace]\nsecret_file = \"hapax.secret\"\n";
        desk.write(
            "hapax.toml",
            &format!("declarations = [\"payments.toml\"]\n{ledger}[clock]\nscale = 50\n{connection}"),
        );
        desk
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).expect("written");
    }

    fn hapax(&self, args: &[&str]) -> Ended {
        Ended::of(hapax().current_dir(self.folder.path()).args(args))
    }
}

fn payment() -> String {
    json!({ "amount": 1050, "currency": "EUR", "supplier": "acme" }).to_string()
}

#[test]
fn a_declared_cell_runs_once_and_stands_in_the_matrix_as_ones_own() {
    let desk = Desk::open();
    let args = payment();
    let pay = ["--json", "run", "payments.pay", "--key", "invoice:17", "--args", &args, "--wait", "600"];
    let (first, again) = (desk.hapax(&pay).json(), desk.hapax(&pay).json());
    assert_eq!((&first["outcome"], &first["receipt"]), (&json!("succeeded"), &again["receipt"]));
    assert_eq!(desk.payments.count("pay"), 1);

    let plan = desk.hapax(&["plan", "payments.pay", "--key", "invoice:18", "--args", &args]);
    assert!(plan.out.contains("prevents a second effect for at least 1 day"), "{}{}", plan.out, plan.err);
    let matrix = desk.hapax(&["--json", "matrix"]).json();
    let rows = matrix["cells"].as_array().expect("rows");
    let own: Vec<_> = rows.iter().filter(|row| row["own"] == true).map(|row| &row["cell"]).collect();
    assert_eq!(own, ["payments.pay"]);
    let explained = desk.hapax(&["explain", "payments.pay"]);
    assert!(explained.out.contains("a key of ours in Idempotency-Key"), "{}", explained.out);
    assert_eq!(desk.hapax(&["doctor"]).exit, 0);
}

#[test]
fn an_answer_that_is_lost_is_found_and_a_wrong_argument_sends_nothing() {
    let desk = Desk::open();
    desk.payments.inject(&json!({ "method": "POST", "path": "/v1/payments", "kind": "error_after", "status": 503 }));
    let args = payment();
    let ended = desk.hapax(&["run", "payments.pay", "--key", "invoice:19", "--args", &args, "--wait", "600"]);
    assert_eq!((ended.exit, desk.payments.count("pay")), (0, 1), "{}{}", ended.out, ended.err);

    let wrong = args.replace("1050", "0");
    let ended = desk.hapax(&["run", "payments.pay", "--key", "invoice:20", "--args", &wrong]);
    ended.failed(2, "nothing was sent", &["amount"]);
    let unknown = desk.hapax(&["run", "payments.pya", "--key", "k", "--args", "{}"]);
    unknown.failed(2, "nothing was sent", &["did you mean `payments.pay`?"]);
}

#[test]
fn check_says_what_is_promised_and_what_is_left_out() {
    let desk = Desk::open();
    let checked = desk.hapax(&["cell", "check", "payments.toml"]);
    assert_eq!(checked.exit, 0, "{}", checked.err);
    assert!(checked.out.contains("prevents a second effect for at least 1 day"), "{}", checked.out);
    let text = std::fs::read_to_string(desk.folder.path().join("payments.toml")).expect("the declaration");
    let lifeless = text.replace("life = \"24 h\"\n", "");
    desk.write("lifeless.toml", &lifeless);
    let answer = desk.hapax(&["--json", "cell", "check", "lifeless.toml"]).json();
    let advice = answer["cells"][0]["advice"].as_array().expect("advice");
    let line = lifeless.lines().position(|line| line == "[cells.pay.key]").expect("the key") as u64 + 1;
    let of_the_key = advice.iter().find(|one| one["line"] == line).expect("advice about the key");
    assert!(of_the_key["what"].as_str().is_some_and(|what| what.contains("add `life`")), "{of_the_key}");
    assert_eq!(answer["cells"][0]["guarantee"]["completion"], "automatic-if-found");
}

#[test]
fn a_mistake_names_its_line_wherever_the_file_is_named() {
    let desk = Desk::open();
    let text = std::fs::read_to_string(desk.folder.path().join("payments.toml")).expect("the declaration");
    desk.write("payments.toml", &text.replace("twins = ", "twin = "));
    let line = text.lines().position(|line| line.starts_with("twins")).expect("the line") + 1;
    let says = format!("line {line}: unknown field `twin`");
    desk.hapax(&["cell", "check", "payments.toml"]).failed(2, "nothing was sent: payments.toml", &[&says]);
    desk.hapax(&["ls"]).failed(2, "nothing was sent: payments.toml", &[&says]);
    desk.write("payments.toml", &text.replace("name = \"payments\"", "name = \"stripe\""));
    desk.hapax(&["ls"]).failed(2, "nothing was sent", &["stripe, which the catalog has too"]);
    desk.write("hapax.toml", "declarations = [\"nowhere.toml\"]\n[ledger]\npath = \"hapax.ledger\"\n");
    desk.hapax(&["ls"]).failed(2, "nothing was sent: nowhere.toml can't be read", &[]);
}

#[test]
fn prove_plays_the_kit_and_says_what_it_left_out() {
    let relay = format!("{FOLDER}/relay.toml");
    let prove = |fault| Ended::of(hapax().args(["--json", "cell", "prove", &relay, "--fault", fault]));
    let proven = prove("answer-lost");
    assert_eq!(proven.exit, 0, "{}{}", proven.out, proven.err);
    let answer = proven.json();
    let cell = &answer["cells"][0];
    assert_eq!((&answer["holds"], &cell["cell"]), (&json!(true), &json!("relay.send")));
    assert_eq!((&cell["faults"], &cell["runs"], &answer["seeds"]), (&json!(1), &json!(2), &json!([1, 2])), "{cell}");
    let left_out = prove("foreign-object").json();
    let skipped = left_out["cells"][0]["skipped"].as_array().expect("faults that were left out");
    assert!(skipped.iter().any(|one| one["fault"] == "foreign-object"), "{skipped:?}");
    let unknown = Ended::of(hapax().args(["cell", "prove", &relay, "--fault", "answer-lots"]));
    unknown.failed(2, "nothing was played", &["did you mean `answer-lost`?"]);
}

#[test]
fn prove_holds_a_file_against_a_server_and_names_the_line_of_each_lie() {
    let desk = Desk::open();
    let text = std::fs::read_to_string(desk.folder.path().join("payments.toml")).expect("the declaration");
    // The made provider's list would lag half a minute; here it is told not to.
    let lying = text.replace("lag = \"30 s\"", "lag = \"200 ms\"");
    desk.write("lying.toml", &lying);
    let at = |file: &str, url: &str| {
        let mut command = hapax();
        command.current_dir(desk.folder.path()).env("PAYMENTS_TOKEN", "sk_hidden").args(["cell", "prove", file]);
        Ended::of(command.args(["--base-url", url]))
    };
    desk.payments.inject(&json!({ "method": "POST", "path": "/v1/payments", "kind": "key_ignored", "times": 0 }));
    desk.payments
        .inject(&json!({ "method": "GET", "path": "/v1/payments", "kind": "list_lags", "by_ms": 0, "times": 0 }));
    let ended = at("lying.toml", &desk.payments.url);
    let line = lying.lines().position(|line| line.starts_with("repeat = ")).expect("the line") + 1;
    let says = format!("lying.toml, line {line}: a second request with the same Idempotency-Key made another: pay_");
    assert_eq!(ended.exit, 2, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains(&says), "{}", ended.out);
    assert!(!format!("{}{}", ended.out, ended.err).contains("sk_hidden"));

    at("lying.toml", "https://payments.example.com").failed(2, "nothing was sent", &["say --harmless"]);
    let secret = at("lying.toml", "http://me:pw_hidden@127.0.0.1:1");
    secret.failed(2, "nothing was sent", &["holds a name or a password"]);
    assert!(!secret.err.contains("pw_hidden"), "{}", secret.err);
    at("lying.toml", "127.0.0.1:4301").failed(2, "nothing was sent", &["begins with http://"]);
    at("lying.toml", "http://127.0.0.1:1").failed(2, "nothing was sent", &["nobody listens at 127.0.0.1:1"]);
    let bare = desk.hapax(&["cell", "prove", "lying.toml", "--base-url", &desk.payments.url]);
    bare.failed(2, "nothing was sent", &["PAYMENTS_TOKEN"]);
}
