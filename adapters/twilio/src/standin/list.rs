use super::book::day;
use super::fail::Fail;
use hapax_standin::{Request, Twists};
use serde_json::{Map, Value};

/// An entry of a list before filters and pages: when it was made, the day that its date filter looks at, and itself.
pub(super) struct Entry {
    pub(super) created_ms: i64,
    pub(super) dated_ms: Option<i64>,
    pub(super) value: Value,
}

/// One page, newest first, with the URI of the next.
pub(super) fn page(
    kind: &str,
    date: &str,
    entries: Vec<Entry>,
    request: &Request,
    twists: &Twists,
    now_ms: i64,
) -> Result<Value, Fail> {
    let size = number(request, "PageSize")?.unwrap_or(50);
    if !(1..=1000).contains(&size) {
        return Err(Fail::invalid(20001, "PageSize must be between 1 and 1000"));
    }
    let visible_until = now_ms - twists.list_lag_ms().unwrap_or(0);
    let lags = twists.list_lag_ms().is_some();
    let matches = |entry: &Entry| {
        let is = |field: &str, param: &str| {
            request.param(param).is_none_or(|wanted| entry.value[field].as_str() == Some(wanted))
        };
        is("to", "To") && is("from", "From") && is("status", "Status") && is_on(entry.dated_ms, date, request)
    };
    let shown = entries.into_iter().rev().filter(matches);
    let shown = shown.filter(|entry| !lags || entry.created_ms <= visible_until);
    let mut values: Vec<Value> = shown.map(|entry| entry.value).collect();
    values.truncate(twists.list_cap().unwrap_or(usize::MAX));
    // A page goes on from the record that its token names, so that new ones move nothing.
    let start = match request.param("PageToken").and_then(|token| token.strip_prefix("PA")) {
        Some(sid) => values.iter().position(|value| value["sid"] == sid).map_or(values.len(), |at| at + 1),
        None => 0,
    };
    let rest = values.split_off(start.min(values.len()));
    let page = number(request, "Page")?.unwrap_or(0);
    let has_more = rest.len() > size;
    let records: Vec<Value> = rest.into_iter().take(size).collect();
    let last = records.last().and_then(|record| record["sid"].as_str()).unwrap_or_default().to_owned();
    let uri = |page: usize, token: Option<&str>| Value::String(address(request, page, size, token));
    let mut answer = Map::new();
    answer.insert("first_page_uri".to_owned(), uri(0, None));
    answer.insert("next_page_uri".to_owned(), if has_more { uri(page + 1, Some(&last)) } else { Value::Null });
    answer.insert("page".to_owned(), page.into());
    answer.insert("page_size".to_owned(), size.into());
    answer.insert(kind.to_owned(), Value::Array(records));
    Ok(Value::Object(answer))
}

/// Path and query of a page of this list.
fn address(request: &Request, page: usize, size: usize, token: Option<&str>) -> String {
    let own = ["PageSize", "Page", "PageToken"];
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(request.query.iter().filter(|(name, _)| !own.contains(&name.as_str())));
    query.append_pair("PageSize", &size.to_string()).append_pair("Page", &page.to_string());
    if let Some(token) = token {
        query.append_pair("PageToken", &format!("PA{token}"));
    }
    format!("{}?{}", request.path, query.finish())
}

/// Whether a date lies where the filters `DATE`, `DATE<` and `DATE>` want it. What has no date yet lies nowhere.
fn is_on(dated_ms: Option<i64>, date: &str, request: &Request) -> bool {
    let filters = request.query.iter().filter_map(|(name, wanted)| Some((name.strip_prefix(date)?, wanted)));
    let dated = dated_ms.map(day);
    filters.into_iter().all(|(operator, wanted)| match (&dated, operator) {
        (None, _) => false,
        (Some(dated), "<") => dated <= wanted,
        (Some(dated), ">") => dated >= wanted,
        (Some(dated), _) => dated == wanted,
    })
}

fn number(request: &Request, name: &str) -> Result<Option<usize>, Fail> {
    let bad = |_| Fail::invalid(20001, format!("{name} is no number"));
    request.param(name).map(|text| text.parse().map_err(bad)).transpose()
}
