//! What is wrong with a file, and where: name, line and field, never a value.

use std::ops::Range;
use std::path::Path;

use crate::exit::Failure;
use crate::suggest::did_you_mean;

/// A configuration file that is being read.
pub(super) struct Place<'a> {
    pub(super) file: &'a Path,
    pub(super) text: &'a str,
}

impl Place<'_> {
    /// What the parser found. Its own rendering would show the line, which may hold a secret.
    pub(super) fn syntax(&self, error: &toml::de::Error) -> Failure {
        let said = error.message();
        let Some(span) = error.span() else { return self.problem(&(0..0), &explain(said, "")) };
        let field = self.field(&span);
        self.problem(&span, &explain(said, field))
    }

    /// A problem at a place.
    pub(super) fn problem(&self, span: &Range<usize>, what: &str) -> Failure {
        let message = format!("nothing was sent: {} line {}: {what}", self.file.display(), self.line(span));
        Failure::input("bad-config", message)
    }

    fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        before.matches('\n').count() + 1
    }

    /// The name left of the equals sign on the line of a value.
    fn field(&self, span: &Range<usize>) -> &str {
        let before = self.text.get(..span.start).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let name = line.split_once('=').map_or("", |(name, _)| name.trim());
        if name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter)) { name } else { "" }
    }
}

/// The parser's words without values, with the nearest name for one that isn't known.
fn explain(said: &str, field: &str) -> String {
    if let Some(name) = said.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next()) {
        let known: Vec<&str> = said.split('`').skip(3).step_by(2).collect();
        let near = did_you_mean(name, known.iter().copied());
        return format!("there is no field `{name}` here; known are: {}{near}", known.join(", "));
    }
    for kind in ["invalid type: ", "invalid value: ", "unknown variant "] {
        if let Some((_, expected)) = said.strip_prefix(kind).and_then(|rest| rest.rsplit_once(", expected ")) {
            return format!("{field} must be {expected}");
        }
    }
    match said {
        missing if missing.starts_with("missing field") => format!("{missing}; `hapax init` writes a whole sample"),
        other => other.to_owned(),
    }
}
