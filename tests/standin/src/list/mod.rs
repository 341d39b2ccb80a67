//! Lists as providers give them: what is shown of a collection, in which order, and cut into which pages.

mod collection;
mod listing;
mod page;
mod page_size;
mod page_tokens;

pub use collection::{Collection, Record};
pub use listing::{Listing, UnknownCursor};
pub use page::Page;
pub use page_size::{Beyond, PageSize, UnfitPageSize};
pub use page_tokens::PageTokens;

/// Numbered records for the tests of lists, one made each second.
#[cfg(test)]
pub(crate) mod testing {
    use super::{Collection, Record};

    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct Numbered(pub(crate) String, pub(crate) i64);

    impl Record for Numbered {
        fn id(&self) -> &str {
            &self.0
        }

        fn created_ms(&self) -> i64 {
            self.1
        }
    }

    pub(crate) fn numbered(number: i64) -> Numbered {
        Numbered(format!("n{number}"), number * 1000)
    }

    /// `n1` to `n{count}`.
    pub(crate) fn numbers(count: i64) -> Collection<Numbered> {
        (1..=count).map(numbered).collect()
    }

    pub(crate) fn ids(records: &[&Numbered]) -> Vec<String> {
        records.iter().map(|record| record.0.clone()).collect()
    }
}
