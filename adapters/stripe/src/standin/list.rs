use super::desk::within;
use super::fail::Fail;
use hapax_standin::{Beyond, Listing, PageSize, Record, Request, Twists, UnknownCursor};
use serde_json::{Value, json};

const LIMIT: PageSize = PageSize { usual: 10, most: 100, beyond: Beyond::Refused };

/// An entry of a list before paging: its id, when it was made, and itself.
pub(super) struct Entry {
    pub(super) created_ms: i64,
    pub(super) value: Value,
}

impl Record for Entry {
    fn id(&self) -> &str {
        self.value["id"].as_str().unwrap_or_default()
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

/// One page, newest first.
pub(super) fn page(entries: Vec<Entry>, request: &Request, twists: &Twists, now_ms: i64) -> Result<Value, Fail> {
    let (limit, created) = (limit(request)?, created(request)?);
    let listing = Listing::new(&entries, now_ms, twists).reversed();
    let listing = listing.filter(|entry| within(entry.created_ms, &created));
    let missing = |id: &str, param: &str| Fail::missing(400, "object", id, param);
    let (page, is_backwards) = match (request.param("starting_after"), request.param("ending_before")) {
        (None, Some(id)) => (listing.before(id, limit).map_err(|UnknownCursor| missing(id, "ending_before"))?, true),
        (after, _) => {
            let unknown = |UnknownCursor| missing(after.unwrap_or_default(), "starting_after");
            (listing.after(after, limit).map_err(unknown)?, false)
        }
    };
    let data = page.values(|entry| entry.value.clone());
    // Whether a walk backwards has more to come is not said here: nobody walks so.
    let has_more = page.has_more() && !is_backwards;
    Ok(json!({ "object": "list", "url": request.path, "has_more": has_more, "data": data }))
}

fn limit(request: &Request) -> Result<usize, Fail> {
    let bad = |_| Fail::invalid("Limit must be between 1 and 100.").code("parameter_invalid_integer").param("limit");
    LIMIT.read(request.param("limit")).map_err(bad)
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
