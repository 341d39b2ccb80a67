//! Puts a line of a new cell where its kind stands in a source file of ours, in order. The formatter does the rest.

/// The text with `mod NAME;` among its modules.
pub(crate) fn module(text: &str, name: &str) -> Option<String> {
    let is_module = |line: &&str| line.starts_with("mod ") || line.starts_with("pub mod ");
    let later = |line: &&str| line.trim_start_matches("pub ").trim_start_matches("mod ") > name && is_module(line);
    let lines: Vec<&str> = text.lines().collect();
    let at = match lines.iter().position(later) {
        // Attributes belong to the module below them.
        Some(next) => next - lines.iter().take(next).rev().take_while(|line| line.starts_with("#[")).count(),
        None => match lines.iter().rposition(is_module) {
            Some(last) => last + 1,
            None => return before(&lines, "use ", &[&format!("mod {name};"), ""]),
        },
    };
    Some(joined(&lines, at, &[&format!("mod {name};")]))
}

/// The text with `pub use NAME::{...};` among its own.
pub(crate) fn exported(text: &str, name: &str, items: &str) -> Option<String> {
    let new = format!("pub use {name}::{{{items}}};");
    let lines: Vec<&str> = text.lines().collect();
    let later = lines.iter().position(|line| line.starts_with("pub use ") && *line > new.as_str());
    let at = later.or_else(|| {
        let last = lines.iter().rposition(|line| line.starts_with("pub use "))?;
        Some(last + lines.iter().skip(last).position(|line| line.ends_with(';'))? + 1)
    })?;
    Some(joined(&lines, at, &[&new]))
}

/// The text with one more element in the list that opens with `[` after these words, each found after the one before.
pub(crate) fn element(text: &str, after: &[&str], new: &str) -> Option<String> {
    let mut open = 0;
    for words in after {
        open += text.get(open..)?.find(words)? + words.len();
    }
    let mut depth = 1;
    let inside = text.get(open..)?;
    let close = open
        + inside.char_indices().find_map(|(at, letter)| {
            depth += match letter {
                '[' => 1,
                ']' => -1,
                _ => 0,
            };
            (depth == 0).then_some(at)
        })?;
    let list = text.get(open..close)?.trim_end();
    let comma = if list.is_empty() || list.ends_with([',', '[']) { "" } else { "," };
    Some(format!("{}{list}{comma} {new}{}", text.get(..open)?, text.get(close..)?))
}

/// The text with this before the first line that begins so, or at its end.
pub(crate) fn section(text: &str, before: &str, new: &str) -> String {
    match text.find(&format!("\n{before}")) {
        Some(at) => format!("{}\n{new}\n{}", &text[..at], &text[at + 1..]),
        None => format!("{}\n\n{new}", text.trim_end()),
    }
}

fn before(lines: &[&str], begin: &str, new: &[&str]) -> Option<String> {
    let at = lines.iter().position(|line| line.starts_with(begin))?;
    Some(joined(lines, at, new))
}

fn joined(lines: &[&str], at: usize, new: &[&str]) -> String {
    let (above, below) = lines.split_at(at);
    [above, new, below].concat().join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_stands_in_order_and_above_attributes() {
        let text = "//! A.\n\nmod a;\n#[cfg(test)]\nmod c;\n\nuse x;\n";
        assert_eq!(module(text, "b").as_deref(), Some("//! A.\n\nmod a;\nmod b;\n#[cfg(test)]\nmod c;\n\nuse x;\n"));
        assert_eq!(module(text, "d").as_deref(), Some("//! A.\n\nmod a;\n#[cfg(test)]\nmod c;\nmod d;\n\nuse x;\n"));
        assert_eq!(module("//! A.\n\nuse x;\n", "b").as_deref(), Some("//! A.\n\nmod b;\n\nuse x;\n"));
    }

    #[test]
    fn an_export_stands_behind_a_whole_one() {
        let text = "pub use a::{\n    A,\n};\n\nfn f() {}\n";
        assert_eq!(
            exported(text, "b", "B").as_deref(),
            Some("pub use a::{\n    A,\n};\npub use b::{B};\n\nfn f() {}\n")
        );
        let text = "pub use c::C;\n";
        assert_eq!(exported(text, "b", "B").as_deref(), Some("pub use b::{B};\npub use c::C;\n"));
    }

    #[test]
    fn an_element_comes_last() {
        let after = ["fn cells(", "vec!["];
        let of = |list: &str| element(&format!("x(vec![0]); fn cells() {{ vec![{list}] }}"), &after, "b");
        assert_eq!(of("").as_deref(), Some("x(vec![0]); fn cells() { vec![ b] }"));
        assert_eq!(of("a[0], c,\n").as_deref(), Some("x(vec![0]); fn cells() { vec![a[0], c, b] }"));
        assert_eq!(of("a").as_deref(), Some("x(vec![0]); fn cells() { vec![a, b] }"));
        assert_eq!(element("fn none()", &after, "b"), None);
    }

    #[test]
    fn a_section_stands_before_its_neighbour() {
        assert_eq!(section("# A\n\n## Client\n", "## Client", "## B\n"), "# A\n\n## B\n\n## Client\n");
        assert_eq!(section("# A\n", "## Client", "## B\n"), "# A\n\n## B\n");
    }
}
