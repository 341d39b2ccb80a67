//! Histories of real runs that taught something. Each file says in its first line what a checker must say of it.

use std::path::Path;

use hapax_histories::check::check;
use hapax_histories::history::History;

#[test]
fn kept_histories_are_judged_as_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept");
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("the folder").map(|file| file.expect("a file").path()) {
        let text = std::fs::read_to_string(&file).expect("a text");
        let history: History = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let expected = history.remarks.first().and_then(|remark| remark.strip_prefix("expected: "));
        let expected = expected.unwrap_or_else(|| panic!("{}: its first line says nothing", file.display()));
        let mut rules: Vec<&str> = check(&history).iter().map(|violation| violation.rule.name()).collect();
        rules.dedup();
        let said = if rules.is_empty() { "holds".to_owned() } else { rules.join(", ") };
        assert_eq!(said, expected, "{}", file.display());
        count += 1;
    }
    assert!(count > 0, "no history is kept");
}
