//! A declared question, asked.

use hapax_core::cell::{Context, Page};
use hapax_core::transport::{Request, Response};
use hapax_core::words::Fault;
use serde_json::Value;

use crate::request::pairs;
use crate::select::{Path, as_text};
use crate::template::{Scope, Template};

/// A question that finds out whether it happened.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) path: Template,
    pub(crate) query: Vec<(String, Template)>,
    /// The list in the answer; none: the answer is the one record.
    pub(crate) hits: Option<Path>,
    pub(crate) next: Option<Next>,
    /// What a record must hold to be ours.
    pub(crate) ours: Ours,
}

/// What a record must hold to be ours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ours {
    /// Our mark, key or id: one that holds them was made by us.
    pub(crate) identity: Vec<(Path, Template)>,
    /// What else was asked for. It tells where nothing of ours is in a record, and is compared where something is.
    pub(crate) content: Vec<(Path, Template)>,
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
            // An answer without its list is another answer, and never an empty list.
            let list = hits.one(&body).and_then(Value::as_array);
            let found: Vec<&Value> =
                list.ok_or_else(|| unread("holds no list where the hits should be"))?.iter().collect();
            let next = match &self.next {
                None => None,
                Some(Next::Cursor { at, pair }) => cursor(at, &body)?.map(|cursor| {
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

    /// Those of the records that are ours.
    fn of_ours(&self, records: Vec<&Value>, scope: &Scope) -> Result<Vec<Value>, Fault> {
        let mut ours = Vec::new();
        for record in records {
            if self.ours.is_held_by(record, scope)? {
                ours.push(record.clone());
            }
        }
        Ok(ours)
    }
}

impl Ours {
    /// Whether a record is ours.
    ///
    /// # Errors
    /// [`Fault::Echo`] for one that holds our mark, key or id and something else than what was asked for: it is neither
    /// ours nor an absence.
    pub(crate) fn is_held_by(&self, record: &Value, scope: &Scope) -> Result<bool, Fault> {
        let is_same = differing(&self.content, record, scope)?;
        if self.identity.is_empty() {
            return Ok(is_same.is_empty());
        }
        match differing(&self.identity, record, scope)?.is_empty() {
            false => Ok(false),
            true if is_same.is_empty() => Ok(true),
            true => Err(Fault::Echo(is_same.join(", "))),
        }
    }
}

/// Where a record holds something else. What wasn't asked for isn't compared: providers fill it in.
fn differing(what: &[(Path, Template)], record: &Value, scope: &Scope) -> Result<Vec<String>, Fault> {
    let mut differ = Vec::new();
    for (path, template) in what {
        let wanted = template.value(scope).map_err(Fault::NotSent)?;
        if wanted.is_some_and(|wanted| !path.is(record, &wanted)) {
            differ.push(path.as_str().to_owned());
        }
    }
    Ok(differ)
}

/// The cursor of the next page. None, null and the empty text are the end; anything else that is no text is unread.
fn cursor(at: &Path, body: &Value) -> Result<Option<String>, Fault> {
    match at.each(body).as_slice() {
        [] | [Value::Null] => Ok(None),
        [one] => match as_text(one) {
            Some(text) => Ok(Some(text).filter(|text| !text.is_empty())),
            None => Err(unread("holds no cursor where one should be")),
        },
        _ => Err(unread("holds several cursors where one should be")),
    }
}

fn unread(what: &str) -> Fault {
    Fault::Unread(format!("the answer {what}"))
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
