//! Tables, and sections between markers.

/// A Markdown table.
pub(super) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(head.iter().map(|cell| (*cell).to_owned()).collect());
    text.push_str(&line(head.iter().map(|_| "---".to_owned()).collect()));
    for row in rows {
        text.push_str(&line(row.iter().map(|cell| escaped(cell)).collect()));
    }
    text
}

/// Text that stays inside one cell of a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// A sentence that begins with a capital and ends with a stop.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let upper: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let whole = format!("{upper}{}", letters.as_str());
    if whole.ends_with(['.', '?', '!', ':']) { whole } else { format!("{whole}.") }
}

/// Addresses in angle brackets; what isn't one as it is.
pub(super) fn link(text: &str) -> String {
    if text.starts_with("http") { format!("<{text}>") } else { text.to_owned() }
}

/// The text with the section between the markers of this name replaced; `None`: no such markers.
pub(super) fn between(text: &str, name: &str, section: &str) -> Option<String> {
    let open = format!("<!-- generated: {name} -->");
    let begin = text.find(&open)? + open.len();
    let end = begin + text.get(begin..)?.find("<!-- /generated -->")?;
    Some(format!("{}\n{}\n{}", text.get(..begin)?, section.trim_end(), text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_replaced_and_nothing_else() {
        let text = "a\n<!-- generated: cells -->\nold\n<!-- /generated -->\nb\n";
        let new = between(text, "cells", "new\n").expect("markers");
        assert_eq!(new, "a\n<!-- generated: cells -->\nnew\n<!-- /generated -->\nb\n");
        assert_eq!(between(&new, "cells", "new\n").as_deref(), Some(new.as_str()));
        assert_eq!(between(text, "others", "new"), None);
    }

    #[test]
    fn a_cell_of_a_table_stays_one() {
        assert_eq!(table(&["a"], [vec!["x|y\nz".to_owned()]]), "| a |\n| --- |\n| x\\|y z |\n");
    }

    #[test]
    fn sentences_begin_and_end() {
        assert_eq!(sentence("none"), "None.");
        assert_eq!(sentence("Über alles."), "Über alles.");
    }
}
