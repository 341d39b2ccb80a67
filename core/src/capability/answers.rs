use serde::{Deserialize, Serialize};

use super::Source;
use crate::words::Refusal;

/// Where an answer carries its error: type and code as the integration's client reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The kind of error, if the provider names one.
    pub kind: String,
    /// The code, if the provider names one.
    pub code: String,
    /// A sentence for people, as the provider wrote it, without personal data.
    pub message: String,
}

impl Code {
    /// What a message can hold of a provider's words.
    const MOST_CHARACTERS: usize = 300;

    /// An error with the provider's words, cut to what a message can hold.
    pub fn new(kind: impl Into<String>, code: impl Into<String>, message: &str) -> Self {
        let message = message.chars().take(Self::MOST_CHARACTERS).collect();
        Self { kind: kind.into(), code: code.into(), message }
    }

    /// A provider's words without what may name a person: words with an `@`, and words with more than
    /// four digits.
    ///
    /// ```
    /// # use hapax_core::capability::Code;
    /// assert_eq!(Code::nameless("jane@example.com, +15551230001: no route (21211a)"), "... ... no route ...");
    /// ```
    pub fn nameless(words: &str) -> String {
        let is_personal = |word: &str| word.contains('@') || word.bytes().filter(u8::is_ascii_digit).count() > 4;
        let kept = words.split_whitespace().map(|word| if is_personal(word) { "..." } else { word });
        kept.collect::<Vec<_>>().join(" ")
    }

    /// The code, or the kind of an error that has none.
    pub fn name(&self) -> &str {
        if self.code.is_empty() { &self.kind } else { &self.code }
    }

    /// As a refusal.
    pub fn refusal(&self) -> Refusal {
        Refusal::new(self.name(), &self.message)
    }
}

/// What an answer with a given status, type and code means. The kit runs every row, the docs print
/// every row. No row: Unclear.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// HTTP status; 0 stands for any.
    pub status: u16,
    /// Error type; `*` stands for any, the empty string for none.
    pub kind: &'static str,
    /// Error code; `*` stands for any, the empty string for none.
    pub code: &'static str,
    /// What it means.
    pub means: Meaning,
    /// Where it is written.
    pub source: Source,
}

/// What an answer means for the attempt that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// No effect of this attempt, and asking again changes nothing.
    Refused,
    /// Refused and recorded under our token, so that it also speaks for earlier attempts with it.
    RefusedOnRecord,
    /// Documented as not processed: the same may go again.
    NotDone,
    /// The token is spent: look before saying by whom.
    Taken,
    /// The provider itself doesn't know.
    Adrift,
    /// A stored failure of a step that a stronger token protects.
    KeyBurnt,
    /// Anything else.
    Unclear,
}

impl Row {
    /// A row of the table.
    pub const fn new(status: u16, kind: &'static str, code: &'static str, means: Meaning, source: Source) -> Self {
        Self { status, kind, code, means, source }
    }

    /// How exactly the row names this answer; `None` if it doesn't.
    fn fits(&self, status: u16, code: &Code) -> Option<u8> {
        let part = |pattern: &str, value: &str| match pattern {
            "*" => Some(0),
            _ if pattern == value => Some(1),
            _ => None,
        };
        let status = match self.status {
            0 => 0,
            named if named == status => 1,
            _ => return None,
        };
        Some(4 * part(self.code, &code.code)? + 2 * part(self.kind, &code.kind)? + status)
    }
}

/// Rows that hold for every cell unless its own table says otherwise: these statuses speak of the
/// request, which was turned away before it was worked on (design, rule 3).
pub const TRANSPORT_ROWS: &[Row] = {
    const RFC: Source = Source::official("https://www.rfc-editor.org/rfc/rfc9110#name-client-error-4xx", "2026-11-27");
    &[
        Row::new(400, "*", "*", Meaning::Refused, RFC),
        Row::new(401, "*", "*", Meaning::Refused, RFC),
        Row::new(403, "*", "*", Meaning::Refused, RFC),
        Row::new(404, "*", "*", Meaning::Refused, RFC),
        Row::new(405, "*", "*", Meaning::Refused, RFC),
        Row::new(413, "*", "*", Meaning::Refused, RFC),
        Row::new(415, "*", "*", Meaning::Refused, RFC),
        Row::new(422, "*", "*", Meaning::Refused, RFC),
    ]
};

/// What this answer means by the table, the most exact row first. `None`: no row speaks of it.
pub fn meaning_of(table: &[Row], status: u16, code: &Code) -> Option<Meaning> {
    let best = |rows: &[Row]| {
        rows.iter()
            .filter_map(|row| row.fits(status, code).map(|rank| (rank, row.means)))
            .max_by_key(|(rank, _)| *rank)
            .map(|(_, means)| means)
    };
    best(table).or_else(|| best(TRANSPORT_ROWS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOC: Source = Source::presumed("test");
    const TABLE: &[Row] = &[
        Row::new(409, "*", "key_in_use", Meaning::NotDone, DOC),
        Row::new(400, "idempotency_error", "*", Meaning::Taken, DOC),
        Row::new(500, "*", "*", Meaning::Adrift, DOC),
    ];

    fn code(kind: &str, code: &str) -> Code {
        Code { kind: kind.into(), code: code.into(), message: String::new() }
    }

    #[test]
    fn the_most_exact_row_decides_and_no_row_is_none() {
        assert_eq!(meaning_of(TABLE, 409, &code("invalid_request_error", "key_in_use")), Some(Meaning::NotDone));
        assert_eq!(meaning_of(TABLE, 409, &code("", "other")), None);
        assert_eq!(meaning_of(TABLE, 400, &code("idempotency_error", "")), Some(Meaning::Taken));
        assert_eq!(meaning_of(TABLE, 400, &code("card_error", "")), Some(Meaning::Refused));
        assert_eq!(meaning_of(TABLE, 503, &code("", "")), None);
        assert_eq!(meaning_of(TABLE, 429, &code("", "")), None);
    }
}
