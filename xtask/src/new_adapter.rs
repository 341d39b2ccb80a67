//! Makes the folder of a new adapter: skeletons that compile and have no cell yet.

use std::path::Path;

use crate::files::{self, Done};
use crate::generate::catalog;
use crate::new_cell::{is_name, title};
use crate::say;

/// The files of an adapter and their templates.
const FILES: [(&str, &str); 8] = [
    ("Cargo.toml", include_str!("../templates/Cargo.toml.txt")),
    ("README.md", include_str!("../templates/README.md.txt")),
    ("FAILURE_MODES.md", include_str!("../templates/FAILURE_MODES.md.txt")),
    ("src/lib.rs", include_str!("../templates/lib.rs.txt")),
    ("src/client.rs", include_str!("../templates/client.rs.txt")),
    ("src/testing.rs", include_str!("../templates/testing.rs.txt")),
    ("src/standin.rs", include_str!("../templates/standin.rs.txt")),
    ("tests/kit/main.rs", include_str!("../templates/kit_main.rs.txt")),
];

/// Writes the folder and says what to do next.
pub(crate) fn new_adapter(root: &Path, name: &str) -> Done {
    write(root, name)?;
    say::line(format!(
        "\
wrote adapters/{name}; it compiles and has no cell. Next:
  1. adapters/{name}/FAILURE_MODES.md: the facts with their sources.
  2. adapters/{name}/src/client.rs: address, credentials, and where the provider puts its errors.
  3. `cargo xtask new-cell {name} CELL` for each operation."
    ));
    Ok(())
}

fn write(root: &Path, name: &str) -> Done {
    if !is_name(name) {
        return Err(format!("{name:?} is no adapter's name: lower-case words with `_` between them, as in acme_books"));
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
    let line = format!("{} = {{ path = \"adapters/{name}\", version = \"0.1.0\" }}", catalog::crate_of(name));
    let mut lines: Vec<&str> = manifest.lines().collect();
    let ours = |text: &str| text.starts_with("hapax-") && text.contains("path =");
    let first = lines.iter().position(|text| ours(text))?;
    let count = lines.iter().skip(first).take_while(|text| ours(text)).count();
    let after = lines.iter().skip(first).take(count).filter(|text| **text < line.as_str()).count();
    lines.insert(first + after, &line);
    Some(lines.join("\n") + "\n")
}

fn filled(template: &str, name: &str) -> String {
    let template = template.replace("{{crate}}", &catalog::crate_of(name)).replace("{{name}}", name);
    template.replace("{{Name}}", &title(name)).replace("{{NAME}}", &name.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_none_are_refused() {
        let nowhere = Path::new("/nonexistent");
        for name in ["", "Acme", "9lives", "a-b", "a__b", "a_", "../x"] {
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
}
