//! A declared question, asked.

use hapax_core::cell::{Context, Page};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use serde_json::Value;

use crate::request::pairs;
use crate::select::Path;
use crate::template::{Scope, Template};

/// A question that finds out whether it happened.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) path: Template,
    pub(crate) query: Vec<(String, Template)>,
    /// Where the answer holds the records; none: it is the one record.
    pub(crate) hits: Option<Path>,
    pub(crate) next: Option<Next>,
    /// What a record must hold to be ours.
    pub(crate) ours: Vec<(Path, Template)>,
}

/// How the next page is asked for.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    Cursor { at: Path, pair: String },
    Number { pair: String, first: u32 },
    Link,
}

impl Look {
    /// Every record that is ours.
    pub(crate) async fn ask(&self, cx: &Context, scope: &Scope) -> Result<Vec<Value>, Fault> {
        let first = self.request(scope).map_err(Fault::NotSent)?;
        let Some(hits) = &self.hits else {
            let record: Option<Value> = cx.get(first).await?;
            return self.of_ours(record.iter().collect(), scope);
        };
        let mut number = match &self.next {
            Some(Next::Number { first, .. }) => *first,
            _ => 0,
        };
        let plain = first.clone();
        let opening = self.numbered(&first, number);
        cx.search(opening, |body: Value, response| {
            let found = hits.each(&body);
            let next = match &self.next {
                None => None,
                Some(Next::Cursor { at, pair }) => at.text(&body).filter(|cursor| !cursor.is_empty()).map(|cursor| {
                    let mut next = plain.clone();
                    next.query.retain(|(name, _)| name != pair);
                    next.query(pair, cursor)
                }),
                Some(Next::Number { .. }) if found.is_empty() => None,
                Some(Next::Number { .. }) => {
                    number += 1;
                    Some(self.numbered(&plain, number))
                }
                Some(Next::Link) => linked(cx, response)?,
            };
            Ok(Page { hits: self.of_ours(found, scope)?, next })
        })
        .await
    }

    fn request(&self, scope: &Scope) -> Result<Request, String> {
        let path = self.path.render(scope)?.ok_or("the path of the look is an argument that is absent")?;
        let mut request = Request::get(path);
        request.query = pairs(&self.query, scope)?;
        Ok(request)
    }

    fn numbered(&self, request: &Request, number: u32) -> Request {
        match &self.next {
            Some(Next::Number { pair, .. }) => request.clone().query(pair, number.to_string()),
            _ => request.clone(),
        }
    }

    /// Those of the records that hold what ours must hold. A record that lacks one of them is somebody else's.
    fn of_ours(&self, records: Vec<&Value>, scope: &Scope) -> Result<Vec<Value>, Fault> {
        let mut ours = Vec::new();
        for record in records {
            if holds(&self.ours, record, scope)? {
                ours.push(record.clone());
            }
        }
        Ok(ours)
    }
}

/// Whether a record holds what it must.
pub(crate) fn holds(what: &[(Path, Template)], record: &Value, scope: &Scope) -> Result<bool, Fault> {
    for (path, template) in what {
        let wanted = template.render(scope).map_err(Fault::NotSent)?;
        // What wasn't asked for isn't compared.
        if wanted.is_some() && path.text(record) != wanted {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The next page that the header `Link` names. One on another host would take our credentials there.
fn linked(cx: &Context, response: &Response) -> Result<Option<Request>, Fault> {
    let Some(header) = response.header("link") else { return Ok(None) };
    let next = header.split(',').find(|link| link.contains("rel=\"next\"") || link.contains("rel=next"));
    let Some(next) = next else { return Ok(None) };
    let unread = || Fault::Unread("the header Link names no page that can be asked".to_owned());
    let target = next.split('>').next().and_then(|link| link.trim().strip_prefix('<')).ok_or_else(unread)?;
    let base = &cx.connection().base_url;
    let url = base.join(target).map_err(|_| unread())?;
    if url.origin() != base.origin() {
        return Err(Fault::Unread("the header Link names a page of another host".to_owned()));
    }
    let below = base.path().trim_end_matches('/');
    let path = url.path().strip_prefix(below).ok_or_else(unread)?;
    let pairs = url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned()));
    let mut request = Request::get(path);
    request.query = pairs.collect();
    Ok(Some(request))
}
