use std::fmt;

use serde::{Deserialize, Serialize};

/// The caller's stable name for an intent: 1 to 255 printable ASCII characters, no spaces at the
/// ends.
///
/// Build it from business identity (order, line, action). A key that is made fresh for each
/// attempt protects nothing, and one taken from model text changes when the model rephrases.
///
/// ```
/// use hapax_core::identity::OperationKey;
///
/// let key = OperationKey::from_parts(["order", "1042", "refund", "line-3"])?;
/// assert_eq!(key.as_str(), "order:1042:refund:line-3");
/// assert!(OperationKey::new("").is_err());
/// # Ok::<(), hapax_core::identity::KeyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OperationKey(String);

/// Why a text is no operation key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It is empty.
    #[error("the operation key is empty; name the intent, for example order:1042:charge")]
    Empty,
    /// It is too long.
    #[error("the operation key has {0} characters; at most 255 are allowed")]
    TooLong(usize),
    /// It has a character that isn't printable ASCII, or a space at an end.
    #[error("the operation key has a character that isn't printable ASCII, or a space at an end (position {0})")]
    Character(usize),
    /// A part is empty.
    #[error("part {0} of the operation key is empty; an empty part makes two intents share a key")]
    EmptyPart(usize),
}

impl OperationKey {
    /// Most characters that a key may have.
    pub const MAX: usize = 255;

    /// Checks a key that the caller made.
    ///
    /// # Errors
    /// [`KeyError`] says what is wrong with it.
    pub fn new(text: impl Into<String>) -> Result<Self, KeyError> {
        let text = text.into();
        if text.is_empty() {
            return Err(KeyError::Empty);
        }
        if text.len() > Self::MAX {
            return Err(KeyError::TooLong(text.chars().count()));
        }
        if let Some(position) = text.bytes().position(|byte| !(0x20..0x7f).contains(&byte)) {
            return Err(KeyError::Character(position));
        }
        if text.trim() != text {
            return Err(KeyError::Character(if text.starts_with(' ') { 0 } else { text.len() - 1 }));
        }
        Ok(Self(text))
    }

    /// Joins the parts of a business identity with colons; a colon or percent sign inside a part
    /// is escaped, so that different parts never give the same key.
    ///
    /// # Errors
    /// [`KeyError`] if a part is empty or the result is no key.
    pub fn from_parts<Part: AsRef<str>>(parts: impl IntoIterator<Item = Part>) -> Result<Self, KeyError> {
        let mut joined = String::new();
        for (index, part) in parts.into_iter().enumerate() {
            if part.as_ref().is_empty() {
                return Err(KeyError::EmptyPart(index + 1));
            }
            if index > 0 {
                joined.push(':');
            }
            joined.push_str(&part.as_ref().replace('%', "%25").replace(':', "%3A"));
        }
        Self::new(joined)
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OperationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for OperationKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        Self::new(text)
    }
}

impl From<OperationKey> for String {
    fn from(key: OperationKey) -> Self {
        key.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_never_collide() {
        assert_ne!(OperationKey::from_parts(["a:b", "c"]), OperationKey::from_parts(["a", "b:c"]));
        assert_eq!(OperationKey::from_parts(["a", ""]), Err(KeyError::EmptyPart(2)));
    }

    #[test]
    fn bad_keys_are_named() {
        assert_eq!(OperationKey::new("a".repeat(256)), Err(KeyError::TooLong(256)));
        assert_eq!(OperationKey::new("a\nb"), Err(KeyError::Character(1)));
        assert_eq!(OperationKey::new(" a"), Err(KeyError::Character(0)));
        assert_eq!(OperationKey::new("é"), Err(KeyError::Character(0)));
    }
}
