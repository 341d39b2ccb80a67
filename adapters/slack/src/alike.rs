//! Whether a stored text is the one that was given. Slack stores texts otherwise than they came:
//! escaped, with links, with names for emoji (`FAILURE_MODES.md`, S19).

use serde_json::Value;

/// How a stored text compares with the one that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// In one form they are the same.
    Same,
    /// They differ, but Slack may have written ours otherwise.
    Unsure,
    /// They differ, and nothing in ours is written otherwise.
    Other,
}

/// Compares texts.
pub(crate) fn text(asked: &str, stored: &str) -> Likeness {
    if plain(asked) == plain(stored) {
        Likeness::Same
    } else if stored.is_empty() || !is_simple(asked) {
        Likeness::Unsure
    } else {
        Likeness::Other
    }
}

/// Whether all that was given is in what is stored: Slack adds ids and defaults.
pub(crate) fn holds(stored: &Value, given: &Value) -> bool {
    match (stored, given) {
        (Value::Object(stored), Value::Object(given)) => {
            given.iter().all(|(name, value)| stored.get(name).is_some_and(|stored| holds(stored, value)))
        }
        (Value::Array(stored), Value::Array(given)) => {
            stored.len() == given.len() && stored.iter().zip(given).all(|(stored, given)| holds(stored, given))
        }
        (Value::String(stored), Value::String(given)) => plain(stored) == plain(given),
        _ => stored == given,
    }
}

/// A text without links and escapes.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim();
    while let Some((before, after)) = rest.split_once('<') {
        plain.push_str(before);
        match after.split_once('>') {
            Some((link, behind)) => {
                plain.push_str(link.rsplit_once('|').map_or(link, |(_, label)| label));
                rest = behind;
            }
            None => {
                plain.push('<');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Whether Slack stores this as it is: letters, digits, blanks and marks that mean nothing to it. A
/// point between letters may be an address.
fn is_simple(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    letters.iter().enumerate().all(|(at, letter)| match letter {
        '.' => letters.get(at + 1).is_none_or(|next| next.is_whitespace()),
        ',' | '!' | '?' | '-' | '(' | ')' | ' ' => true,
        letter => letter.is_alphanumeric(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_are_compared_without_links_and_escapes() {
        for (asked, stored) in [
            ("a < b & c", "a &lt; b &amp; c"),
            ("see https://example.com/x", "see <https://example.com/x>"),
            ("see example.com", "see <http://example.com|example.com>"),
            ("<@U1> hello", "<@U1> hello"),
            (" two lines\nand more ", "two lines\nand more"),
        ] {
            assert_eq!(text(asked, stored), Likeness::Same, "{asked}");
        }
    }

    #[test]
    fn texts_that_slack_may_rewrite_are_unsure() {
        for asked in ["party 🎉", "see example.com", "*bold*", "at 10:30", "a@b"] {
            assert_eq!(text(asked, "something else"), Likeness::Unsure, "{asked}");
        }
        assert_eq!(text("Ready.", ""), Likeness::Unsure);
        for asked in ["Ready.", "Größe 3, bitte!", "yes (no)"] {
            assert_eq!(text(asked, "something else"), Likeness::Other, "{asked}");
        }
    }

    #[test]
    fn blocks_may_have_more_than_was_given() {
        let given = json!([{"type": "section", "text": {"type": "mrkdwn", "text": "a & b"}}]);
        let stored = json!([{"type": "section", "block_id": "x", "text": {"type": "mrkdwn", "text": "a &amp; b", "verbatim": false}}]);
        assert!(holds(&stored, &given));
        assert!(!holds(&given, &stored));
        assert!(!holds(&json!([]), &given));
    }
}
