//! Where requests go, and what they say: templates read backwards.

use std::collections::BTreeMap;

use hapax_standin::{PathParams, Request};
use serde_json::Value;

use crate::look::Look;
use crate::request::{BodyTemplate, JsonTemplate, RequestTemplate};
use crate::template::Template;

/// What a route does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Route {
    /// The request that counts, of this cell.
    Act(usize),
    /// Its look.
    Look(usize),
    /// One record.
    Show(usize),
    /// Who we are.
    WhoAmI,
}

/// A path as a pattern of a router.
///
/// # Errors
/// A segment that is neither fixed nor one name can't be read backwards.
pub(crate) fn pattern(path: &Template) -> Result<String, String> {
    let segments = split(path.text()).into_iter().map(|segment| {
        let template = Template::new(&segment, crate::template::Place::Path)?;
        match (template.only_name(), template.names().is_empty()) {
            (Some(name), _) => Ok(format!("{{{name}}}")),
            (None, true) => Ok(segment),
            (None, false) => Err(format!("`{segment}` can't be played: a segment is fixed or one name")),
        }
    });
    Ok(segments.collect::<Result<Vec<String>, String>>()?.join("/"))
}

/// Segments of a path; a slash inside of an expression ends none.
fn split(path: &str) -> Vec<String> {
    let mut segments = vec![String::new()];
    let mut depth = 0_usize;
    for letter in path.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (letter, segments.last_mut()) {
            ('/', _) if depth == 0 => segments.push(String::new()),
            (_, Some(last)) => last.push(letter),
            (_, None) => {}
        }
    }
    segments
}

/// Where a request says what, by the names of its templates.
#[derive(Clone, Debug, Default)]
pub(super) struct Sites {
    in_path: Vec<String>,
    in_query: Vec<(String, Frame)>,
    in_headers: Vec<(String, Frame)>,
    in_form: Vec<(String, Frame)>,
    in_json: Vec<(String, Frame)>,
}

/// One name in a fixed text.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    before: String,
    name: String,
    after: String,
}

impl Frame {
    fn of(template: &Template) -> Option<Self> {
        let (before, name, after) = template.framed_name()?;
        Some(Self { before: before.to_owned(), name: name.to_owned(), after: after.to_owned() })
    }

    /// What stands in a text where the name does.
    fn read<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.strip_prefix(&self.before)?.strip_suffix(&self.after)
    }

    /// The same of a value, which keeps its type where the name is all.
    fn read_value(&self, value: &Value) -> Option<Value> {
        match (self.before.is_empty() && self.after.is_empty(), value) {
            (true, Value::Null) => None,
            (true, value) => Some(value.clone()),
            (false, value) => self.read(value.as_str()?).map(Value::from),
        }
    }
}

impl Sites {
    pub(super) fn of(request: &RequestTemplate) -> Self {
        let mut sites = Self {
            in_path: split(request.path.text()).iter().filter_map(|segment| name_of(segment)).collect(),
            in_query: named(&request.query),
            in_headers: named(&request.headers),
            ..Self::default()
        };
        match &request.body {
            BodyTemplate::Empty => {}
            BodyTemplate::Form(fields) => sites.in_form = named(fields),
            BodyTemplate::Json(json) => pointers(json, "", &mut sites.in_json),
        }
        sites
    }

    /// Whether a request can be read for this name.
    pub(super) fn know(&self, name: &str) -> bool {
        let framed = [&self.in_query, &self.in_headers, &self.in_form, &self.in_json].into_iter().flatten();
        self.in_path.iter().any(|known| known == name) || framed.into_iter().any(|(_, frame)| frame.name == name)
    }

    /// What a request says.
    pub(super) fn read(&self, request: &Request, params: &PathParams) -> BTreeMap<String, Value> {
        let mut said = BTreeMap::new();
        said.extend(self.in_path.iter().map(|name| (name.clone(), Value::from(params.get(name)))));
        let mut texts = |sites: &[(String, Frame)], value: &dyn Fn(&str) -> Option<String>| {
            for (place, frame) in sites {
                let read = value(place).and_then(|text| frame.read(&text).map(Value::from));
                said.extend(read.map(|value| (frame.name.clone(), value)));
            }
        };
        texts(&self.in_query, &|pair| request.param(pair).map(str::to_owned));
        texts(&self.in_headers, &|header| request.header(header).map(str::to_owned));
        texts(&self.in_form, &|field| request.field(field).map(str::to_owned));
        for (pointer, frame) in &self.in_json {
            said.extend(frame.read_value(request.json_at(pointer)).map(|value| (frame.name.clone(), value)));
        }
        said
    }
}

fn name_of(text: &str) -> Option<String> {
    Template::new(text, crate::template::Place::Text).ok()?.only_name().map(str::to_owned)
}

/// Where, and which name.
fn named(templates: &[(String, Template)]) -> Vec<(String, Frame)> {
    templates.iter().filter_map(|(place, template)| Some((place.clone(), Frame::of(template)?))).collect()
}

fn pointers(json: &JsonTemplate, at: &str, found: &mut Vec<(String, Frame)>) {
    match json {
        JsonTemplate::Text(template) => found.extend(Frame::of(template).map(|frame| (at.to_owned(), frame))),
        JsonTemplate::Other(_) => {}
        JsonTemplate::List(items) => {
            for (number, item) in items.iter().enumerate() {
                pointers(item, &format!("{at}/{number}"), found);
            }
        }
        JsonTemplate::Object(fields) => {
            for (name, field) in fields {
                let escaped = name.replace('~', "~0").replace('/', "~1");
                pointers(field, &format!("{at}/{escaped}"), found);
            }
        }
    }
}

/// What a look asks for, by the names of its templates.
pub(super) fn asked(look: &Look, request: &Request, params: &PathParams) -> Vec<(String, String)> {
    let path = split(look.path.text()).iter().filter_map(|segment| name_of(segment)).collect::<Vec<_>>();
    let path = path.into_iter().map(|name| (name.clone(), params.get(&name)));
    let pairs = named(&look.query).into_iter();
    let read = |(pair, frame): (String, Frame)| {
        let value = frame.read(request.param(&pair)?)?.to_owned();
        Some((frame.name, value))
    };
    path.chain(pairs.filter_map(read)).collect()
}
