use super::collection::Record;
use crate::request::Request;
use serde_json::Value;

/// One page of a list.
#[derive(Clone, Debug)]
pub struct Page<'a, T> {
    /// The records of the page.
    pub records: Vec<&'a T>,
    /// How many entries of the list come before it.
    pub offset: usize,
    /// How many records the page was to have at most.
    pub size: usize,
    /// How many entries the list has in all.
    pub total: usize,
}

impl<'a, T> Page<'a, T> {
    pub(super) fn cut(entries: Vec<&'a T>, offset: usize, size: usize) -> Self {
        let total = entries.len();
        Self { records: entries.into_iter().skip(offset).take(size).collect(), offset, size, total }
    }

    /// Whether the list goes on after this page.
    pub fn has_more(&self) -> bool {
        self.offset.saturating_add(self.records.len()) < self.total
    }

    /// The number of this page, from 1, and of the last one.
    pub fn number_of(&self) -> (usize, usize) {
        let size = self.size.max(1);
        (self.offset / size + 1, self.total.div_ceil(size).max(1))
    }

    /// The records as they look in an answer.
    pub fn values(&self, value: impl Fn(&T) -> Value) -> Vec<Value> {
        self.records.iter().map(|record| value(record)).collect()
    }

    /// The `Link` header (RFC 8288) that leads to the neighbours and the ends of a numbered page; none where one page is
    /// all. `param` is the name of the page's number in the query.
    pub fn link_header(&self, request: &Request, param: &str) -> Option<String> {
        let (number, last) = self.number_of();
        let back = (number > 1).then(|| [("prev", number - 1), ("first", 1)]);
        let on = (number < last).then(|| [("next", number + 1), ("last", last)]);
        let host = request.header("host").unwrap_or_default();
        let link = |(rel, number): (&str, usize)| {
            let target = request.target_with(&[(param, Some(&number.to_string()))]);
            format!("<http://{host}{target}>; rel=\"{rel}\"")
        };
        let links: Vec<String> = back.into_iter().chain(on).flatten().map(link).collect();
        (!links.is_empty()).then(|| links.join(", "))
    }
}

impl<T: Record> Page<'_, T> {
    /// The id of the last record: the cursor after which the list goes on.
    pub fn last_id(&self) -> Option<&str> {
        self.records.last().map(|record| record.id())
    }

    /// The cursor for the next page, if there is one.
    pub fn next_cursor(&self) -> Option<&str> {
        self.last_id().filter(|_| self.has_more())
    }
}

#[cfg(test)]
mod tests {
    use crate::injection::Twists;
    use crate::list::testing::numbers;
    use crate::request::Request;

    #[test]
    fn a_link_header_leads_to_the_neighbours_and_the_ends() {
        let numbers = numbers(5);
        let headers = vec![("host".to_owned(), "localhost:1".to_owned())];
        let request = Request::parse("GET", "/things?page=2&per_page=2&q=a%20b", headers, Vec::new());
        let link = |number: usize, size: usize| {
            numbers.list(9_000, &Twists::default()).numbered(number, size).link_header(&request, "page")
        };
        let to = |number: usize, rel: &str| {
            format!("<http://localhost:1/things?per_page=2&q=a+b&page={number}>; rel=\"{rel}\"")
        };
        assert_eq!(link(1, 2), Some([to(2, "next"), to(3, "last")].join(", ")));
        assert_eq!(link(2, 2), Some([to(1, "prev"), to(1, "first"), to(3, "next"), to(3, "last")].join(", ")));
        assert_eq!(link(3, 2), Some([to(2, "prev"), to(1, "first")].join(", ")));
        assert_eq!(link(1, 5), None);
    }

    #[test]
    fn beyond_its_end_a_list_has_empty_pages() {
        let numbers = numbers(2);
        let page = numbers.list(9_000, &Twists::default()).numbered(9, 2);
        assert!(page.records.is_empty() && !page.has_more() && page.next_cursor().is_none());
    }
}
