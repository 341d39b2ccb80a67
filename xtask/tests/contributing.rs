//! Does what CONTRIBUTING.md says under "Add a cell in 30 minutes", word for word, in a copy of the workspace.
//!
//! - A `sh` block is run, line by line, in the copy's root. What a `text` block behind it shows is among what the last
//!   line printed; it fails if things fall short, else it must succeed.
//! - A block below a line that begins with a path in backticks is that file's new text. A `diff` block changes it: lines
//!   with a minus and without a mark are there, and are replaced by those with a plus and without. Below "has now:" the
//!   block is only compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const HEADING: &str = "## Add a cell in 30 minutes";

/// What the copy needs: the example's adapter stands beside one real one, which the chores' own examples use.
const COPIED: [&str; 14] = [
    "adapters/http",
    "adapters/stripe",
    "catalog",
    "changelog.d",
    "core",
    "docs",
    "interfaces",
    "ledgers",
    "tests/conformance",
    "tests/crash",
    "tests/schedules",
    "tests/standin",
    "xtask",
    "",
];

/// The copy compiles once for everything in it, and quickly.
const CONFIG: &str = "\
[alias]
xtask = \"run --quiet --package xtask --\"
[profile.dev.package.hapax-core]
opt-level = 0
[profile.test.package.hapax-core]
opt-level = 0
";

/// A fenced block, and the line above it.
struct Block<'a> {
    above: &'a str,
    language: &'a str,
    text: String,
}

#[test]
fn the_example_in_contributing_does_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let document = read(&root.join("CONTRIBUTING.md"));
    let copy = copied(root);
    let mut printed = (String::new(), true);
    let blocks = blocks(&document);
    let mut commands = 0;
    for (index, block) in blocks.iter().enumerate() {
        let path = block.above.strip_prefix('`').and_then(|rest| rest.split_once('`')).map(|(path, _)| copy.join(path));
        match (block.language, path) {
            ("sh", _) => {
                let fails = blocks.get(index + 1).is_some_and(|next| next.text.contains("falls short"));
                for line in block.text.lines() {
                    printed = run(root, &copy, line);
                    assert_eq!(printed.1, !fails, "{line}\n{}", printed.0);
                    commands += 1;
                }
            }
            ("text", None) => shows(&printed.0, &block.text, "the last command"),
            (_, Some(path)) if block.above.ends_with("has now:") => {
                shows(&read(&path), &block.text, &block.above.replace('`', ""));
            }
            ("diff", Some(path)) => write(&path, &changed(&read(&path), &block.text, block.above)),
            (_, Some(path)) => write(&path, &block.text),
            (language, None) => panic!("a block of {language} below {:?}: say which file it is", block.above),
        }
    }
    assert!(commands > 3, "{HEADING} has {commands} commands");
}

/// The blocks below the heading, up to the next one of its level.
fn blocks(document: &str) -> Vec<Block<'_>> {
    let section = document.split_once(HEADING).expect("the heading").1;
    let (mut blocks, mut above, mut open) = (Vec::<Block<'_>>::new(), "", false);
    for line in section.lines() {
        match line.strip_prefix("```") {
            Some(language) if !open => blocks.push(Block { above, language, text: String::new() }),
            Some(_) => above = "",
            None if open => {
                let block = blocks.last_mut().expect("an open block");
                block.text.push_str(line);
                block.text.push('\n');
            }
            None if line.starts_with("## ") => break,
            None if !line.is_empty() => above = line,
            None => {}
        }
        open ^= line.starts_with("```");
    }
    blocks
}

/// The file with a difference applied that has no numbers of lines.
fn changed(text: &str, difference: &str, what: &str) -> String {
    let side = |not: char| -> String {
        let lines = difference.lines().filter(|line| !line.starts_with(not));
        lines.map(|line| format!("{}\n", line.get(1..).unwrap_or_default())).collect()
    };
    let (old, new) = (side('+'), side('-'));
    assert_eq!(
        text.matches(&old).count(),
        1,
        "{what} these lines are not there, or more than once:\n{old}\nin\n{text}"
    );
    text.replacen(&old, &new, 1)
}

fn shows(text: &str, wanted: &str, what: &str) {
    for line in wanted.lines() {
        assert!(text.contains(line.trim_end()), "{what} doesn't show {line:?}; it is\n{text}");
    }
}

/// Runs a line, and gives what it printed and whether it succeeded. The chores that write skeletons are this very
/// program; all others are built in the copy, because they need its catalog.
fn run(root: &Path, copy: &Path, line: &str) -> (String, bool) {
    let program = env!("CARGO_BIN_EXE_xtask");
    let own = line.replace("cargo xtask new-", &format!("{program} new-"));
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{own} 2>&1")]).current_dir(copy);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_") || name.starts_with("HAPAX_")) {
        command.env_remove(name);
    }
    if own != line {
        // Set for builds, it would build anew what looks at it.
        command.env("CARGO_MANIFEST_DIR", copy.join("xtask"));
    }
    command.env("CARGO_TARGET_DIR", root.join("target")).env("CARGO_INCREMENTAL", "0").env("CARGO_NET_OFFLINE", "true");
    let output = command.output().expect("a shell");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
}

/// A copy of the workspace's sources, always at the same place and with the same times, so that what was built for it
/// once is found again.
fn copied(root: &Path) -> PathBuf {
    let copy = root.join("target/contributing");
    if copy.exists() {
        fs::remove_dir_all(&copy).expect("an old copy can be removed");
    }
    for folder in COPIED {
        copy_folder(&root.join(folder), &copy.join(folder), !folder.is_empty());
    }
    fs::create_dir_all(copy.join(".cargo")).expect("a folder");
    write(&copy.join(".cargo/config.toml"), CONFIG);
    copy
}

fn copy_folder(from: &Path, to: &Path, is_deep: bool) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_file() {
            fs::copy(&path, &to).expect("a copy");
            let modified = path.metadata().and_then(|about| about.modified()).expect("a time");
            fs::File::options().append(true).open(&to).and_then(|file| file.set_modified(modified)).expect("its time");
        } else if is_deep {
            copy_folder(&path, &to, true);
        }
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}
