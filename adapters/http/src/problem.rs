use std::fmt;
use std::ops::Range;

/// What is wrong with a declaration. Nothing was sent, for nothing of it can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// The file, as it was named.
    pub file: String,
    /// Its line, from 1; 0 if it is about the whole file.
    pub line: usize,
    /// What is wrong, and what to do.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "nothing was sent: {}: {}", self.file, self.what),
            line => write!(f, "nothing was sent: {}, line {line}: {}", self.file, self.what),
        }
    }
}

/// The file that is read, for saying where something stands.
#[derive(Clone, Copy)]
pub(crate) struct Page<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
}

impl Page<'_> {
    /// The line of an offset, from 1. An empty span stands for what the file doesn't say.
    pub(crate) fn line(&self, span: &Range<usize>) -> usize {
        match span.end {
            0 => 0,
            _ => self.text.get(..span.start).map_or(0, |before| before.matches('\n').count() + 1),
        }
    }

    /// A problem at this place.
    pub(crate) fn problem(&self, span: &Range<usize>, what: impl Into<String>) -> Problem {
        Problem { file: self.file.to_owned(), line: self.line(span), what: what.into() }
    }

    /// Where a text stands inside of a place; the place itself if it isn't found there as it is.
    pub(crate) fn inside(&self, span: &Range<usize>, text: &str) -> Range<usize> {
        let end = if self.is_header(span) { self.end_of_table(span) } else { span.end };
        let found = self.text.get(span.start..end).and_then(|place| place.find(text));
        found.map_or_else(|| span.clone(), |at| span.start + at..span.start + at + text.len())
    }

    /// The place of a table is its header, and what it says follows until one that isn't a table inside of it.
    fn end_of_table(&self, header: &Range<usize>) -> usize {
        let name = self.text.get(header.start..header.end).unwrap_or_default().trim_matches(['[', ']']);
        let rest = self.text.get(header.end..).unwrap_or_default();
        let inner = format!("[{name}.");
        let next = rest.match_indices("\n[").find(|(at, _)| !rest[at + 1..].starts_with(&inner));
        header.end + next.map_or(rest.len(), |(at, _)| at)
    }

    fn is_header(&self, span: &Range<usize>) -> bool {
        let before = self.text.get(..span.start).unwrap_or_default();
        self.text.get(span.clone()).is_some_and(|place| place.starts_with('['))
            && (before.is_empty() || before.ends_with('\n'))
    }
}
