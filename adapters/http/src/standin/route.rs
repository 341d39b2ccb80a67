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
    in_query: Vec<(String, String)>,
    in_headers: Vec<(String, String)>,
    in_form: Vec<(String, String)>,
    in_json: Vec<(String, String)>,
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

    /// What a request says.
    pub(super) fn read(&self, request: &Request, params: &PathParams) -> BTreeMap<String, Value> {
        let mut said = BTreeMap::new();
        let mut text = |name: &String, value: Option<&str>| {
            said.extend(value.map(|value| (name.clone(), Value::from(value))));
        };
        self.in_path.iter().for_each(|name| text(name, Some(&params.get(name))));
        self.in_query.iter().for_each(|(pair, name)| text(name, request.param(pair)));
        self.in_headers.iter().for_each(|(header, name)| text(name, request.header(header)));
        self.in_form.iter().for_each(|(field, name)| text(name, request.field(field)));
        for (pointer, name) in &self.in_json {
            let value = request.json_at(pointer);
            if !value.is_null() {
                said.insert(name.clone(), value.clone());
            }
        }
        said
    }
}

fn name_of(text: &str) -> Option<String> {
    Template::new(text, crate::template::Place::Text).ok()?.only_name().map(str::to_owned)
}

/// Where, and which name.
fn named(templates: &[(String, Template)]) -> Vec<(String, String)> {
    templates.iter().filter_map(|(place, template)| Some((place.clone(), template.only_name()?.to_owned()))).collect()
}

fn pointers(json: &JsonTemplate, at: &str, found: &mut Vec<(String, String)>) {
    match json {
        JsonTemplate::Text(template) => found.extend(template.only_name().map(|name| (at.to_owned(), name.to_owned()))),
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
    path.chain(pairs.filter_map(|(pair, name)| Some((name, request.param(&pair)?.to_owned())))).collect()
}
