//! What the provider answers: bodies in which the declared paths find what they look for.

use std::collections::BTreeMap;

use hapax_core::capability::{Code, Meaning, Repeat, Row, meaning_of};
use hapax_standin::{Listing, Reply, Request};
use serde_json::{Map, Value, json};

use super::Made;
use super::rules::Rules;
use crate::cell::DeclaredCell;
use crate::integration::Errors;
use crate::look::{Look, Next};
use crate::select::{Path, as_text};
use crate::template::{Template, scope};

/// Records on one page of a look.
const PAGE: usize = 20;

/// The answers of one cell.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    errors: Errors,
    rows: &'static [Row],
    empty_success: Option<u16>,
    id: Option<Place>,
    kept: Vec<(Place, String)>,
    repeated: Vec<(Place, Template)>,
    hits: Option<Place>,
    cursor: Option<Place>,
}

/// A place in a body that is made: members and numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Member(String),
    Number(usize),
}

impl Answers {
    /// # Errors
    /// A path that names no single place can't be made.
    pub(super) fn of(cell: &DeclaredCell, errors: &Errors) -> Result<Self, String> {
        let place = |path: &Path| Place::of(path.as_str());
        let look = cell.look.as_ref();
        let echoes = cell.receipt.echo.iter().map(|(_, path, template)| (path, template));
        let ours = look.into_iter().flat_map(|look| look.ours.identity.iter().chain(&look.ours.content));
        let ours = ours.map(|(path, template)| (path, template));
        let cursor = look.and_then(|look| match &look.next {
            Some(Next::Cursor { at, .. }) => Some(at),
            _ => None,
        });
        Ok(Self {
            errors: errors.clone(),
            rows: cell.spec.answers,
            empty_success: cell.empty_success,
            id: cell.receipt.id.as_ref().map(place).transpose()?,
            kept: cell
                .receipt
                .keep
                .iter()
                .map(|(name, path)| Ok((place(path)?, name.clone())))
                .collect::<Result<_, String>>()?,
            repeated: echoes
                .chain(ours)
                .map(|(path, template)| Ok((place(path)?, template.clone())))
                .collect::<Result<_, String>>()?,
            hits: look.and_then(|look| look.hits.as_ref()).map(place).transpose()?,
            cursor: cursor.map(place).transpose()?,
        })
    }

    /// What was made, as it is shown everywhere.
    pub(super) fn body(&self, id: &str, said: &BTreeMap<String, Value>) -> Value {
        let mut body = json!({});
        for (place, name) in &self.kept {
            place.put(&mut body, Value::from(format!("{name}-of-{id}")));
        }
        if let Some(place) = &self.id {
            place.put(&mut body, Value::from(id));
        }
        // Where the id is what the request says, such as a customer's number, the request's stands.
        let seen = scope(&Value::Object(said.clone().into_iter().collect::<Map<_, _>>()), &[]);
        for (place, template) in &self.repeated {
            if let Ok(Some(value)) = template.value(&seen) {
                place.put(&mut body, value);
            }
        }
        body
    }

    /// The id in what was made.
    pub(super) fn id_in(&self, body: &Value) -> Option<String> {
        self.id.as_ref().and_then(|place| place.get(body)).and_then(as_text)
    }

    pub(super) fn success(&self, body: &Value) -> Reply {
        match self.empty_success {
            Some(status) => Reply::empty(status),
            None => Reply::json(200, body),
        }
    }

    /// What a repeat of a spent token gets.
    pub(super) fn repeated(&self, rules: &Rules, first: Reply) -> Reply {
        match rules.repeat() {
            Repeat::Refuses | Repeat::Names if first.status < 400 => self.taken(),
            _ => first,
        }
    }

    /// The token is spent.
    pub(super) fn taken(&self) -> Reply {
        self.meaning(Meaning::Taken).unwrap_or_else(|| self.error(409, Some("already_exists")))
    }

    /// The token's first request is still being worked on.
    pub(super) fn in_use(&self) -> Reply {
        self.meaning(Meaning::NotDone).unwrap_or_else(|| self.error(409, Some("still_in_progress")))
    }

    /// The first declared answer that means this.
    fn meaning(&self, means: Meaning) -> Option<Reply> {
        let row = self.rows.iter().find(|row| row.means == means)?;
        let known = |text: &'static str| if text == "*" { "declared" } else { text };
        let mut body = json!({});
        put_error(&self.errors, &mut body, known(row.kind), known(row.code));
        Some(Reply::json(if row.status == 0 { 409 } else { row.status }, &body))
    }

    /// The request is turned away for what it says.
    pub(super) fn refused(&self) -> Reply {
        let code = |status: u16| Code { code: format!("status_{status}"), ..Code::new("error", "", "") };
        let refuses = |status: &u16| meaning_of(self.rows, *status, &code(*status)) == Some(Meaning::Refused);
        let usual = || self.error([400, 422, 403].into_iter().find(refuses).unwrap_or(400), None);
        self.meaning(Meaning::Refused).unwrap_or_else(usual)
    }

    pub(super) fn error(&self, status: u16, code: Option<&str>) -> Reply {
        error(&self.errors, status, code)
    }

    /// Records as the look is answered.
    pub(super) fn found(&self, look: &Look, request: &Request, shown: Listing<'_, Made>) -> Reply {
        let Some(hits) = &self.hits else {
            return match shown.all().last() {
                Some(record) => Reply::json(200, &record.body),
                None => self.error(404, None),
            };
        };
        let values = |records: &[&Made]| records.iter().map(|made| made.body.clone()).collect::<Vec<_>>();
        let mut body = json!({});
        match &look.next {
            None => hits.put(&mut body, Value::from(values(&shown.all()))),
            Some(Next::Number { pair, first }) => {
                let number = request.param(pair).and_then(|number| number.parse().ok()).unwrap_or(*first);
                let page = shown.numbered(number.saturating_sub(*first) as usize + 1, PAGE);
                hits.put(&mut body, Value::from(values(&page.records)));
            }
            Some(Next::Link) => {
                let number = request.param("page").and_then(|number| number.parse().ok()).unwrap_or(1);
                let page = shown.numbered(number, PAGE);
                hits.put(&mut body, Value::from(values(&page.records)));
                let reply = Reply::json(200, &body);
                return match page.link_header(request, "page") {
                    Some(link) => reply.with_header("link", &link),
                    None => reply,
                };
            }
            Some(Next::Cursor { pair, .. }) => {
                let Ok(page) = shown.after(request.param(pair), PAGE) else { return self.error(400, None) };
                hits.put(&mut body, Value::from(values(&page.records)));
                if let Some(place) = &self.cursor {
                    place.put(&mut body, page.next_cursor().map_or(Value::Null, Value::from));
                }
            }
        }
        Reply::json(200, &body)
    }
}

/// An error in the provider's own form.
pub(super) fn error(errors: &Errors, status: u16, code: Option<&str>) -> Reply {
    if (502..=504).contains(&status) && code.is_none() {
        return Reply::gateway(status);
    }
    let mut body = json!({});
    put_error(errors, &mut body, "error", code.unwrap_or(&format!("status_{status}")));
    Reply::json(status, &body)
}

fn put_error(errors: &Errors, body: &mut Value, kind: &str, code: &str) {
    for (path, text) in [(&errors.kind, kind), (&errors.code, code), (&errors.message, "as declared")] {
        if let Some(place) = path.as_ref().and_then(|path| Place::of(path.as_str()).ok()) {
            place.put(body, Value::from(text));
        }
    }
}

/// A body in which everything that is repeated is somebody else's.
#[cfg(feature = "prove")]
pub(super) fn foreign(cell: &DeclaredCell) -> Value {
    let mut body = json!({});
    let echoes = cell.receipt.echo.iter().map(|(_, path, _)| path);
    for place in echoes.chain(&cell.receipt.id).filter_map(|path| Place::of(path.as_str()).ok()) {
        place.put(&mut body, Value::from("foreign"));
    }
    body
}

/// Who we are.
pub(super) fn who_am_i(whoami: Option<&(String, Path)>) -> Reply {
    let mut body = json!({});
    if let Some(place) = whoami.and_then(|(_, path)| Place::of(path.as_str()).ok()) {
        place.put(&mut body, Value::from("stand-in"));
    }
    Reply::json(200, &body)
}

impl Place {
    /// The place that a path names, if it names one: `$.data.id`, `$['a b'][0]`.
    fn of(path: &str) -> Result<Self, String> {
        let unplayable = || format!("`{path}` names no single place, so no answer can be made for it");
        let mut rest = path.trim().strip_prefix('$').ok_or_else(unplayable)?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, after) = step(rest).ok_or_else(unplayable)?;
            steps.push(step);
            rest = after;
        }
        Ok(Self(steps))
    }

    fn get<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(body, |at, step| match step {
            Step::Member(name) => at.get(name),
            Step::Number(number) => at.get(number),
        })
    }

    fn put(&self, body: &mut Value, value: Value) {
        let mut at = body;
        for step in &self.0 {
            at = match step {
                Step::Member(name) => {
                    if !at.is_object() {
                        *at = json!({});
                    }
                    &mut at[name.as_str()]
                }
                Step::Number(number) => {
                    if !at.is_array() {
                        *at = json!([]);
                    }
                    if let Some(list) = at.as_array_mut()
                        && list.len() <= *number
                    {
                        list.resize(number + 1, Value::Null);
                    }
                    &mut at[*number]
                }
            };
        }
        *at = value;
    }
}

fn step(rest: &str) -> Option<(Step, &str)> {
    if let Some(after) = rest.strip_prefix('.') {
        let end = after.find(['.', '[']).unwrap_or(after.len());
        let (name, rest) = after.split_at(end);
        let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        return plain.then(|| (Step::Member(name.to_owned()), rest));
    }
    let (inner, after) = rest.strip_prefix('[')?.split_once(']')?;
    let quoted = ['\'', '"'].iter().find_map(|quote| inner.strip_prefix(*quote)?.strip_suffix(*quote));
    match quoted {
        Some(name) => Some((Step::Member(name.to_owned()), after)),
        None => Some((Step::Number(inner.parse().ok()?), after)),
    }
}
