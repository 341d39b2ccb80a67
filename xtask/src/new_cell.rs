//! Makes the skeletons of a new cell in the folder of its adapter: each compiles, and together they promise nothing.

use std::path::{Path, PathBuf};

use crate::files::{self, Done};
use crate::generate::catalog::{self, JOBS};
use crate::insert;
use crate::run::Line;
use crate::say;

/// Writes them and says what to do next.
pub(crate) fn new_cell(root: &Path, adapter: &str, cell: &str) -> Done {
    let by_hand = write(root, adapter, cell)?;
    let package = catalog::crate_of(adapter);
    say::line(format!(
        "\
wrote {adapter}.{cell}; it compiles and promises nothing. All of it is in adapters/{adapter}:
  1. FAILURE_MODES.md: the facts with their sources, then what can go wrong.
  2. src/{cell}.rs and src/{cell}/tests.rs: the declaration, the request, the look; a test for each row.
  3. src/standin/{cell}.rs: the provider as the facts say.
  4. tests/kit/{cell}.rs: what the kit can't know. {JOBS}: how the crash suite kills it.
  5. `cargo test -p {package} --features standin` names what falls short.
  6. `cargo xtask prove {adapter}`, then `cargo xtask generate`.
  7. One file in changelog.d/."
    ));
    by_hand.iter().for_each(|what| say::line(format!("by hand: {what}")));
    Ok(())
}

/// A cell in the making: what the templates are filled with, and the files as they shall be.
struct New {
    folder: PathBuf,
    adapter: String,
    cell: String,
    files: Vec<(String, String)>,
    by_hand: Vec<String>,
}

/// Writes the skeletons; what they could not be put into, in sentences. Nothing is written if one can't be made.
pub(crate) fn write(root: &Path, adapter: &str, cell: &str) -> Done<Vec<String>> {
    if !is_name(cell) {
        return Err(format!("{cell:?} is no cell's name: lower-case words with `_` between them, as in send_message"));
    }
    let folder = root.join("adapters").join(adapter);
    if !folder.is_dir() {
        return Err(format!("there is no adapters/{adapter}; `cargo xtask new-adapter {adapter}` makes it"));
    }
    if folder.join(format!("src/{cell}.rs")).exists() {
        return Err(format!("adapters/{adapter}/src/{cell}.rs is there already; nothing was written"));
    }
    let mut new = New { folder, adapter: adapter.into(), cell: cell.into(), files: Vec::new(), by_hand: Vec::new() };
    new.declaration()?;
    new.tests_and_rows()?;
    new.stand_in()?;
    new.kit()?;
    new.job()?;
    let rust: Vec<String> =
        new.files.iter().map(|(file, _)| file.clone()).filter(|file| file.ends_with(".rs")).collect();
    for (file, text) in &new.files {
        files::write(&new.folder.join(file), text)?;
    }
    catalog::pages(root)?.iter().try_for_each(|page| page.write(root))?;
    // Formatting a file formats its modules, so the roots would be enough; the jobs are nobody's module here.
    Line::new(&format!("rustfmt --edition 2024 {}", rust.join(" "))).run(&new.folder)?;
    Ok(new.by_hand)
}

/// Whether it is lower-case words with `_` between them, as adapters and cells are named.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |part: &str| part.starts_with(|letter: char| letter.is_ascii_lowercase()) && part.chars().all(is_plain);
    name.split('_').all(fits)
}

/// Whether some cell is erased without a path, so that another can be.
fn imports_erase(text: &str) -> bool {
    text.match_indices("erase(").any(|(at, _)| !text.get(..at).is_some_and(|before| before.ends_with("::")))
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit()
}

/// A name as Rust writes types.
pub(crate) fn title(name: &str) -> String {
    let word = |part: &str| {
        let mut letters = part.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    name.split('_').map(word).collect()
}

impl New {
    fn filled(&self, template: &str) -> String {
        let template = template.replace("{{name}}", &self.adapter).replace("{{Name}}", &title(&self.adapter));
        template.replace("{{cell}}", &self.cell).replace("{{Cell}}", &title(&self.cell))
    }

    fn add(&mut self, file: &str, text: String) {
        self.files.push((file.to_owned(), text));
    }

    /// Changes a file of the adapter. What has no place for the change is said, for a person.
    fn change(&mut self, file: &str, what: &str, change: impl FnOnce(&str) -> Option<String>) -> Done {
        let text = files::read(&self.folder.join(file))?;
        match change(&text) {
            Some(text) => self.add(file, text),
            None => self.by_hand.push(format!("adapters/{}/{file} has no place for {what}", self.adapter)),
        }
        Ok(())
    }

    fn declaration(&mut self) -> Done {
        let (cell, title) = (self.cell.clone(), title(&self.cell));
        self.add(&format!("src/{cell}.rs"), self.filled(include_str!("../templates/cell.rs.txt")));
        self.change("src/lib.rs", "the cell's module", |text| {
            let text = insert::module(text, &cell)?;
            insert::exported(&text, &cell, &format!("{title}, {title}Cell, {title}Receipt"))
        })?;
        self.change("src/client.rs", "the cell in `cells`", |text| {
            let path = if imports_erase(text) { "erase" } else { "hapax_core::cell::erase" };
            insert::element(text, &["fn cells(", "vec!["], &format!("{path}(crate::{title}Cell)"))
        })
    }

    /// A row is open until its test is written.
    fn tests_and_rows(&mut self) -> Done {
        let testing = files::read(&self.folder.join("src/testing.rs")).unwrap_or_default();
        let known = ["\npub(crate) fn scripted(cell: &str,", "\npub(crate) fn losing(cell: &str)"];
        let can_script = known.iter().all(|function| testing.contains(function));
        let template = match can_script {
            true => include_str!("../templates/cell_tests_scripted.rs.txt"),
            false => include_str!("../templates/cell_tests.rs.txt"),
        };
        let tests = self.filled(template);
        let rows = self.filled(include_str!("../templates/cell_failure_modes.md.txt"));
        let row = |line: &str| match line.split('`').nth(1) {
            Some(id) if tests.contains(&format!("fn {id}(")) => line.replace("| open |", "| |"),
            _ => line.to_owned(),
        };
        let rows: Vec<String> = rows.lines().map(row).collect();
        self.add(&format!("src/{}/tests.rs", self.cell), tests);
        let section = rows.join("\n") + "\n";
        self.change("FAILURE_MODES.md", "a table", |text| Some(insert::section(text, "## Client", &section)))
    }

    /// One more endpoint, where the stand-in is a declaration over the toolkit.
    fn stand_in(&mut self) -> Done {
        let known = |file: &&str| self.folder.join(file).is_file();
        let Some(file) = ["src/standin.rs", "src/standin/mod.rs"].into_iter().find(known) else {
            self.by_hand.push(format!("adapters/{} has no src/standin.rs; write the stand-in", self.adapter));
            return Ok(());
        };
        let text = files::read(&self.folder.join(file))?;
        let state = text.split_once("Service<").and_then(|(_, rest)| rest.split_once('>')).map(|(state, _)| state);
        let (Some(state), Some(_)) = (state, text.find("Routes::new()")) else {
            self.by_hand.push(format!("adapters/{}/{file} declares no routes; write the endpoint", self.adapter));
            return Ok(());
        };
        let endpoint = self.filled(include_str!("../templates/cell_standin.rs.txt")).replace("{{State}}", state);
        let cell = self.cell.clone();
        self.add(&format!("src/standin/{cell}.rs"), endpoint);
        self.change(file, "the endpoint", |text| {
            let route = format!("Routes::new().post(\"/v1/{cell}\", {cell}::create)");
            insert::module(&text.replacen("Routes::new()", &route, 1), &cell)
        })
    }

    fn kit(&mut self) -> Done {
        if !self.folder.join("tests/kit/main.rs").is_file() {
            return Err(format!(
                "adapters/{} has no tests/kit/main.rs; move tests/kit.rs there, so that each cell has a file beside it",
                self.adapter
            ));
        }
        let (cell, title) = (self.cell.clone(), title(&self.cell));
        self.add(&format!("tests/kit/{cell}.rs"), self.filled(include_str!("../templates/cell_kit.rs.txt")));
        self.change("tests/kit/main.rs", "the cell in `cells`", |text| {
            let text = insert::module(text, &cell)?;
            insert::element(&text, &["fn cells(", "vec!["], &format!("Arc::new({cell}::{title})"))
        })
    }

    fn job(&mut self) -> Done {
        let whole = files::read(&self.folder.join(JOBS)).ok();
        let text = whole.unwrap_or_else(|| self.filled(include_str!("../templates/jobs.rs.txt")));
        let id = format!("{}.{}", self.adapter, self.cell);
        let shot = format!("(\"POST\", \"/v1/{}\")", self.cell);
        let job = format!("Job {{ cell: \"{id}\", effect: \"{}\", shot: {shot} }}", self.cell);
        let arm = format!(
            "        \"{id}\" => {{\n            let target = format!(\"target-{{number}}\");\n            \
             Intent::known_by(&target, json!({{ \"target\": target }}))\n        }}\n"
        );
        let changed = insert::element(&text, &["JOBS: &[Job] =", "&["], &job).and_then(|text| {
            let other = text.find("        other =>")?;
            Some(format!("{}{arm}{}", text.get(..other)?, text.get(other..)?))
        });
        match changed {
            Some(text) => self.add(JOBS, text),
            None => self.by_hand.push(format!("adapters/{}/{JOBS} has no place for the job of {id}", self.adapter)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_none_are_refused() {
        let nowhere = Path::new("/nonexistent");
        for cell in ["", "Send", "send-message", "_send", "send_", "send__all", "../x"] {
            let refused = write(nowhere, "acme", cell).expect_err("refused");
            assert!(refused.contains("is no cell's name"), "{cell}: {refused}");
        }
        assert!(write(nowhere, "acme", "send_message").expect_err("refused").contains("there is no adapters/acme"));
    }

    #[test]
    fn a_path_is_written_unless_the_name_is_imported() {
        assert!(imports_erase("vec![erase(crate::A), hapax_core::cell::erase(crate::B)]"));
        assert!(!imports_erase("vec![hapax_core::cell::erase(crate::A)]") && !imports_erase("vec![]"));
    }

    #[test]
    fn a_type_is_named_as_rust_does() {
        assert_eq!(title("create_ticket"), "CreateTicket");
    }
}
