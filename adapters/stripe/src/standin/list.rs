use super::desk::within;
use super::fail::Fail;
use hapax_standin::{Request, Twists};
use serde_json::{Value, json};

/// An entry of a list before paging: its id, when it was made, and itself.
pub(super) struct Entry {
    pub(super) created_ms: i64,
    pub(super) value: Value,
}

/// One page, newest first.
pub(super) fn page(entries: Vec<Entry>, request: &Request, twists: &Twists, now_ms: i64) -> Result<Value, Fail> {
    let (limit, created) = (limit(request)?, created(request)?);
    let visible_until = now_ms - twists.list_lag_ms().unwrap_or(0);
    let lags = twists.list_lag_ms().is_some();
    let shown = entries.into_iter().rev().filter(|entry| within(entry.created_ms, &created));
    let shown = shown.filter(|entry| !lags || entry.created_ms <= visible_until);
    let mut values: Vec<Value> = shown.map(|entry| entry.value).collect();
    values.truncate(twists.list_cap().unwrap_or(usize::MAX));
    let rest = match (request.param("starting_after"), request.param("ending_before")) {
        (Some(id), _) => values.split_off(position(&values, id, "starting_after")? + 1),
        (None, Some(id)) => {
            let end = position(&values, id, "ending_before")?;
            values.truncate(end);
            values.split_off(end.saturating_sub(limit))
        }
        (None, None) => values,
    };
    let has_more = rest.len() > limit;
    let data: Vec<Value> = rest.into_iter().take(limit).collect();
    Ok(json!({ "object": "list", "url": request.path, "has_more": has_more, "data": data }))
}

fn position(values: &[Value], id: &str, param: &str) -> Result<usize, Fail> {
    let found = values.iter().position(|value| value["id"] == id);
    found.ok_or_else(|| Fail::missing(400, "object", id, param))
}

fn limit(request: &Request) -> Result<usize, Fail> {
    let Some(text) = request.param("limit") else { return Ok(10) };
    let limit = text.parse().ok().filter(|limit| (1..=100).contains(limit));
    let bad = || Fail::invalid("Limit must be between 1 and 100.").code("parameter_invalid_integer").param("limit");
    limit.ok_or_else(bad)
}

/// The filters on the time of creation, as operator and bound in seconds.
fn created(request: &Request) -> Result<Vec<(String, i64)>, Fail> {
    let mut filters = Vec::new();
    for (name, value) in &request.query {
        let Some(operator) = name.strip_prefix("created") else { continue };
        let operator = operator.trim_start_matches('[').trim_end_matches(']');
        let bad = |_| Fail::invalid(format!("Invalid timestamp: {value}")).param("created");
        filters.push((operator.to_owned(), value.parse().map_err(bad)?));
    }
    Ok(filters)
}
