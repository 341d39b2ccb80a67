//! Extended properties, and lists that are filtered by one.

use std::collections::BTreeMap;

use hapax_standin::{Beyond, Listing, PageSize, PageTokens, Record, Request};
use serde_json::{Value, json};

use super::fail::Fail;

const SIZE: PageSize = PageSize { usual: 10, most: 1_000, beyond: Beyond::Clamped };

/// Extended properties by their ids.
#[derive(Clone, Default)]
pub(super) struct Properties(Vec<(String, String)>);

impl Properties {
    /// Those in the body of a creation.
    pub(super) fn of(fields: &Value) -> Self {
        let all = fields["singleValueExtendedProperties"].as_array().into_iter().flatten();
        let pair = |one: &Value| Some((one["id"].as_str()?.to_owned(), one["value"].as_str()?.to_owned()));
        Self(all.filter_map(pair).collect())
    }

    /// By the last word of their ids, for effects.
    pub(super) fn metadata(&self) -> BTreeMap<String, String> {
        let name = |id: &str| id.rsplit(' ').next().unwrap_or_default().to_owned();
        self.0.iter().map(|(id, value)| (name(id), value.clone())).collect()
    }

    /// Put into what is shown, if the request asks for them.
    pub(super) fn shown(&self, request: &Request, value: &mut Value) {
        let Some(expand) = request.param("$expand").filter(|expand| expand.contains("singleValueExtendedProperties"))
        else {
            return;
        };
        let wanted = self.0.iter().filter(|(id, _)| expand.contains(id.as_str()));
        // Exchange writes the set's name in lower case, whatever it was written in.
        let all: Vec<Value> = wanted.map(|(id, value)| json!({ "id": id, "value": value })).collect();
        if !all.is_empty() {
            value["singleValueExtendedProperties"] = all.into();
        }
    }

    /// Whether a filter such as `...Any(ep: ep/id eq 'ID' and ep/value eq 'VALUE')` names one of them. Values are compared
    /// without regard to case.
    pub(super) fn match_filter(&self, filter: Option<&str>) -> bool {
        let Some(filter) = filter else { return true };
        let quoted = |after: &str| filter.split_once(after)?.1.split('\'').nth(1);
        match (quoted("ep/id eq"), quoted("ep/value eq")) {
            (Some(id), Some(wanted)) => {
                self.0.iter().any(|(known, value)| known == id && value.eq_ignore_ascii_case(wanted))
            }
            _ => false,
        }
    }
}

/// A page of a list, with the address of the next one.
pub(super) fn page<T: Record>(
    request: &Request,
    listing: Listing<'_, T>,
    most: usize,
    value: impl Fn(&T) -> Value,
) -> Result<Value, Fail> {
    let unfit = |_| Fail::invalid("The skip token is invalid.");
    let tokens = PageTokens::of(&request.target_with(&[("$skiptoken", None)]));
    let cursor = tokens.cursor(request.param("$skiptoken")).map_err(unfit)?;
    let size = SIZE.read(request.param("$top")).unwrap_or(SIZE.usual).min(most);
    let page = listing.after(cursor.as_deref(), size).map_err(unfit)?;
    let mut list = json!({ "value": page.values(value) });
    if let Some(token) = tokens.next(&page) {
        let target = request.target_with(&[("$skiptoken", Some(&token))]);
        list["@odata.nextLink"] = format!("https://graph.microsoft.com{target}").into();
    }
    Ok(list)
}
