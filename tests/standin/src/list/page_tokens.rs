use super::collection::Record;
use super::listing::UnknownCursor;
use super::page::Page;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Opaque page tokens of one list: each holds a cursor, and is good for this list alone.
///
/// What makes a list the same is the caller's to say, usually path and filters without token and page size
/// ([`Request::target_with`](crate::Request::target_with) takes those out).
#[derive(Clone, Copy, Debug)]
pub struct PageTokens(u64);

impl PageTokens {
    /// The tokens of the list that this text names.
    pub fn of(list: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        list.hash(&mut hasher);
        Self(hasher.finish())
    }

    /// The cursor in a token; none without a token, for the first page.
    ///
    /// # Errors
    /// The token was made up, or is of another list.
    pub fn cursor(&self, token: Option<&str>) -> Result<Option<String>, UnknownCursor> {
        let Some(token) = token else { return Ok(None) };
        let text = URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let text = text.ok_or(UnknownCursor)?;
        let id = text.strip_prefix(&format!("{:016x}", self.0)).ok_or(UnknownCursor)?;
        Ok(Some(id.to_owned()))
    }

    /// The token for what follows a page, if anything does.
    pub fn next<T: Record>(&self, page: &Page<'_, T>) -> Option<String> {
        page.next_cursor().map(|id| URL_SAFE_NO_PAD.encode(format!("{:016x}{id}", self.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::injection::Twists;
    use crate::list::testing::{ids, numbers};

    #[test]
    fn a_token_leads_on_in_its_own_list_and_is_refused_in_another() {
        let numbers = numbers(3);
        let (one, other) = (PageTokens::of("/things?q=a"), PageTokens::of("/things?q=b"));
        let first = numbers.list(9_000, &Twists::default()).after(None, 2).expect("the first page");
        let token = one.next(&first).expect("there is more");
        assert!(!token.contains("n2"), "a token shows nothing: {token}");
        let cursor = one.cursor(Some(&token)).expect("a token of this list");
        let second = numbers.list(9_000, &Twists::default()).after(cursor.as_deref(), 2).expect("a known cursor");
        assert_eq!((ids(&second.records), one.next(&second)), (vec!["n3".to_owned()], None));
        assert_eq!(other.cursor(Some(&token)), Err(UnknownCursor));
        assert_eq!(one.cursor(Some("n2")), Err(UnknownCursor));
        assert_eq!(one.cursor(None), Ok(None));
    }
}
