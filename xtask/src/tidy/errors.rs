//! Every error code has a page, and every page a code.

use std::collections::BTreeSet;
use std::path::Path;

use crate::files::{Done, read, shown, texts, walk};

const FOLDER: &str = "docs/reference/errors";

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let pages: BTreeSet<String> = pages(root).into_iter().map(|(code, _)| code).collect();
    let (mut codes, mut hidden) = (BTreeSet::new(), Vec::new());
    for folder in ["core/src", "interfaces", "ledgers"] {
        for (path, text) in texts(&root.join(folder), ".rs") {
            codes.extend(codes_in(&text));
            let name = shown(root, &path);
            let unseen = unseen(&text);
            hidden.extend(
                unseen.map(|given| format!("{name}: the code {given} is no literal, so nobody sees if it has a page")),
            );
        }
    }
    let missing = codes.difference(&pages).map(|code| {
        format!("error code {code} has no page; write {FOLDER}/{code}.md: what happened to the effect, why, what to do")
    });
    let left = pages.difference(&codes).map(|code| format!("{FOLDER}/{code}.md is about a code that no error has"));
    let wrong = self::pages(root).into_iter().filter_map(|(code, text)| {
        let said = text.strip_prefix(&format!("# {code}\n")).map(str::trim);
        match said {
            None => Some(format!("{FOLDER}/{code}.md doesn't begin with `# {code}`")),
            Some("") => Some(format!("{FOLDER}/{code}.md says nothing: what happened to the effect, why, what to do")),
            Some(_) => None,
        }
    });
    Ok(missing.chain(left).chain(wrong).chain(hidden).collect())
}

/// The codes that have a page, with its text.
pub(crate) fn pages(root: &Path) -> Vec<(String, String)> {
    let code = |path: &Path| {
        let name = shown(&root.join(FOLDER), path);
        name.strip_suffix(".md").filter(|code| *code != "README").map(str::to_owned)
    };
    walk(&root.join(FOLDER)).iter().filter_map(|path| Some((code(path)?, read(path).ok()?))).collect()
}

/// What is given to a failure of the command line as its code, and is neither a literal nor the choice that is made just
/// above it.
fn unseen(text: &str) -> impl Iterator<Item = &str> {
    let calls = text.split("Failure::input(").skip(1).chain(text.split("Self::input(").skip(1));
    let given = calls.filter_map(|rest| rest.trim_start().split([',', ')']).next());
    given.filter(|given| !given.starts_with('"') && *given != "code")
}

/// The codes that a `code` function in this text returns, and those that are given to a failure of
/// the command line.
fn codes_in(text: &str) -> Vec<String> {
    let functions = sections(text, "fn code(&self) -> &'static str {", "\n    }\n");
    let choices = sections(text, "let code = ", "};");
    // However an arm is written, its code stands in quotes.
    let quoted = |body: &'_ str| -> Vec<String> {
        body.split('"').skip(1).step_by(2).filter(is_code).map(str::to_owned).collect()
    };
    let arms: Vec<String> = functions.chain(choices).flat_map(quoted).collect();
    let given = literals(text, "Failure::input(").chain(literals(text, "Self::input(")).chain(literals(text, "code: "));
    arms.into_iter().chain(given.map(str::to_owned)).collect()
}

fn is_code(text: &&str) -> bool {
    let is_letter = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-';
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.bytes().all(is_letter)
}

/// Parts of the text from each beginning to the next end.
fn sections<'a>(text: &'a str, begin: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(begin).skip(1).map(move |rest| rest.split(end).next().unwrap_or(rest))
}

/// Codes in quotes that come right after each `before`.
fn literals<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    let quoted = |rest: &'a str| rest.trim_start().strip_prefix('"')?.split('"').next();
    text.split(before).skip(1).filter_map(quoted).filter(is_code)
}

#[cfg(test)]
mod tests {
    use crate::files;

    /// Each planted fault is found, and nothing is where there is none.
    #[test]
    fn a_code_without_a_page_is_found() {
        let root = tempfile::tempdir().expect("a folder");
        let found = |code: &str, page: &str| {
            let source = format!(
                "impl Failure {{\n    pub const fn code(&self) -> &'static str {{\n        match self {{\n            Self::A => {{\n                {code}\n            }}\n        }}\n    }}\n}}\n"
            );
            files::write(&root.path().join("core/src/error.rs"), &source).expect("a source");
            files::write(&root.path().join("docs/reference/errors/planted-1.md"), page).expect("a page");
            super::check(root.path()).expect("a check")
        };
        let page = "# planted-1\n\nNothing was sent.\n";
        assert_eq!(found("\"planted-1\"", page), Vec::<String>::new());
        assert!(found("\"planted-2\"", page).iter().any(|what| what.contains("planted-2 has no page")));
        assert!(
            found("\"planted-2\"", page).iter().any(|what| what.contains("planted-1.md is about a code that no error"))
        );
        assert!(found("\"planted-1\"", "# planted-1\n").iter().any(|what| what.contains("says nothing")));
        assert!(found("\"planted-1\"", "# other\n").iter().any(|what| what.contains("doesn't begin with")));
    }

    #[test]
    fn a_code_that_is_no_literal_is_found() {
        let text = "Failure::input(\"a\", x); Self::input(code, y); Failure::input(\n    NAME, z)";
        assert_eq!(super::unseen(text).collect::<Vec<_>>(), ["NAME"]);
    }

    #[test]
    fn codes_are_read_from_the_arms() {
        let text = "    pub const fn code(&self) -> &'static str {\n        match self {\n            A => \"a-b\",\n        }\n    }\n    fn x() -> u8 { match y { B => \"no\" } }\n";
        assert_eq!(super::codes_in(text), ["a-b"]);
    }

    #[test]
    fn codes_of_the_command_line_are_read_where_they_are_given() {
        let text = "let code = if x { \"one\" } else { \"two\" };\nFailure::input(\n    \"three\", \"not this\");\nSelf { code: \"four\" }\n";
        assert_eq!(super::codes_in(text), ["one", "two", "three", "four"]);
    }
}
