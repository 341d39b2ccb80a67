//! Every error code has a page, and every page a code.

use std::collections::BTreeSet;
use std::path::Path;

use crate::files::{Done, read, shown, texts, walk};

const FOLDER: &str = "docs/reference/errors";

pub(super) fn check(root: &Path) -> Done<Vec<String>> {
    let pages: BTreeSet<String> = pages(root).into_iter().map(|(code, _)| code).collect();
    let mut codes = BTreeSet::new();
    for folder in ["core/src", "interfaces", "ledgers"] {
        for (_, text) in texts(&root.join(folder), ".rs") {
            codes.extend(codes_in(&text));
        }
    }
    let missing = codes.difference(&pages).map(|code| {
        format!("error code {code} has no page; write {FOLDER}/{code}.md: what happened to the effect, why, what to do")
    });
    let left = pages.difference(&codes).map(|code| format!("{FOLDER}/{code}.md is about a code that no error has"));
    let wrong = self::pages(root).into_iter().filter_map(|(code, text)| {
        (!text.starts_with(&format!("# {code}\n"))).then(|| format!("{FOLDER}/{code}.md doesn't begin with `# {code}`"))
    });
    Ok(missing.chain(left).chain(wrong).collect())
}

/// The codes that have a page, with its text.
pub(crate) fn pages(root: &Path) -> Vec<(String, String)> {
    let code = |path: &Path| {
        let name = shown(&root.join(FOLDER), path);
        name.strip_suffix(".md").filter(|code| *code != "README").map(str::to_owned)
    };
    walk(&root.join(FOLDER)).iter().filter_map(|path| Some((code(path)?, read(path).ok()?))).collect()
}

/// The codes that a `code` function in this text returns, and those that are given to a failure of
/// the command line.
fn codes_in(text: &str) -> Vec<String> {
    let functions = sections(text, "fn code(&self) -> &'static str {", "\n    }\n");
    let choices = sections(text, "let code = ", "};");
    let arms = functions.flat_map(|body| literals(body, "=> ")).chain(choices.flat_map(|body| literals(body, " ")));
    let given = literals(text, "Failure::input(").chain(literals(text, "Self::input(")).chain(literals(text, "code: "));
    arms.chain(given).map(str::to_owned).collect()
}

/// Parts of the text from each beginning to the next end.
fn sections<'a>(text: &'a str, begin: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(begin).skip(1).map(move |rest| rest.split(end).next().unwrap_or(rest))
}

/// Codes in quotes that come right after each `before`.
fn literals<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    let is_code =
        |text: &&str| !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-');
    let quoted = |rest: &'a str| rest.trim_start().strip_prefix('"')?.split('"').next();
    text.split(before).skip(1).filter_map(quoted).filter(is_code)
}

#[cfg(test)]
mod tests {
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
