use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every run is a test somewhere, or is listed in OPEN.md with what will bring it, never both.
#[test]
fn every_run_is_a_test_or_is_open() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["tests", "core", "adapters"] {
        collect(&root.join(folder), &mut files);
    }
    let tested: BTreeSet<String> = files
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .flat_map(|text| text.split("fn ").skip(1).filter_map(number).collect::<Vec<_>>())
        .collect();
    let open = std::fs::read_to_string(root.join("tests/cases/OPEN.md")).expect("OPEN.md");
    let open: BTreeSet<String> = open
        .lines()
        .filter_map(|line| line.strip_prefix("- "))
        .filter_map(|line| number(&line.to_lowercase()))
        .collect();
    let all = (1..=36).map(|run| format!("a{run:02}")).chain((1..=12).map(|run| format!("m{run:02}")));
    for run in all {
        let (is_tested, is_open) = (tested.contains(&run), open.contains(&run));
        assert!(is_tested || is_open, "{run} is neither a test nor listed in OPEN.md");
        assert!(!(is_tested && is_open), "{run} is a test now: take it out of OPEN.md");
    }
}

/// `a07` of `a07_the_sleeper`.
fn number(text: &str) -> Option<String> {
    let (head, rest) = text.split_at_checked(3)?;
    let digits = head.strip_prefix(['a', 'm'])?;
    (digits.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with(['_', ' ', ':', '.']))
        .then(|| head.to_owned())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
