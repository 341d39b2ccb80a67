//! Our mark in what people write on GitHub: an HTML comment, which is kept in the source of a body and not shown.

/// What every mark of hapax begins with.
const BEGINS: &str = "<!-- hapax:";

/// The text with our mark as a paragraph of its own at the end.
pub(crate) fn signed(text: Option<&str>, mark: &str) -> String {
    match text.filter(|text| !text.is_empty()) {
        Some(text) => format!("{text}\n\n{}", comment(mark)),
        None => comment(mark),
    }
}

/// Whether a body carries our mark.
pub(crate) fn is_in(body: Option<&str>, mark: &str) -> bool {
    body.is_some_and(|body| body.contains(&comment(mark)))
}

/// A body that was copied together with a mark would make another operation find two.
///
/// # Errors
/// A sentence that says what to take out.
pub(crate) fn check(field: &str, text: Option<&str>) -> Result<(), String> {
    if text.is_some_and(|text| text.contains(BEGINS)) {
        return Err(format!("{field}: it carries the mark of another operation; take the comment {BEGINS}... out"));
    }
    Ok(())
}

fn comment(mark: &str) -> String {
    format!("{BEGINS}{mark} -->")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mark_stays_in_the_source() {
        assert_eq!(signed(None, "m1"), "<!-- hapax:m1 -->");
        assert_eq!(signed(Some(""), "m1"), "<!-- hapax:m1 -->");
        let body = signed(Some("```\nunclosed"), "m1");
        assert_eq!(body, "```\nunclosed\n\n<!-- hapax:m1 -->");
        assert!(is_in(Some(&body), "m1"));
        assert!(!is_in(Some(&body), "m") && !is_in(Some("m1"), "m1") && !is_in(None, "m1"));
        assert!(check("body", Some(&body)).is_err() && check("body", Some("<!-- hapax -->")).is_ok());
    }
}
