use std::fmt;
use std::time::Duration;

use hapax_core::capability::{Failures, Repeat, Scope, Twins};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::{NeedDeclaration, SourceDeclaration};

/// A token that the provider lets be spent once.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardDeclaration {
    /// The header or field that carries it, or the state that it is. A profile knows its own.
    #[serde(default)]
    pub field: String,
    /// How it is written. A state has no form.
    #[serde(default)]
    pub form: FormWord,
    /// How long the provider remembers that it is spent.
    pub life: Option<Spanned<LifeWord>>,
    /// What ends its life, in words.
    pub ends: Option<String>,
    /// After its life a repeat is refused, rather than carried out as new.
    #[serde(default)]
    pub then_refuses: bool,
    /// What becomes of two requests that carry it at once.
    pub twins: Option<Spanned<Twins>>,
    /// What a request gets that repeats it.
    pub repeat: Option<Spanned<Repeat>>,
    /// What a failed first request leaves of it.
    pub failures: Option<Spanned<Failures>>,
    /// Within what the provider compares tokens; the account, unless said otherwise.
    pub scope: Option<Vec<Scope>>,
    /// What others may do that makes a repeat act again, as in "nobody ...".
    pub undone_by: Option<String>,
    /// What must hold on the connection.
    #[serde(default)]
    pub needs: Vec<NeedDeclaration>,
    /// Where all this is written.
    pub source: Option<SourceDeclaration>,
}

/// How a token is written: `uuid`, `integer`, `text:32` (letters and digits) or `base32hex:32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormWord {
    /// A UUID of 36 characters.
    #[default]
    Uuid,
    /// A positive integer of 63 bits.
    Integer,
    /// So many lower-case letters and digits, 8 to 50.
    Text(usize),
    /// So many of `0-9a-v`, 8 to 51.
    Base32Hex(usize),
}

/// A length of time that is promised, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifeWord {
    /// `unstated`: it exists for retries and nobody says for how long.
    Unstated,
    /// `ever`.
    Ever,
    /// `24 h`, `30 days`.
    AtLeast(Duration),
}

impl<'de> Deserialize<'de> for FormWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Words("uuid, integer, text:N (8 to 50) or base32hex:N (8 to 51)", |text| {
            let sized = |name: &str, most: usize| {
                let length = text.strip_prefix(name)?.strip_prefix(':')?.trim().parse().ok()?;
                (8..=most).contains(&length).then_some(length)
            };
            match text {
                "uuid" => Some(Self::Uuid),
                "integer" => Some(Self::Integer),
                _ => sized("text", 50).map(Self::Text).or_else(|| sized("base32hex", 51).map(Self::Base32Hex)),
            }
        }))
    }
}

impl<'de> Deserialize<'de> for LifeWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Words("ever, unstated, or a time such as `24 h`", |text| match text {
            "ever" => Some(Self::Ever),
            "unstated" => Some(Self::Unstated),
            _ => humantime::parse_duration(text).ok().map(Self::AtLeast),
        }))
    }
}

/// Reads a text by a function; the words say what it may be.
struct Words<T>(&'static str, fn(&str) -> Option<T>);

impl<T> Visitor<'_> for Words<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.1)(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}
