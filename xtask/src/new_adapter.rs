//! Makes the folder of a new adapter: skeletons that compile and promise nothing, with every row of
//! the failure table open.

use std::path::Path;

use crate::files::{self, Done};
use crate::generate::catalog;
use crate::say;

/// The files of an adapter and their templates.
const FILES: [(&str, &str); 8] = [
    ("Cargo.toml", include_str!("../templates/Cargo.toml.txt")),
    ("README.md", include_str!("../templates/README.md.txt")),
    ("FAILURE_MODES.md", include_str!("../templates/FAILURE_MODES.md.txt")),
    ("src/lib.rs", include_str!("../templates/lib.rs.txt")),
    ("src/client.rs", include_str!("../templates/client.rs.txt")),
    ("src/create.rs", include_str!("../templates/create.rs.txt")),
    ("src/standin.rs", include_str!("../templates/standin.rs.txt")),
    ("tests/kit.rs", include_str!("../templates/kit.rs.txt")),
];

/// Writes the folder and says what to do next.
pub(crate) fn new_adapter(root: &Path, name: &str) -> Done {
    write(root, name)?;
    say::line(format!(
        "\
wrote adapters/{name}; it compiles and promises nothing. Next:
  1. adapters/{name}/FAILURE_MODES.md: the facts with their sources, then what can go wrong.
  2. adapters/{name}/src/standin.rs: a small provider that behaves as the facts say.
  3. adapters/{name}/src/create.rs: rename it to the first operation; one operation, one file, one name; and tell the kit
     in tests/kit.rs what it can't know of it.
  4. `cargo test -p hapax-{name}`, then `cargo xtask prove {name}` and `cargo xtask generate`.
  5. one file in changelog.d/."
    ));
    Ok(())
}

fn write(root: &Path, name: &str) -> Done {
    let fits = name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    if !fits {
        return Err(format!("{name:?} is no adapter's name: lower-case letters and digits, a letter first"));
    }
    let folder = root.join("adapters").join(name);
    if folder.exists() {
        return Err(format!("adapters/{name} is there already; nothing was written"));
    }
    let manifest = files::read(&root.join("Cargo.toml"))?;
    let manifest = listed(&manifest, name).ok_or("Cargo.toml has no list of our own crates; nothing was written")?;
    for (file, template) in FILES {
        files::write(&folder.join(file), &filled(template, name))?;
    }
    files::write(&root.join("Cargo.toml"), &manifest)?;
    catalog::pages(root)?.iter().try_for_each(|page| page.write(root))
}

/// The workspace's manifest with the new crate among our own, in order.
fn listed(manifest: &str, name: &str) -> Option<String> {
    let line = format!("hapax-{name} = {{ path = \"adapters/{name}\", version = \"0.1.0\" }}");
    let mut lines: Vec<&str> = manifest.lines().collect();
    let ours = |text: &str| text.starts_with("hapax-") && text.contains("path =");
    let first = lines.iter().position(|text| ours(text))?;
    let count = lines.iter().skip(first).take_while(|text| ours(text)).count();
    let after = lines.iter().skip(first).take(count).filter(|text| **text < line.as_str()).count();
    lines.insert(first + after, &line);
    Some(lines.join("\n") + "\n")
}

fn filled(template: &str, name: &str) -> String {
    let mut letters = name.chars();
    let title: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    template.replace("{{name}}", name).replace("{{Name}}", &title).replace("{{NAME}}", &name.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Line;

    #[test]
    fn names_that_are_none_are_refused() {
        let nowhere = Path::new("/nonexistent");
        for name in ["", "Acme", "9lives", "a-b", "../x"] {
            assert!(write(nowhere, name).is_err(), "{name}");
        }
    }

    #[test]
    fn the_new_crate_is_listed_in_order() {
        let manifest = "# Ours.\nhapax-a = { path = \"a\" }\nhapax-c = { path = \"c\" }\n\n# Why.\nserde = \"1\"\n";
        let listed = listed(manifest, "b").expect("a list");
        let names: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(names, ["#", "hapax-a", "hapax-b", "hapax-c", "", "#", "serde"]);
    }

    /// In a copy of the repository, because the workspace takes in every folder of `adapters`. The copy
    /// has a place of its own, so that what was built for it once is found again.
    #[test]
    fn the_skeleton_compiles() {
        let root = files::root().expect("the repository");
        let target = root.join("target");
        let copy = target.join("new-adapter");
        if copy.exists() {
            std::fs::remove_dir_all(&copy).expect("an old copy can be removed");
        }
        for path in files::walk(&root) {
            let to = copy.join(files::shown(&root, &path));
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            std::fs::copy(&path, &to).expect("a copy");
        }
        write(&copy, "acme").expect("a new adapter");
        assert!(write(&copy, "acme").is_err(), "it is there already");
        let packages = "-p hapax-acme -p hapax-catalog --features hapax-acme/standin,hapax-catalog/standin";
        let check = Line::new(&format!("cargo clippy --quiet --offline --all-targets {packages} -- -D warnings"))
            .with("CARGO_TARGET_DIR", &target.to_string_lossy());
        check.run(&copy).expect("the skeleton compiles without warnings");
        let rows = files::read(&copy.join("adapters/acme/FAILURE_MODES.md")).expect("the table");
        let open = |line: &&str| line.starts_with("| `");
        assert!(rows.lines().filter(open).all(|line| line.ends_with("| open |")), "every row is open");
    }
}
