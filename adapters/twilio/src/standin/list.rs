use super::Twilio;
use super::book::{Book, day};
use super::fail::Fail;
use hapax_standin::{Beyond, Collection, Context, PageSize, PathParams, Record, Request, UnfitPageSize};
use serde_json::{Map, Value};

const SIZE: PageSize = PageSize { usual: 50, most: 1000, beyond: Beyond::Refused };

/// A record that Twilio lists and shows.
pub(super) trait Listed: Record + 'static {
    /// What the list is called in an answer.
    const KIND: &'static str;
    /// What the filter by day is called.
    const DATE: &'static str;

    /// The day that this filter looks at.
    fn dated_ms(&self) -> Option<i64>;

    fn value(&self) -> Value;
}

/// One record by the SID in the path.
pub(super) fn show<T: Listed>(
    context: &mut Context<'_, Twilio>,
    records: fn(&Book) -> &Collection<T>,
) -> Result<Value, Fail> {
    let found = records(context.state.book(context.account)).get(sid_of(context.params));
    found.map(Listed::value).ok_or_else(Fail::missing)
}

/// The SID in the path. It may have an ending.
pub(super) fn sid_of(params: &PathParams) -> &str {
    params.raw("sid").trim_end_matches(".json")
}

/// One page, newest first, with the URI of the next.
pub(super) fn page<T: Listed>(
    context: &mut Context<'_, Twilio>,
    records: fn(&Book) -> &Collection<T>,
) -> Result<Value, Fail> {
    let request = context.request;
    let size = SIZE.read(request.param("PageSize")).map_err(|unfit| match unfit {
        UnfitPageSize::NoNumber => Fail::invalid(20001, "PageSize is no number"),
        UnfitPageSize::OutOfRange => Fail::invalid(20001, "PageSize must be between 1 and 1000"),
    })?;
    let bad = |_| Fail::invalid(20001, "Page is no number");
    let number: usize = request.param("Page").map_or(Ok(0), |text| text.parse().map_err(bad))?;
    let listing = records(context.state.book(context.account)).list(context.now_ms, context.twists);
    let listing = listing.reversed().filter(|record| fits(record, request));
    // A page goes on from the record that its token names, so that new ones move nothing.
    let token = request.param("PageToken").and_then(|token| token.strip_prefix("PA"));
    let page = listing.clone().after(token, size).unwrap_or_else(|_| listing.from_offset(usize::MAX, size));
    let next = page.next_cursor().map(|sid| address(request, number + 1, size, Some(sid)));
    let mut answer = Map::new();
    answer.insert("first_page_uri".to_owned(), address(request, 0, size, None).into());
    answer.insert("next_page_uri".to_owned(), next.into());
    answer.insert("page".to_owned(), number.into());
    answer.insert("page_size".to_owned(), size.into());
    answer.insert(T::KIND.to_owned(), page.values(Listed::value).into());
    Ok(Value::Object(answer))
}

/// Path and query of a page of this list.
fn address(request: &Request, page: usize, size: usize, sid: Option<&str>) -> String {
    let token = sid.map(|sid| format!("PA{sid}"));
    let (page, size) = (page.to_string(), size.to_string());
    request.target_with(&[("PageSize", Some(&size)), ("Page", Some(&page)), ("PageToken", token.as_deref())])
}

fn fits<T: Listed>(record: &T, request: &Request) -> bool {
    let value = record.value();
    let is = |field: &str, param: &str| request.param(param).is_none_or(|wanted| value[field].as_str() == Some(wanted));
    is("to", "To") && is("from", "From") && is("status", "Status") && is_on(record.dated_ms(), T::DATE, request)
}

/// Whether a date lies where the filters `DATE`, `DATE<` and `DATE>` want it. What has no date yet lies nowhere.
fn is_on(dated_ms: Option<i64>, date: &str, request: &Request) -> bool {
    let mut filters = request.query.iter().filter_map(|(name, wanted)| Some((name.strip_prefix(date)?, wanted)));
    let dated = dated_ms.map(day);
    filters.all(|(operator, wanted)| match (&dated, operator) {
        (None, _) => false,
        (Some(dated), "<") => dated <= wanted,
        (Some(dated), ">") => dated >= wanted,
        (Some(dated), _) => dated == wanted,
    })
}
