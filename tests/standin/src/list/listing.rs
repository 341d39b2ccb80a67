use super::collection::Record;
use super::page::Page;
use crate::injection::Twists;

/// What a list or a search shows at one moment, before it is cut into pages.
///
/// Injected faults are in it from the start ([`ListLags`], [`ListHorizon`]) or when a page is cut ([`ListCapped`]).
///
/// [`ListLags`]: crate::Kind::ListLags
/// [`ListHorizon`]: crate::Kind::ListHorizon
/// [`ListCapped`]: crate::Kind::ListCapped
#[derive(Debug)]
pub struct Listing<'a, T> {
    records: Vec<&'a T>,
    now_ms: i64,
    cap: usize,
}

/// A cursor that no entry of the list has: made up, of another list, or of a record that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCursor;

impl<'a, T: Record> Listing<'a, T> {
    /// A list of these records in their order; several collections can be put together.
    pub fn new(records: impl IntoIterator<Item = &'a T>, now_ms: i64, twists: &Twists) -> Self {
        let cap = twists.list_cap().unwrap_or(usize::MAX);
        let listing = Self { records: records.into_iter().collect(), now_ms, cap };
        let listing = match twists.list_lag_ms() {
            Some(by_ms) => listing.lagging_ms(by_ms),
            None => listing,
        };
        match twists.list_horizon_ms() {
            Some(ms) => listing.horizon_ms(ms),
            None => listing,
        }
    }

    /// The list lags behind: it does not show what is younger than this.
    pub fn lagging_ms(self, by_ms: i64) -> Self {
        let now = self.now_ms;
        self.filter(|record| record.created_ms() <= now - by_ms)
    }

    /// The list goes back so far: it does not show what is as old as this, or older.
    pub fn horizon_ms(self, ms: i64) -> Self {
        let now = self.now_ms;
        self.filter(|record| now - record.created_ms() < ms)
    }

    /// Turns the order around.
    pub fn reversed(mut self) -> Self {
        self.records.reverse();
        self
    }

    /// Puts the records in an order of their own; equal ones stay as they are.
    pub fn sorted_by_key<K: Ord>(mut self, key: impl Fn(&T) -> K) -> Self {
        self.records.sort_by_key(|record| key(record));
        self
    }

    /// Keeps what fits.
    pub fn filter(mut self, keep: impl Fn(&T) -> bool) -> Self {
        self.records.retain(|record| keep(record));
        self
    }

    /// Keeps what has this value; without a wanted value all. That is how most filters in a query work.
    pub fn equal(self, wanted: Option<&str>, value: impl Fn(&T) -> Option<&str>) -> Self {
        self.filter(|record| wanted.is_none() || value(record) == wanted)
    }

    /// The whole list, for lists without pages.
    pub fn all(mut self) -> Vec<&'a T> {
        self.records.truncate(self.cap);
        self.records
    }

    /// The page that begins so many entries from the start. New entries move what follows them, as they do where
    /// providers count entries.
    pub fn from_offset(self, offset: usize, size: usize) -> Page<'a, T> {
        Page::cut(self.all(), offset, size)
    }

    /// The page of this number, from 1. New entries move what follows them, as they do where providers count pages.
    pub fn numbered(self, number: usize, size: usize) -> Page<'a, T> {
        self.from_offset(number.max(1).saturating_sub(1).saturating_mul(size), size)
    }

    /// The page that follows a record, or the first. New entries neither move nor repeat what follows.
    ///
    /// # Errors
    /// The list does not show a record with this id.
    pub fn after(self, id: Option<&str>, size: usize) -> Result<Page<'a, T>, UnknownCursor> {
        let records = self.all();
        let offset = match id {
            Some(id) => place_of(&records, id)? + 1,
            None => 0,
        };
        Ok(Page::cut(records, offset, size))
    }

    /// The page that ends before a record.
    ///
    /// # Errors
    /// The list does not show a record with this id.
    pub fn before(self, id: &str, size: usize) -> Result<Page<'a, T>, UnknownCursor> {
        let records = self.all();
        let end = place_of(&records, id)?;
        let offset = end.saturating_sub(size);
        Ok(Page::cut(records, offset, end - offset))
    }
}

impl<T> Clone for Listing<'_, T> {
    fn clone(&self) -> Self {
        Self { records: self.records.clone(), now_ms: self.now_ms, cap: self.cap }
    }
}

fn place_of<T: Record>(records: &[&T], id: &str) -> Result<usize, UnknownCursor> {
    records.iter().position(|record| record.id() == id).ok_or(UnknownCursor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::injection::Kind;
    use crate::list::testing::{ids, numbered, numbers};

    fn none() -> Twists {
        Twists::default()
    }

    #[test]
    fn a_lagging_list_shows_a_record_when_its_lag_is_over_and_not_before() {
        let numbers = numbers(2);
        let shown = |now: i64, lag: i64| ids(&numbers.list(now, &none()).lagging_ms(lag).all());
        assert!(shown(5_999, 5_000).is_empty());
        assert_eq!(shown(6_000, 5_000), ["n1"]);
        assert_eq!(shown(7_000, 5_000), ["n1", "n2"]);
        let injected = Twists::of(Kind::ListLags { by_ms: 5_000 });
        assert_eq!(ids(&numbers.list(6_000, &injected).all()), ["n1"]);
        // The longer of the two counts.
        assert!(numbers.list(6_000, &injected).lagging_ms(5_001).all().is_empty());
        assert!(numbers.list(6_000, &Twists::of(Kind::ListLags { by_ms: 5_001 })).lagging_ms(10).all().is_empty());
    }

    #[test]
    fn what_is_older_than_the_horizon_is_not_shown() {
        let numbers = numbers(2);
        assert_eq!(ids(&numbers.list(5_000, &none()).horizon_ms(4_001).all()), ["n1", "n2"]);
        assert_eq!(ids(&numbers.list(5_000, &none()).horizon_ms(4_000).all()), ["n2"]);
        assert_eq!(ids(&numbers.list(5_000, &Twists::of(Kind::ListHorizon { ms: 4_000 })).all()), ["n2"]);
    }

    #[test]
    fn a_capped_list_ends_early_and_claims_that_this_is_all() {
        let numbers = numbers(5);
        let capped = Twists::of(Kind::ListCapped { at: 2 });
        let page = numbers.list(9_000, &capped).reversed().after(None, 2).expect("the first page");
        assert_eq!(
            (ids(&page.records), page.has_more(), page.total),
            (vec!["n5".to_owned(), "n4".to_owned()], false, 2)
        );
        assert_eq!(numbers.list(9_000, &capped).reversed().after(Some("n3"), 2).err(), Some(UnknownCursor));
    }

    #[test]
    fn filters_leave_all_where_nothing_is_wanted() {
        let numbers = numbers(3);
        let list =
            |wanted: Option<&str>| ids(&numbers.list(9_000, &none()).equal(wanted, |record| Some(&record.0)).all());
        assert_eq!((list(None).len(), list(Some("n2")), list(Some("x")).len()), (3, vec!["n2".to_owned()], 0));
    }

    /// Walks by the last id of each page while a record is added after the first, in both orders.
    #[test]
    fn pages_by_cursor_neither_repeat_nor_skip_when_a_record_is_added_in_between() {
        for newest_first in [true, false] {
            let mut numbers = numbers(5);
            let (mut seen, mut cursor) = (Vec::new(), None::<String>);
            loop {
                let listing = numbers.list(99_000, &none());
                let listing = if newest_first { listing.reversed() } else { listing };
                let page = listing.after(cursor.as_deref(), 2).expect("a known cursor");
                seen.extend(ids(&page.records));
                cursor = page.last_id().map(str::to_owned);
                if !page.has_more() {
                    break;
                }
                if numbers.len() == 5 {
                    numbers.add(numbered(6));
                }
            }
            let expected: &[&str] =
                if newest_first { &["n5", "n4", "n3", "n2", "n1"] } else { &["n1", "n2", "n3", "n4", "n5", "n6"] };
            assert_eq!(seen, expected);
        }
    }

    #[test]
    fn pages_by_number_repeat_a_record_when_one_is_added_in_front() {
        let mut numbers = numbers(4);
        assert_eq!(ids(&numbers.list(9_000, &none()).reversed().numbered(1, 2).records), ["n4", "n3"]);
        numbers.add(numbered(5));
        assert_eq!(ids(&numbers.list(9_000, &none()).reversed().numbered(2, 2).records), ["n3", "n2"]);
    }

    #[test]
    fn a_page_before_a_record_ends_with_its_neighbour() {
        let numbers = numbers(5);
        let before = |id: &str| numbers.list(9_000, &none()).before(id, 2).map(|page| ids(&page.records));
        assert_eq!(before("n4"), Ok(vec!["n2".to_owned(), "n3".to_owned()]));
        assert_eq!(before("n2"), Ok(vec!["n1".to_owned()]));
        assert_eq!(before("n9"), Err(UnknownCursor));
    }
}
